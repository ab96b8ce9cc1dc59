package io.onehop.jedis.internal.cluster;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Timings;
import io.onehop.core.cluster.SentinelAnswer;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.pool.Pool;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One question to all Sentinels: where each master is.
 *
 * <p>Each Sentinel has its own thread, because one that hangs must not delay the others' answers.
 * Implements spec/topology/sentinel.md, sections 1 and 3.
 */
final class SentinelQuestion {
    private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(Timings.REFRESH_GRACE_MS);

    /** What one Sentinel says of each name, in the order of the names. */
    private record Answer(int sentinel, List<SentinelAnswer> ofNames) {}

    private SentinelQuestion() {}

    /** The answers for each name: one of each Sentinel, in their order. */
    static List<List<SentinelAnswer>> ask(List<Pool> sentinels, List<String> names, int timeoutMs)
            throws InterruptedException {
        BlockingQueue<Answer> arrived = new ArrayBlockingQueue<>(sentinels.size());
        for (int i = 0; i < sentinels.size(); i++) {
            int number = i;
            Thread thread =
                    new Thread(
                            () -> arrived.add(asked(number, sentinels, names, timeoutMs)),
                            "onehop-sentinel");
            thread.setDaemon(true);
            thread.start();
        }
        List<List<SentinelAnswer>> answers = new ArrayList<>();
        for (int name = 0; name < names.size(); name++) {
            answers.add(
                    new ArrayList<>(Collections.nCopies(sentinels.size(), SentinelAnswer.SILENT)));
        }
        long beganNs = Clock.nowNs();
        long untilNs = beganNs + TimeUnit.MILLISECONDS.toNanos(timeoutMs) * 2;
        boolean isFirst = true;
        for (int i = 0; i < sentinels.size(); i++) {
            Answer answer = arrived.poll(untilNs - Clock.nowNs(), TimeUnit.NANOSECONDS);
            if (answer == null) {
                break;
            }
            if (isFirst && answer.ofNames().stream().anyMatch(each -> each.reason() == null)) {
                isFirst = false; // The others get as much time again.
                long tookNs = Clock.nowNs() - beganNs;
                untilNs = Clock.nowNs() + Math.max(tookNs, GRACE_NS);
            }
            for (int name = 0; name < answer.ofNames().size(); name++) {
                answers.get(name).set(answer.sentinel(), answer.ofNames().get(name));
            }
        }
        return answers;
    }

    private static Answer asked(
            int number, List<Pool> sentinels, List<String> names, int timeoutMs) {
        try {
            return new Answer(
                    number,
                    NodeQuestion.ask(
                            sentinels.get(number), timeoutMs, open -> answersTo(open, names)));
        } catch (RuntimeException failed) {
            return new Answer(number, List.of()); // Its health remembers why.
        }
    }

    private static List<SentinelAnswer> answersTo(NodeConnection sentinel, List<String> names) {
        for (String name : names) {
            sentinel.sendCommand(question("GET-MASTER-ADDR-BY-NAME", name));
            sentinel.sendCommand(question("MASTER", name));
        }
        List<Object> replies = sentinel.getMany(2 * names.size());
        SentinelAnswer[] answers = new SentinelAnswer[names.size()];
        for (int i = 0; i < answers.length; i++) {
            byte[] address = NodeQuestion.wire(replies.get(2 * i));
            byte[] master = NodeQuestion.wire(replies.get(2 * i + 1));
            byte[] both = Arrays.copyOf(address, address.length + master.length);
            System.arraycopy(master, 0, both, address.length, master.length);
            answers[i] = SentinelAnswer.read(both);
        }
        return List.of(answers);
    }

    private static CommandArguments question(String verb, String name) {
        return new CommandArguments(Command.SENTINEL)
                .add(verb)
                .add(name.getBytes(StandardCharsets.UTF_8));
    }
}
