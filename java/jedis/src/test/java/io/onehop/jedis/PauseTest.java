package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * A program is stopped until after the deadline of its call. Then it does not count that as a
 * failure of the node, and uses the replies that have arrived.
 */
class PauseTest {
    /** So long that the values of a batch need several reads from the socket. */
    static final String VALUE = "x".repeat(2000);

    private static final String SILENT = "silent:";
    private static final String ANSWERED = "answered:";

    static final String WRITTEN = "written:";

    /** The length of the value that the program writes: more than all buffers take. */
    static final int WRITTEN_BYTES = 64_000_000;

    private static final int ONE_WRITE_BYTES = 1 << 16;

    /** The length of each value in a batch of writes. */
    static final int BATCHED_BYTES = 20_000;

    /** How many of these commands the client sends before it needs a reply. */
    private static final int IN_WINDOW = BatchExchange.WINDOW_BYTES / (BATCHED_BYTES + 1000);

    private static final int STOPPED_MS = 5000;
    private static final int BARRIER_S_MAX = 60;

    @FunctionalInterface
    private interface Stop {
        void at(long pid) throws IOException;
    }

    /** Stops the process that a key names, continues it later, and does not answer that command. */
    private static final ScriptedNode.Script SILENT_NODE =
            talk ->
                    serve(
                            talk,
                            SILENT,
                            pid -> {
                                Processes.stop(pid);
                                Processes.pause(STOPPED_MS);
                                Processes.signal(pid, "CONT");
                            });

    /** Stops the process that the keys name, answers, and continues it later. */
    private static ScriptedNode.Script answering(CyclicBarrier nodes) {
        return talk ->
                serve(
                        talk,
                        ANSWERED,
                        pid -> {
                            reach(nodes); // Every node has got its commands.
                            Processes.stop(pid);
                            CompletableFuture.delayedExecutor(STOPPED_MS, TimeUnit.MILLISECONDS)
                                    .execute(() -> Processes.signal(pid, "CONT"));
                            talk.bulk(VALUE);
                        });
    }

    /**
     * Answers all commands except the first whose key begins with this word: there it runs {@code
     * stop}.
     */
    private static void serve(ScriptedNode.Talk talk, String word, Stop stop) throws IOException {
        talk.handshake();
        boolean hasStopped = false;
        for (List<String> command : talk.commands()) {
            if (hasStopped || !command.get(1).startsWith(word)) {
                talk.bulk(VALUE);
            } else {
                hasStopped = true;
                stop.at(Long.parseLong(command.get(1).split(":")[1]));
            }
        }
    }

    /**
     * Stops the process after the first bytes of its second command, and counts the bytes that
     * arrive. {@code before}: how many had arrived when the process continued.
     */
    private static ScriptedNode.Script reading(AtomicLong received, AtomicLong before) {
        return talk -> {
            talk.handshake();
            long pid = Long.parseLong(talk.command().get(1).split(":")[1]);
            talk.bulk(VALUE);
            while (talk.arrived() == 0) {
                Processes.pause(1);
            }
            Processes.stop(pid);
            CompletableFuture.delayedExecutor(STOPPED_MS, TimeUnit.MILLISECONDS)
                    .execute(
                            () -> {
                                before.set(received.get());
                                Processes.signal(pid, "CONT");
                            });
            talk.awaitClose(received);
        };
    }

    /**
     * Stops the process after the first window of a batch of writes, and answers the writes of that
     * window.
     */
    private static ScriptedNode.Script answeringWindow(AtomicInteger received) {
        return talk -> {
            talk.handshake();
            for (List<String> command : talk.commands()) {
                if (command.get(0).equals("GET")) {
                    talk.bulk(VALUE);
                } else if (received.incrementAndGet() == IN_WINDOW) {
                    long pid = Long.parseLong(command.get(1).split(":")[1]);
                    Processes.stop(pid);
                    CompletableFuture.delayedExecutor(STOPPED_MS, TimeUnit.MILLISECONDS)
                            .execute(() -> Processes.signal(pid, "CONT"));
                    talk.send("+OK\r\n".repeat(IN_WINDOW));
                }
            }
        };
    }

    private static void reach(CyclicBarrier nodes) {
        try {
            nodes.await(BARRIER_S_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException missing) {
            throw new AssertionError(missing);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto_eject_hosts: false", "auto_eject_hosts: true"})
    void aProgramThatWasStoppedForFiveSecondsNeitherRestsNorEjectsTheNode(String rule) {
        try (ScriptedNode node = ScriptedNode.start(SILENT_NODE)) {
            prints("well; DeadlineExceeded; UP, 0 failures counted; well", rule, SILENT, 1, node);
        }
    }

    @ParameterizedTest(name = "{0} keys, {1} nodes")
    @CsvSource({"1, 1", "40, 1", "40, 2"})
    void aProgramThatWasStoppedUsesTheRepliesThatHaveArrivedMeanwhile(int keys, int nodes) {
        ScriptedNode.Script script = answering(new CyclicBarrier(nodes));
        try (ScriptedNode first = ScriptedNode.start(script);
                ScriptedNode second = ScriptedNode.start(script)) {
            ScriptedNode[] used = {first, second};
            prints(
                    "well; well; UP, 0 failures counted; well",
                    "auto_eject_hosts: false",
                    ANSWERED,
                    keys,
                    Arrays.copyOf(used, nodes));
        }
    }

    @Test
    void aProgramThatWasStoppedDoesNotWriteTheRestOfACommand() {
        AtomicLong received = new AtomicLong();
        AtomicLong before = new AtomicLong();
        try (ScriptedNode node = ScriptedNode.start(reading(received, before))) {
            prints(
                    "well; DeadlineExceeded; UP, 0 failures counted; well",
                    "auto_eject_hosts: false",
                    WRITTEN,
                    1,
                    node);
        }
        assertTrue(before.get() > 0);
        long more = received.get() - before.get();
        assertTrue(
                more <= ONE_WRITE_BYTES, more + " bytes were written after the program continued");
    }

    @Test
    void aProgramThatWasStoppedDoesNotWriteTheRestOfABatch() {
        AtomicInteger received = new AtomicInteger();
        try (ScriptedNode node = ScriptedNode.start(answeringWindow(received))) {
            prints(
                    "well; DeadlineExceeded; UP, 0 failures counted; well",
                    "auto_eject_hosts: false",
                    WRITTEN,
                    400,
                    node);
        }
        assertEquals(IN_WINDOW, received.get());
    }

    private static void prints(
            String expected, String rule, String word, int keys, ScriptedNode... nodes) {
        String config =
                Nodes.configOf(
                        Stream.of(nodes).map(ScriptedNode::server),
                        rule,
                        "timeout: 4500",
                        "server_failure_limit: 1");
        String output =
                Jvm.outputOf(PausedProgram.class, List.of(), config, word, String.valueOf(keys));
        assertTrue(output.endsWith(expected + System.lineSeparator()), output);
    }
}
