package io.onehop.jedis;

import static io.onehop.jedis.Callers.begun;
import static io.onehop.jedis.Callers.holdsSoon;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.base.Words;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.params.XReadParams;
import redis.clients.jedis.resps.StreamEntry;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Blocking commands may take longer than the timeout of the server pool: their own timeout is
 * added.
 */
class BlockingTest {
    private static final int TIMEOUT_MS = 3000;

    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(3, "hash_tag: \"{}\"");

    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    /** How many clients are blocked, on all nodes together. */
    private static long blocked() {
        return nodes.servers().stream().mapToLong(Callers::blocked).sum();
    }

    /* ---- One node ---- */

    @Test
    void aWaitMayTakeLongerThanTheTimeout() throws Exception {
        try (OneHopClient hasty = hasty()) {
            FutureTask<List<String>> popped = begun(() -> hasty.blpop(60, "list"));
            assertTrue(holdsSoon(() -> blocked() == 1));
            Thread.sleep(2 * TIMEOUT_MS);
            redis.rpush("list", "value");
            assertEquals(List.of("list", "value"), popped.get(30, TimeUnit.SECONDS));
        }
    }

    private static OneHopClient hasty() {
        return nodes.client("timeout: " + TIMEOUT_MS, "hash_tag: \"{}\"");
    }

    @Test
    void aWaitWithoutTimeoutEndsWhenAnElementComes() throws Exception {
        try (OneHopClient hasty = hasty()) {
            waitWithoutTimeout(hasty);
        }
    }

    @SuppressWarnings("deprecation")
    private static void waitWithoutTimeout(OneHopClient hasty) throws Exception {
        List<FutureTask<?>> waits =
                List.of(
                        begun(() -> hasty.blpop(0, "list1")),
                        begun(() -> hasty.bzpopmin(0, "sorted")),
                        begun(() -> hasty.sendCommand(Command.BRPOP, "list2", "0")),
                        begun(
                                () ->
                                        hasty.xread(
                                                XReadParams.xReadParams().block(0),
                                                Map.of("stream", new StreamEntryID()))));
        assertTrue(holdsSoon(() -> blocked() == 4));
        Thread.sleep(2 * TIMEOUT_MS);
        for (FutureTask<?> wait : waits) {
            assertFalse(wait.isDone());
        }
        redis.rpush("list1", "1");
        redis.zadd("sorted", 1, "one");
        redis.rpush("list2", "2");
        redis.xadd("stream", StreamEntryID.NEW_ENTRY, Map.of("field", "value"));
        for (FutureTask<?> wait : waits) {
            assertFalse(wait.get(30, TimeUnit.SECONDS) == null);
        }
    }

    @Test
    @SuppressWarnings("deprecation")
    void aWaitWithoutResultReturnsNothingAndKeepsTheConnection() {
        assertNull(redis.blpop(0.05, "list"));
        assertNull(redis.brpoplpush("{a}", "{a}2", 1));
        assertNull(redis.sendBlockingCommand(Command.BLPOP, "list", "0.05"));
        assertNull(
                redis.xread(
                        XReadParams.xReadParams().block(20),
                        Map.of("stream", new StreamEntryID())));
        assertEquals("OK", redis.set("list", "value"));
    }

    @Test
    @SuppressWarnings("deprecation")
    void theNodeRefusesAnInvalidTimeout() {
        for (String timeout : List.of("-1", "soon", "", "nan")) {
            assertThrows(
                    JedisDataException.class,
                    () -> redis.sendCommand(Command.BLPOP, "list", timeout));
        }
    }

    @Test
    void aHungNodeIsAwaitedForTheTimeoutOfTheCommandPlusThatOfThePool() {
        try (ScriptedNode node = ScriptedNode.start(talk -> talk.handshake().awaitClose());
                OneHopClient client = node.client("timeout: 3000")) {
            long begin = System.nanoTime();
            assertTrue(
                    assertThrows(DeadlineExceeded.class, () -> client.blpop(1, "list"))
                            .mayHaveExecuted());
            assertTrue(System.nanoTime() - begin >= 4_000_000_000L);
        }
    }

    @Test
    void aBlockingCommandWaitsForItsConnectionOnlyForTheTimeoutOfThePool() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient client = node.client("timeout: 200")) {
            assertFalse(
                    assertThrows(DeadlineExceeded.class, () -> client.blpop(0, "list"))
                            .mayHaveExecuted());
        }
    }

    @Test
    void aConnectionAtWhichTheNodeHasEndedAWaitIsNotUsedAgain() {
        ScriptedNode.Script becomesAReplica =
                talk -> {
                    talk.handshake();
                    boolean waits = talk.command().get(0).equals("BLPOP");
                    talk.send(
                            waits ? "-" + Words.UNBLOCKED_BY_CHANGE + ", whatever\r\n" : "+OK\r\n");
                    talk.command(); // Then the node closes the connection.
                };
        try (ScriptedNode node = ScriptedNode.start(becomesAReplica);
                OneHopClient client = node.client()) {
            assertThrows(JedisDataException.class, () -> client.blpop(1, "list"));
            assertEquals("OK", client.set("key", "value"));
        }
    }

    @Test
    void anInterruptEndsAWaitWithoutTimeout() throws Exception {
        Callers.Running waiting = new Callers.Running(() -> redis.blpop(0, "list"));
        assertTrue(holdsSoon(() -> blocked() == 1));
        waiting.thread.interrupt();
        assertInstanceOf(DeadlineExceeded.class, waiting.end());
        assertTrue(holdsSoon(() -> blocked() == 0));
    }

    @Test
    void inAPipelineBlockingCommandsOfOneNodeWaitOneAfterAnother() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<?> first = pipeline.blpop(0.7, "list");
            Response<?> second = pipeline.blpop(0.7, "list");
            Response<String> set = pipeline.set("list", "value");
            pipeline.sync();
            assertNull(first.get());
            assertNull(second.get());
            assertEquals("OK", set.get());
        }
    }

    @Test
    void inATransactionNoCommandWaits() {
        try (var transaction = redis.multi()) {
            transaction.blpop(0, "list");
            assertEquals(Collections.singletonList(null), transaction.exec());
        }
    }

    /* ---- Streams ---- */

    private static Map<String, StreamEntryID> from(StreamEntryID id, String... streams) {
        Map<String, StreamEntryID> all = new LinkedHashMap<>();
        List.of(streams).forEach(stream -> all.put(stream, id));
        return all;
    }

    private static void assertRefused(Executable call) {
        CrossNode refused = assertThrows(CrossNode.class, call);
        assertFalse(refused.mayHaveExecuted());
        assertSays("the same hash tag", refused);
    }

    @Test
    @SuppressWarnings("deprecation")
    void streamsOfSeveralNodesCannotBeWaitedFor() {
        String one = Nodes.keyOn(redis, nodes.servers().get(0).node());
        String other = Nodes.keyOn(redis, nodes.servers().get(1).node());
        Map<String, StreamEntryID> apart = from(new StreamEntryID(), one, other);
        XReadParams block = XReadParams.xReadParams().block(100);
        assertRefused(() -> redis.xread(block, apart));
        assertRefused(() -> redis.xread(XReadParams.xReadParams().block(0), apart));
        XReadGroupParams ofGroup = XReadGroupParams.xReadGroupParams().block(100);
        assertRefused(() -> redis.xreadGroup("group", "me", ofGroup, apart));
        assertRefused(
                () ->
                        redis.sendCommand(
                                Command.XREAD, "BLOCK", "9", "STREAMS", one, other, "0", "0"));
        try (AbstractPipeline pipeline = redis.pipelined()) {
            assertRefused(() -> pipeline.xread(block, apart));
        }
        assertNull(redis.xread(XReadParams.xReadParams(), apart), "without BLOCK");
    }

    @Test
    void streamsOfOneNodeAreWaitedFor() {
        Map<String, StreamEntryID> together = from(new StreamEntryID(), "{tag}1", "{tag}2");
        assertNull(redis.xread(XReadParams.xReadParams().block(20), together));
        redis.xadd("{tag}2", StreamEntryID.NEW_ENTRY, Map.of("field", "value"));
        assertEquals(1, redis.xread(XReadParams.xReadParams().block(0), together).size());
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<List<Map.Entry<String, List<StreamEntry>>>> read =
                    pipeline.xread(XReadParams.xReadParams().block(0), together);
            pipeline.sync();
            assertEquals("{tag}2", read.get().get(0).getKey());
        }
    }
}
