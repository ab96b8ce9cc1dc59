package io.onehop.jedis;

import static io.onehop.jedis.Callers.holdsSoon;
import static io.onehop.jedis.Inspected.assertNothingLeased;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.batch.ReplySink;
import io.onehop.jedis.internal.batch.StreamsWait;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.params.XReadParams;
import redis.clients.jedis.resps.StreamEntry;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Blocking commands may take longer than the timeout, but not longer than their own. They never
 * lose an entry.
 */
class BlockingTest {
    private static final int TIMEOUT_MS = 1000; // Long enough for a busy machine to answer.

    @RegisterExtension
    static final SharedNodes SHARED =
            SharedNodes.start(3, "timeout: " + TIMEOUT_MS, "hash_tag: \"{}\"");

    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    private static <T> FutureTask<T> begun(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "waiting");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Clients that block on any node. */
    private static long blocked() {
        return nodes.servers().stream()
                .mapToLong(
                        server -> {
                            try (Jedis jedis = server.jedis()) {
                                return jedis.info("clients")
                                        .lines()
                                        .filter(line -> line.startsWith("blocked_clients:"))
                                        .mapToLong(
                                                line -> Long.parseLong(line.substring(16).trim()))
                                        .sum();
                            }
                        })
                .sum();
    }

    /* ---- One node ---- */

    @Test
    void aWaitMayTakeLongerThanTheTimeout() throws Exception {
        FutureTask<List<String>> popped = begun(() -> redis.blpop(10, "list"));
        assertTrue(holdsSoon(() -> blocked() == 1));
        Thread.sleep(2 * TIMEOUT_MS);
        redis.rpush("list", "value");
        assertEquals(List.of("list", "value"), popped.get(5, TimeUnit.SECONDS));
    }

    @Test
    @SuppressWarnings("deprecation")
    void aWaitForEverEndsWhenSomethingComes() throws Exception {
        List<FutureTask<?>> waits =
                List.of(
                        begun(() -> redis.blpop(0, "list1")),
                        begun(() -> redis.bzpopmin(0, "sorted")),
                        begun(() -> redis.sendCommand(Command.BRPOP, "list2", "0")),
                        begun(
                                () ->
                                        redis.xread(
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
            assertFalse(wait.get(5, TimeUnit.SECONDS) == null);
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
    void aHungNodeIsWaitedForDuringTheCommandsTimeoutPlusThePools() {
        try (ScriptedNode node = ScriptedNode.start(talk -> talk.handshake().awaitClose());
                OneHopClient client = Inspected.clientOf(node, "timeout: 1500")) {
            long begin = System.nanoTime();
            assertTrue(
                    assertThrows(DeadlineExceeded.class, () -> client.blpop(1, "list"))
                            .mayHaveExecuted());
            assertTrue(System.nanoTime() - begin >= 2_500_000_000L);
        }
    }

    @Test
    void aNodeThatDoesNotAcceptIsNotWaitedForDuringTheCommandsTimeout() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient client = Inspected.clientOf(node, "timeout: 200")) {
            assertFalse(
                    assertThrows(DeadlineExceeded.class, () -> client.blpop(0, "list"))
                            .mayHaveExecuted());
        }
    }

    @Test
    void anInterruptEndsAWaitForEver() throws Exception {
        List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
        Thread waiting =
                new Thread(
                        () -> {
                            try {
                                redis.blpop(0, "list");
                            } catch (RuntimeException ended) {
                                thrown.add(ended);
                            }
                        });
        waiting.start();
        assertTrue(holdsSoon(() -> blocked() == 1));
        waiting.interrupt();
        waiting.join(5000);
        assertInstanceOf(DeadlineExceeded.class, thrown.get(0));
        assertTrue(holdsSoon(() -> blocked() == 0));
    }

    @Test
    void inAPipelineWaitsOfOneNodeFollowEachOther() {
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
    void inATransactionNothingWaits() {
        try (var transaction = redis.multi()) {
            transaction.blpop(0, "list");
            assertEquals(Collections.singletonList(null), transaction.exec());
        }
    }

    /* ---- Streams on several nodes ---- */

    private static List<String> streams() {
        return nodes.servers().stream()
                .map(server -> Nodes.keyOn(redis.topology(), server.node()))
                .toList();
    }

    private static Map<String, StreamEntryID> from(List<String> streams, StreamEntryID id) {
        Map<String, StreamEntryID> all = new LinkedHashMap<>();
        streams.forEach(stream -> all.put(stream, id));
        return all;
    }

    private static StreamEntryID add(String stream, String value) {
        return redis.xadd(stream, StreamEntryID.NEW_ENTRY, Map.of("value", value));
    }

    @Test
    void theFirstNodeThatHasEntriesEndsTheWaitOfAll() throws Exception {
        for (String stream : streams()) {
            FutureTask<List<Map.Entry<String, List<StreamEntry>>>> read =
                    begun(
                            () ->
                                    redis.xread(
                                            XReadParams.xReadParams().block(0),
                                            from(streams(), StreamEntryID.XREAD_NEW_ENTRY)));
            assertTrue(holdsSoon(() -> blocked() == 3));
            Thread.sleep(TIMEOUT_MS + 100);
            add(stream, "news");
            List<Map.Entry<String, List<StreamEntry>>> entries = read.get(5, TimeUnit.SECONDS);
            assertEquals(1, entries.size());
            assertEquals(stream, entries.get(0).getKey());
            assertEquals(0, blocked());
            assertNothingLeased(redis);
        }
    }

    @Test
    void entriesThatExistAreReturnedInTheCallersOrderWithoutAWait() {
        List<String> streams = new ArrayList<>(streams());
        Collections.reverse(streams);
        streams.forEach(stream -> add(stream, "old"));
        List<String> all =
                redis
                        .xread(
                                XReadParams.xReadParams().block(60_000),
                                from(streams, new StreamEntryID()))
                        .stream()
                        .map(Map.Entry::getKey)
                        .toList();
        assertTrue(!all.isEmpty() && streams.containsAll(all), all.toString());
        assertEquals(all, streams.stream().filter(all::contains).toList());
    }

    @Test
    void withoutAnyEntryTheReplyIsNil() {
        assertNull(
                redis.xread(
                        XReadParams.xReadParams().block(50), from(streams(), new StreamEntryID())));
        assertNull(redis.xread(XReadParams.xReadParams(), from(streams(), new StreamEntryID())));
    }

    @Test
    void anErrorOfOneNodeEndsTheWaitOfAllAndIsThrown() {
        redis.set(streams().get(1), "no stream");
        assertTrue(
                assertThrows(
                                JedisDataException.class,
                                () ->
                                        redis.xread(
                                                XReadParams.xReadParams().block(0),
                                                from(streams(), new StreamEntryID())))
                        .getMessage()
                        .startsWith("WRONGTYPE"));
        assertEquals(0, blocked());
    }

    @Test
    void inAPipelineItIsRefused() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            assertThrows(
                    Unsupported.class,
                    () ->
                            pipeline.xread(
                                    XReadParams.xReadParams().block(10),
                                    from(streams(), new StreamEntryID())));
            Response<?> alone =
                    pipeline.xread(
                            XReadParams.xReadParams().block(10),
                            from(streams().subList(0, 1), new StreamEntryID()));
            pipeline.sync();
            assertNull(alone.get());
        }
    }

    @Test
    void everyEntryThatAWriterAddsIsDeliveredToTheGroupOnce() throws Exception {
        List<String> streams = streams();
        streams.forEach(
                stream ->
                        redis.xgroupCreate(stream, "group", StreamEntryID.XGROUP_LAST_ENTRY, true));
        int each = 400;
        FutureTask<Object> writer =
                begun(
                        () -> {
                            for (int i = 0; i < each; i++) {
                                for (String stream : streams) {
                                    add(stream, "value");
                                }
                            }
                            return null;
                        });
        Map<String, Set<StreamEntryID>> seen = new HashMap<>();
        streams.forEach(stream -> seen.put(stream, new HashSet<>()));
        while (seen.values().stream().mapToInt(Set::size).sum() < each * streams.size()) {
            boolean isWritten = writer.isDone(); // Until then it may pause on a busy machine.
            List<Map.Entry<String, List<StreamEntry>>> read =
                    redis.xreadGroup(
                            "group",
                            "consumer",
                            XReadGroupParams.xReadGroupParams().block(2000).count(1).noAck(),
                            from(streams, StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY));
            assertFalse(
                    read == null && isWritten,
                    () -> "lost: " + seen.values().stream().mapToInt(Set::size).sum());
            if (read == null) {
                continue;
            }
            read.forEach(
                    stream ->
                            stream.getValue()
                                    .forEach(
                                            entry ->
                                                    assertTrue(
                                                            seen.get(stream.getKey())
                                                                    .add(entry.getID()))));
        }
        writer.get(5, TimeUnit.SECONDS);
    }

    @Test
    void itWorksWithOneConnectionPerNode() throws Exception {
        for (String stream : streams()) {
            add(stream, "before"); // So that the adding client has its connections.
        }
        Map<RedisServer, Long> before = new HashMap<>();
        nodes.servers().forEach(server -> before.put(server, server.clients()));
        try (OneHopClient narrow =
                nodes.client("timeout: 2000", "hash_tag: \"{}\"", "pool_size: 1")) {
            FutureTask<?> read =
                    begun(
                            () ->
                                    narrow.xread(
                                            XReadParams.xReadParams().block(0),
                                            from(streams(), StreamEntryID.XREAD_NEW_ENTRY)));
            assertTrue(holdsSoon(() -> blocked() == 3));
            add(streams().get(2), "news");
            assertFalse(read.get(5, TimeUnit.SECONDS) == null);
            assertNothingLeased(narrow);
        }
        for (RedisServer server : nodes.servers()) {
            assertTrue(holdsSoon(() -> blocked() == 0 && server.clients() <= before.get(server)));
        }
    }

    @Test
    void aLostNodeEndsTheWaitAndWhatArrivedIsReturned() throws Exception {
        List<RedisServer> own = List.of(RedisServer.start(), RedisServer.start());
        try (OneHopClient client =
                Nodes.clientOf(
                        Nodes.configOf(own.stream().map(RedisServer::server), "timeout: 1000"))) {
            List<String> streams =
                    own.stream()
                            .map(server -> Nodes.keyOn(client.topology(), server.node()))
                            .toList();
            FutureTask<?> read =
                    begun(
                            () ->
                                    client.xread(
                                            XReadParams.xReadParams().block(0),
                                            from(streams, StreamEntryID.XREAD_NEW_ENTRY)));
            assertTrue(holdsSoon(() -> own.stream().allMatch(server -> server.clients() == 1)));
            Thread.sleep(100);
            own.get(1).close();
            Throwable failure =
                    assertThrows(ExecutionException.class, () -> read.get(5, TimeUnit.SECONDS))
                            .getCause();
            assertEquals(
                    own.get(1).node(), assertInstanceOf(PartialBatch.class, failure).getNode());
            assertInstanceOf(NodeDown.class, failure.getCause());
            assertNothingLeased(client);
            assertThrows(
                    OneHopException.class,
                    () ->
                            client.xread(
                                    XReadParams.xReadParams().block(0),
                                    from(streams, StreamEntryID.XREAD_NEW_ENTRY)));
            assertNothingLeased(client);
        } finally {
            own.forEach(RedisServer::close);
        }
    }

    @Test
    void anErrorOnTheWayLeavesNoConnectionLeased() {
        StreamsWait wait = new StreamsWait(TIMEOUT_MS, TIMEOUT_MS);
        for (int node = 0; node < 3; node++) {
            wait.add(
                    node,
                    Inspected.pools(redis)[node],
                    new CommandArguments(Command.XREAD)
                            .add("BLOCK")
                            .add(1)
                            .add("STREAMS")
                            .add("stream")
                            .add("0"),
                    new ReplySink() {
                        @Override
                        public boolean take(Object reply) {
                            throw new StackOverflowError();
                        }

                        @Override
                        public void fail(OneHopException failure) {
                            // Nothing takes the reply: the Error ends the call.
                        }
                    });
        }
        assertThrows(StackOverflowError.class, wait::run);
        assertNothingLeased(redis);
    }

    @Test
    void aNodeThatHangsIsNotWaitedForBeyondTheDeadline() {
        ScriptedNode.Script hangs = talk -> talk.handshake().awaitClose();
        try (ScriptedNode one = ScriptedNode.start(hangs);
                ScriptedNode two = ScriptedNode.start(hangs);
                OneHopClient client = Inspected.clientOf(Stream.of(one, two), "timeout: 300")) {
            Map<String, StreamEntryID> both =
                    from(
                            Stream.of(one, two)
                                    .map(node -> Nodes.keyOn(client.topology(), node.node()))
                                    .toList(),
                            new StreamEntryID());
            assertThrows(
                    DeadlineExceeded.class,
                    () -> client.xread(XReadParams.xReadParams().block(100), both));
            assertNothingLeased(client);
        }
    }

    @Test
    void aNodeThatFoundNoBlockedClientIsAskedAgain() {
        ScriptedNode.Script late =
                talk -> {
                    talk.handshake();
                    for (List<String> command = talk.command();
                            command != null;
                            command = talk.command()) {
                        switch (command.get(0) + " " + command.get(1)) {
                            case "CLIENT ID" -> talk.send(":7\r\n");
                            case "CLIENT UNBLOCK" ->
                                    talk.send(talk.number() == 2 ? ":0\r\n" : ":1\r\n");
                            default -> {
                                Processes.pause(100);
                                talk.send("*-1\r\n");
                            }
                        }
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(late);
                RedisServer server = RedisServer.start();
                OneHopClient client =
                        Nodes.clientOf(
                                Nodes.configOf(
                                        Stream.of(node.server(), server.server()),
                                        "timeout: 2000"))) {
            String here = Nodes.keyOn(client.topology(), server.node());
            client.xadd(here, StreamEntryID.NEW_ENTRY, Map.of("field", "value"));
            List<Map.Entry<String, List<StreamEntry>>> read =
                    client.xread(
                            XReadParams.xReadParams().block(0),
                            from(
                                    List.of(Nodes.keyOn(client.topology(), node.node()), here),
                                    new StreamEntryID()));
            assertEquals(here, read.get(0).getKey());
            assertNothingLeased(client);
        }
    }
}
