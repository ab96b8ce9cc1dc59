package io.onehop.jedis.internal.nodes;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Timings;
import io.onehop.core.cluster.SentinelAnswer;
import io.onehop.jedis.internal.pool.Pool;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * One question to all Sentinels: where each master is, and its replicas if they answer reads.
 *
 * <p>Each Sentinel has its own thread, because a Sentinel that hangs must not delay the answers of
 * the others. Implements spec/topology/sentinel.md, sections 1 and 3.
 */
final class SentinelQuestion {

    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(Timings.STEP_MS_MAX);

    /**
     * What one Sentinel says of a name: where its master is, and the reply about replicas, which
     * may be empty.
     */
    record Said(SentinelAnswer master, byte[] replicas) {
        static final Said NOTHING = new Said(SentinelAnswer.SILENT, new byte[0]);
    }

    /** What one Sentinel says of each name, in the order of the names. */
    private record Answer(int sentinel, List<Said> ofNames) {}

    private SentinelQuestion() {}

    /**
     * The answers for each name: one answer of each Sentinel, in the order of the Sentinels. {@code
     * isCertain}: no further answer can change the result. {@code isAwaited}: a call waits for the
     * answers, so late answers do not count.
     */
    static List<List<Said>> ask(
            List<Pool> sentinels,
            List<String> names,
            boolean asksForReplicas,
            Predicate<List<List<Said>>> isCertain,
            int timeoutMs,
            boolean isAwaited)
            throws InterruptedException {
        BlockingQueue<Answer> arrived = new ArrayBlockingQueue<>(sentinels.size());
        for (int i = 0; i < sentinels.size(); i++) {
            int number = i;
            Thread thread =
                    new Thread(
                            () ->
                                    arrived.add(
                                            asked(
                                                    number,
                                                    sentinels.get(number),
                                                    asked -> said(asked, names, asksForReplicas),
                                                    timeoutMs)),
                            "onehop-sentinel");
            thread.setDaemon(true);
            thread.start();
        }
        List<List<Said>> answers = new ArrayList<>();
        for (int name = 0; name < names.size(); name++) {
            answers.add(new ArrayList<>(Collections.nCopies(sentinels.size(), Said.NOTHING)));
        }
        long beganNs = Clock.nowNs();
        long untilNs = beganNs + TimeUnit.MILLISECONDS.toNanos(timeoutMs) * 2;
        boolean isFirst = true;
        for (int i = 0; i < sentinels.size() && !isCertain.test(answers); i++) {
            Answer answer = arrived.poll(untilNs - Clock.nowNs(), TimeUnit.NANOSECONDS);
            if (answer == null) {
                break;
            }
            if (isAwaited && isFirst && !answer.ofNames().isEmpty()) {
                isFirst = false;
                // The others get as much time again, so that the first Sentinel does not decide
                // alone.
                long nowNs = Clock.nowNs();
                long leastNs = STEP_NS * (sentinels.size() - i - 1);
                untilNs = nowNs + Math.max(nowNs - beganNs, leastNs);
            }
            for (int name = 0; name < answer.ofNames().size(); name++) {
                answers.get(name).set(answer.sentinel(), answer.ofNames().get(name));
            }
        }
        return answers;
    }

    private static Answer asked(
            int number, Pool sentinel, NodeQuestion.Talk<List<Said>> talk, int timeoutMs) {
        try {
            return new Answer(number, NodeQuestion.ask(sentinel, timeoutMs, talk));
        } catch (Throwable failed) { // The thread that waits for an answer must get one.
            return new Answer(number, List.of()); // The health of the Sentinel remembers why.
        }
    }

    private static List<Said> said(
            NodeQuestion sentinel, List<String> names, boolean asksForReplicas) throws IOException {
        for (String name : names) {
            sentinel.send(question("GET-MASTER-ADDR-BY-NAME", name));
            sentinel.send(question("MASTER", name));
            if (asksForReplicas) {
                sentinel.send(question("REPLICAS", name));
            }
        }
        int each = asksForReplicas ? 3 : 2;
        List<Object> replies = sentinel.replies(each * names.size());
        Said[] said = new Said[names.size()];
        for (int i = 0; i < said.length; i++) {
            byte[] address = NodeQuestion.wire(replies.get(each * i));
            byte[] master = NodeQuestion.wire(replies.get(each * i + 1));
            byte[] both = Arrays.copyOf(address, address.length + master.length);
            System.arraycopy(master, 0, both, address.length, master.length);
            said[i] =
                    new Said(
                            SentinelAnswer.read(both),
                            asksForReplicas
                                    ? NodeQuestion.wire(replies.get(each * i + 2))
                                    : new byte[0]);
        }
        return List.of(said);
    }

    private static CommandArguments question(String verb, String name) {
        return new CommandArguments(Command.SENTINEL)
                .add(verb)
                .add(name.getBytes(StandardCharsets.UTF_8));
    }
}
