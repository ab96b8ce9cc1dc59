package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Pipelines over healthy nodes: the order of replies, errors among them, and values just smaller
 * and larger than every buffer.
 */
class PipelineTest {
    @RegisterExtension
    static final SharedNodes SHARED = SharedNodes.start(4, "timeout: 120000", "hash_tag: \"{}\"");

    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    @Test
    void everyResponseHasTheReplyToItsOwnCommand() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            List<Response<Long>> counts = new ArrayList<>();
            List<Response<String>> values = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                pipeline.set("key:" + i, "value " + i);
                counts.add(pipeline.incrBy("count:" + i, i));
                values.add(pipeline.get("key:" + i));
            }
            pipeline.sync();
            for (int i = 0; i < 5000; i++) {
                assertEquals(i, counts.get(i).get());
                assertEquals("value " + i, values.get(i).get());
            }
        }
    }

    @Test
    void commandsOfOneKeyKeepTheirOrder() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            List<Response<Long>> lengths =
                    IntStream.range(0, 3000)
                            .mapToObj(i -> pipeline.rpush("list", "item " + i))
                            .toList();
            Response<List<String>> list = pipeline.lrange("list", 0, -1);
            pipeline.sync();
            assertEquals(
                    IntStream.rangeClosed(1, 3000).mapToObj(Long::valueOf).toList(),
                    lengths.stream().map(Response::get).toList());
            assertEquals(IntStream.range(0, 3000).mapToObj(i -> "item " + i).toList(), list.get());
        }
    }

    @Test
    void anErrorOfTheNodeStaysInItsResponseAndSyncDoesNotThrow() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            List<Response<Long>> replies = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                pipeline.set("key:" + i, i % 3 == 0 ? "text" : "5");
                replies.add(pipeline.incr("key:" + i));
            }
            pipeline.sync();
            for (int i = 0; i < 1000; i++) {
                Response<Long> reply = replies.get(i);
                if (i % 3 == 0) {
                    JedisDataException error = assertThrows(JedisDataException.class, reply::get);
                    assertEquals("ERR value is not an integer or out of range", error.getMessage());
                } else {
                    assertEquals(6, reply.get());
                }
            }
        }
    }

    @Test
    void aPipelineCanBeSyncedAgainAndAgainAndClosingSyncsTheRest() {
        Response<String> last;
        try (AbstractPipeline pipeline = redis.pipelined()) {
            pipeline.sync();
            Response<String> first = pipeline.set("a", "1");
            pipeline.sync();
            Response<Long> second = pipeline.incr("a");
            pipeline.sync();
            assertEquals("OK", first.get());
            assertEquals(2, second.get());
            last = pipeline.get("a");
        }
        assertEquals("2", last.get());
    }

    @Test
    void aPipelineHoldsNoConnectionUntilItIsSynced() {
        try (OneHopClient narrow = nodes.client("pool_size: 1", "timeout: 30000");
                AbstractPipeline one = narrow.pipelined();
                AbstractPipeline other = narrow.pipelined()) {
            IntStream.range(0, 100).forEach(i -> one.set("key:" + i, "one"));
            IntStream.range(0, 100).forEach(i -> other.set("key:" + i, "other"));
            assertEquals(0, narrow.exists(Nodes.keys(100)));
            other.sync();
            one.sync();
            assertEquals("one", narrow.get("key:3"));
        }
    }

    @Test
    void aMillionSmallCommandsPassThroughTheWindow() {
        int count = 1_000_000;
        try (AbstractPipeline pipeline = redis.pipelined()) {
            List<Response<Long>> replies = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                replies.add(pipeline.incr("count:" + i % 1000));
            }
            pipeline.sync();
            for (int i = 0; i < count; i++) {
                assertEquals(i / 1000 + 1, replies.get(i).get());
            }
        }
    }

    @Test
    void valuesOfEverySizeAroundTheBuffersComeBackWhole() {
        List<Integer> sizes = new ArrayList<>(List.of(0, 1, 4_194_303, 8_388_608, 40_000_000));
        for (int power : new int[] {12, 13, 14, 15, 16, 17}) {
            IntStream.rangeClosed(-40, 4).forEach(near -> sizes.add((1 << power) + near));
        }
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Random random = new Random(7);
            List<byte[]> values = new ArrayList<>();
            List<Response<byte[]>> replies = new ArrayList<>();
            for (int i = 0; i < sizes.size(); i++) {
                byte[] value = new byte[sizes.get(i)];
                random.nextBytes(value);
                values.add(value);
                byte[] key = ("value:" + i).getBytes(StandardCharsets.UTF_8);
                pipeline.set(key, value);
                replies.add(pipeline.get(key));
            }
            pipeline.sync();
            for (int i = 0; i < sizes.size(); i++) {
                assertTrue(
                        Arrays.equals(values.get(i), replies.get(i).get()), "size " + sizes.get(i));
            }
        }
    }

    @Test
    void largeValuesOfASingleCommandComeBackWhole() {
        byte[] key = "large".getBytes(StandardCharsets.UTF_8);
        byte[] value = new byte[50_000_000];
        new Random(3).nextBytes(value);
        assertEquals("OK", redis.set(key, value));
        assertTrue(Arrays.equals(value, redis.get(key)));
    }

    @Test
    void nestedAndEmptyRepliesAreDecodedAsJedisDoes() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            pipeline.rpush("l", "a", "");
            Response<List<String>> list = pipeline.lrange("l", 0, -1);
            Response<List<String>> none = pipeline.lrange("missing", 0, -1);
            Response<Object> nested = pipeline.eval("return {1, {2, {3, 'deep'}}, {}}", 1, "l");
            Response<String> empty = pipeline.lindex("l", 1);
            pipeline.sync();
            assertEquals(List.of("a", ""), list.get());
            assertEquals(List.of(), none.get());
            assertEquals(List.of(1L, List.of(2L, List.of(3L, "deep")), List.of()), nested.get());
            assertEquals("", empty.get());
        }
    }

    @Test
    void argumentsThatTheCallerBuiltAreRoutedByTheTable() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<Object> set =
                    pipeline.sendCommand(
                            new CommandArguments(Command.SET).key("made").add("by hand"));
            Response<Object> plain = pipeline.sendCommand(Command.SET, "plain", "words");
            assertThrows(
                    Unsupported.class,
                    () ->
                            pipeline.sendCommand(
                                    () -> "INVENTED".getBytes(StandardCharsets.UTF_8),
                                    "made",
                                    "words"));
            assertThrows(
                    Unsupported.class,
                    () -> pipeline.sendCommand(new CommandArguments(Command.GET)),
                    "no key");
            pipeline.sync();
            assertEquals("OK", new String((byte[]) set.get(), StandardCharsets.UTF_8));
            assertEquals("OK", new String((byte[]) plain.get(), StandardCharsets.UTF_8));
        }
        assertEquals("by hand", redis.get("made"));
        assertEquals("words", redis.get("plain"));
    }

    @Test
    void aCommandThatCannotBeEncodedLeavesThePipelineUnchanged() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> before = pipeline.set("before", "1");
            assertThrows(IllegalArgumentException.class, () -> pipeline.set("key", (String) null));
            assertThrows(IllegalArgumentException.class, () -> pipeline.get((String) null));
            assertThrows(IllegalArgumentException.class, () -> pipeline.mset("a", "1", "b", null));
            Response<String> after = pipeline.set("after", "2");
            pipeline.sync();
            assertEquals("OK", before.get());
            assertEquals("OK", after.get());
        }
        assertEquals(0, redis.exists("a", "b"));
    }

    @Test
    void theNodesWorkAtTheSameTime() {
        CyclicBarrier everybodyHasHisCommand = new CyclicBarrier(3);
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    for (String key = talk.command().get(1);
                            key != null;
                            key = talk.command().get(1)) {
                        await(everybodyHasHisCommand);
                        talk.bulk("value of " + key);
                    }
                };
        try (ScriptedNode a = ScriptedNode.start(script);
                ScriptedNode b = ScriptedNode.start(script);
                ScriptedNode c = ScriptedNode.start(script);
                OneHopClient client =
                        Nodes.clientOf(Stream.of(a.server(), b.server(), c.server()))) {
            String[] keys =
                    Stream.of(a, b, c)
                            .map(node -> Nodes.keyOn(client, node.node()))
                            .toArray(String[]::new);
            try (AbstractPipeline pipeline = client.pipelined()) {
                List<Response<String>> replies = Stream.of(keys).map(pipeline::get).toList();
                // The nodes wait for each other: if they were asked one after the other, the
                // deadline would pass.
                pipeline.sync();
                assertEquals("value of " + keys[2], replies.get(2).get());
            }
        }
    }

    private static void await(CyclicBarrier barrier) throws IOException {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException failure) {
            throw new IOException(failure);
        }
    }

    @Test
    void syncAndReturnAllReturnsTheValuesOfTheResponsesAndErrorsAsElements() {
        OneHopPipeline pipeline = redis.pipelined();
        assertEquals(List.of(), pipeline.syncAndReturnAll());
        pipeline.set("key", "text");
        pipeline.incr("key");
        pipeline.get("key");
        pipeline.hgetAll("nothing");
        List<Object> replies = pipeline.syncAndReturnAll();
        assertEquals("OK", replies.get(0));
        assertTrue(replies.get(1) instanceof JedisDataException, String.valueOf(replies.get(1)));
        assertEquals(List.of("text", Map.of()), replies.subList(2, 4));
        assertEquals(List.of(), pipeline.syncAndReturnAll());
    }

    /* ---- Nodes that stop reading ---- */

    /** Answers every command with its key, followed by so many bytes. */
    private static ScriptedNode.Script answering(int bytes) {
        String tail = "y".repeat(bytes);
        return talk -> {
            talk.handshake();
            for (List<String> command : talk.commands()) {
                talk.bulk(command.get(1) + tail);
            }
        };
    }

    private static void roundTrip(int commands, int requestBytes, int replyBytes) {
        ScriptedNode.Script script = answering(replyBytes);
        try (ScriptedNode one = ScriptedNode.start(script);
                ScriptedNode two = ScriptedNode.start(script);
                OneHopClient redis =
                        Nodes.clientOf(Stream.of(one.server(), two.server()), "timeout: 60000");
                AbstractPipeline pipeline = redis.pipelined()) {
            String argument = "x".repeat(requestBytes);
            List<Response<String>> replies = new ArrayList<>();
            for (int i = 0; i < commands; i++) {
                replies.add(pipeline.hget("key:" + i, argument));
            }
            pipeline.sync();
            for (int i = 0; i < commands; i++) {
                assertTrue(replies.get(i).get().startsWith("key:" + i + "y"), "reply " + i);
            }
        }
    }

    @Test
    void manySmallCommandsWithLargerRepliesCauseNoDeadlock() {
        roundTrip(40_000, 100, 1000);
    }

    @Test
    void commandsLargerThanEveryBufferWithLargeRepliesCauseNoDeadlock() {
        roundTrip(12, 6_000_000, 6_000_000);
    }

    @Test
    void aNodeNeverHasMoreUnansweredRequestsThanTheWindow() {
        AtomicLong most = new AtomicLong();
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    int commands = 0;
                    for (List<String> command : talk.commands()) {
                        if (commands++ % 500 == 0) {
                            Processes.pause(5); // Everything that was sent arrives in this time.
                            most.accumulateAndGet(talk.arrived(), Math::max);
                        }
                        talk.bulk("value");
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client("timeout: 60000");
                AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> last = null;
            for (int i = 0; i < 20_000; i++) {
                last = pipeline.get("a key of some length:" + i);
            }
            pipeline.sync();
            assertEquals("value", last.get());
            assertTrue(most.get() > 20_000, "the node had work: " + most);
            assertTrue(most.get() <= 131_072, "unanswered bytes: " + most);
        }
    }
}
