package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.CommandModule;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Response;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** If the table does not have a command, a node describes the command, once for each client. */
@SuppressWarnings("deprecation") // Deprecated methods must work, too.
class LearntCommandsTest {
    private static List<RedisServer> servers;

    private OneHopClient redis;
    private String a;
    private String b;
    private String c;
    private long infoBefore;
    private long getkeysBefore;

    @BeforeAll
    static void start() {
        servers =
                Stream.generate(() -> RedisServer.start(CommandModule.options())).limit(3).toList();
    }

    @AfterAll
    static void stop() {
        servers.forEach(RedisServer::close);
    }

    @BeforeEach
    void connect() {
        redis =
                Nodes.clientOf(
                        servers.stream().map(RedisServer::server),
                        "hash_tag: \"{}\"",
                        "pool_size: 1");
        a = Nodes.keyOn(redis, servers.get(0).node());
        b = Nodes.keyOn(redis, servers.get(1).node());
        c = Nodes.keyOn(redis, servers.get(2).node());
        redis.flushAll();
        asked();
    }

    @AfterEach
    void close() {
        Inspected.assertNothingLeased(redis);
        redis.close();
    }

    /**
     * How often the nodes were asked for descriptions and for keys since the last call of this
     * method.
     */
    private String asked() {
        long info = servers.stream().mapToLong(server -> server.calls("command|info")).sum();
        long getkeys = servers.stream().mapToLong(server -> server.calls("command|getkeys")).sum();
        String told = "info " + (info - infoBefore) + ", getkeys " + (getkeys - getkeysBefore);
        infoBefore = info;
        getkeysBefore = getkeys;
        return told;
    }

    static CommandArguments words(String line) {
        String[] words = line.split(" ");
        CommandArguments arguments =
                new CommandArguments(() -> words[0].getBytes(StandardCharsets.UTF_8));
        Arrays.stream(words).skip(1).forEach(arguments::add);
        return arguments;
    }

    static Object text(Object reply) {
        return reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : reply;
    }

    static Object sent(OneHopClient redis, String line) {
        return text(redis.executeCommand(words(line)));
    }

    private Object sent(String line) {
        return sent(redis, line);
    }

    private List<String> values() {
        return Stream.of(a, b, c).map(redis::get).toList();
    }

    /* ---- Served ---- */

    @Test
    void aNodeIsAskedOnceAndTheCommandIsSentToTheNodeOfItsKey() {
        long before = accepted();
        assertEquals("OK", sent("onehop.set " + a + " A"));
        assertEquals("info 1, getkeys 0", asked());
        sent("ONEHOP.SET " + b + " B");
        redis.sendCommand(() -> "Onehop.Set".getBytes(StandardCharsets.UTF_8), c, "C");
        assertEquals("info 0, getkeys 0", asked());
        assertEquals(List.of("A", "B", "C"), values());
        assertEquals(
                List.of("A", "B", "C"),
                Stream.of(a, b, c).map(key -> sent("onehop.get " + key)).toList());
        assertEquals("info 1, getkeys 0", asked());
        // Each question of this test opens a connection, which counts, too.
        long own = 3 * 2 * 3 + 3;
        assertEquals(before + own, accepted());
    }

    private static long accepted() {
        return servers.stream()
                .mapToLong(server -> server.number("stats", "total_connections_received"))
                .sum();
    }

    @Test
    void aLearntCommandMayBeInAPipelineOrATransaction() {
        try (OneHopPipeline pipeline = redis.pipelined()) {
            pipeline.sendCommand(words("onehop.set " + a + " 1"));
            pipeline.set(b, "2");
            Response<Object> first = pipeline.sendCommand(words("onehop.get " + a));
            Response<Object> count = pipeline.sendCommand(words("onehop.count 1 " + b));
            Response<Object> size = pipeline.sendCommand(words("onehop.size"));
            pipeline.sync();
            assertEquals("1", text(first.get()));
            assertEquals(1L, count.get());
            assertEquals(2L, size.get());
        }
        assertEquals("info 4, getkeys 0", asked());
        try (AbstractTransaction transaction = redis.multi()) {
            transaction.sendCommand(words("onehop.set " + c + " 3"));
            transaction.sendCommand(words("onehop.box put " + c + " 4"));
            transaction.sendCommand(words("onehop.last 5 " + c));
            transaction.get(c);
            assertEquals("5", transaction.exec().get(3));
        }
        assertEquals("info 2, getkeys 1", asked());
    }

    @Test
    void theConnectionOfATransactionIsNotUsedToAskForADescription() {
        // The client has one connection to each node, and one of the nodes is asked.
        for (String key : List.of(a, b, c)) {
            try (AbstractTransaction transaction = redis.transaction(false)) {
                transaction.watch(key);
                Response<Object> set = transaction.sendCommand(words("onehop.last 1 " + key));
                assertEquals("OK", text(set.get()));
                transaction.multi();
                transaction.sendCommand(words("onehop.last 2 " + key));
                assertNull(transaction.exec()); // The first command has changed the watched key.
            }
            assertEquals("1", redis.get(key));
        }
        assertEquals("info 1, getkeys 6", asked());
    }

    @Test
    void ifOnlyTheNodeCanFindTheKeysItIsAskedForThemBeforeEachCall() {
        assertEquals("OK", sent("onehop.last X " + b));
        try (OneHopPipeline pipeline = redis.pipelined()) {
            pipeline.sendCommand(words("onehop.last Y " + c));
            assertEquals("OK", text(pipeline.syncAndReturnAll().get(0)));
        }
        assertEquals(Arrays.asList(null, "X", "Y"), values());
        assertEquals("info 1, getkeys 2", asked());
        Unsupported refused = assertThrows(Unsupported.class, () -> sent("onehop.last"));
        assertBegins("The node cannot find the keys of \"onehop.last\": ERR ", refused);
    }

    @Test
    void allKeysOfALearntCommandMustBeOnOneNode() {
        redis.set(a, "1");
        assertEquals(2L, sent("onehop.count 2 " + a + " " + a));
        assertThrows(CrossNode.class, () -> sent("onehop.count 2 " + a + " " + b));
        assertRefused(
                "onehop.count x k",
                "ONEHOP.COUNT is not supported, server pool alpha: the command was not sent; it is"
                        + " malformed: its key count is not a number");
    }

    @Test
    void allNodesAnswerALearntCommandThatIsForAllNodes() {
        Stream.of(a, b, c).forEach(key -> redis.set(key, "1"));
        assertEquals(3L, sent("onehop.size"));
    }

    @Test
    void threadsThatAskTogetherGetTheSameAnswer() throws Exception {
        int count = 16;
        ExecutorService threads = Executors.newFixedThreadPool(count);
        CyclicBarrier start = new CyclicBarrier(count);
        Callable<Object> call =
                () -> {
                    start.await();
                    return sent("onehop.set " + b + " 1");
                };
        try {
            for (Future<Object> each :
                    threads.invokeAll(IntStream.range(0, count).mapToObj(i -> call).toList())) {
                assertEquals("OK", each.get());
            }
        } finally {
            threads.shutdown();
        }
        asked();
        sent("onehop.set " + a + " 1");
        assertEquals("info 0, getkeys 0", asked());
    }

    /* ---- Refused ---- */

    private void assertRefused(String line, String message) {
        Unsupported refused = assertThrows(Unsupported.class, () -> sent(line));
        assertEquals(message, refused.getMessage());
        assertFalse(refused.mayHaveExecuted());
    }

    private void assertDenied(String line, String name) {
        assertRefused(
                line,
                "Neither OneHop nor the node knows the command \""
                        + name
                        + "\", server pool alpha: the command was not sent; check its name, and"
                        + " that every node has loaded its module");
    }

    @Test
    void aCommandThatCannotBeServedIsRefusedWithTheReason() {
        String where = " is not supported, server pool alpha: the command was not sent; ";
        String withoutKey =
                "according to the node, it has no key, so OneHop cannot tell which nodes to use;"
                        + " send it with onNode() or onEachNode()";
        assertRefused("onehop.plain", "ONEHOP.PLAIN" + where + withoutKey);
        assertRefused("onehop.box", "ONEHOP.BOX" + where + withoutKey);
        assertRefused(
                "onehop.wait k",
                "ONEHOP.WAIT"
                        + where
                        + "according to the node, it may block, and OneHop cannot tell for how"
                        + " long; send it with onNode() or onEachNode()");
        assertRefused(
                "onehop.listen c",
                "ONEHOP.LISTEN"
                        + where
                        + "according to the node, it changes its connection, and connections are"
                        + " shared; send it with onNode() or onEachNode()");
        assertDenied("onehop.box take k", "onehop.box take");
        assertDenied("client nosuch", "client nosuch");
        assertDenied("no.such k", "no.such");
        assertDenied("no.such k", "no.such"); // The client remembers the answer for some seconds.
        assertEquals("info 7, getkeys 0", asked());
        assertRefused(
                "xgroup",
                "XGROUP"
                        + where
                        + "OneHop does not know this subcommand; send it to nodes of your choice"
                        + " with onNode() or onEachNode()");
        assertRefused(
                "ft.new i",
                "FT.NEW"
                        + where
                        + "each node indexes its own keys only; create the index with onEachNode(),"
                        + " and merge the nodes' answers yourself");
        assertThrows(Unsupported.class, () -> sent("no\u00e4me k"));
        assertEquals("info 0, getkeys 0", asked());
    }

    @Test
    void aRefusalSpoilsTheTransaction() {
        try (AbstractTransaction transaction = redis.multi()) {
            transaction.set(a, "1");
            assertThrows(Unsupported.class, () -> transaction.sendCommand(words("no.such " + a)));
            Unsupported discarded = assertThrows(Unsupported.class, transaction::exec);
            assertBegins("The transaction was discarded because one of its calls", discarded);
        }
        assertNull(redis.get(a));
    }

    /* ---- A module that is unloaded ---- */

    @Test
    void aDescriptionIsForgottenWhenANodeDoesNotKnowTheCommandAnyMore() {
        try (RedisServer server = RedisServer.start(CommandModule.options());
                OneHopClient redis = server.client()) {
            for (boolean isPipelined : List.of(false, true)) {
                sent(redis, "onehop.set k 1");
                // redis 8 crashes if a module is unloaded whose command was the last one of a
                // connection.
                redis.exists("k");
                long before = server.calls("command|info");
                server.ask(jedis -> jedis.sendCommand(named("module"), "unload", "onehop"));
                if (isPipelined) {
                    try (OneHopPipeline pipeline = redis.pipelined()) {
                        pipeline.sendCommand(words("onehop.set k 1"));
                        assertTrue(
                                pipeline.syncAndReturnAll().get(0) instanceof JedisDataException);
                    }
                } else {
                    assertThrows(JedisDataException.class, () -> sent(redis, "onehop.set k 1"));
                }
                assertEquals(before, server.calls("command|info"));
                server.ask(
                        jedis ->
                                jedis.sendCommand(
                                        named("module"), "load", CommandModule.options()[1]));
                assertEquals("OK", sent(redis, "onehop.set k 1"));
                assertEquals(before + 1, server.calls("command|info"));
            }
        }
    }

    static ProtocolCommand named(String name) {
        return () -> name.getBytes(StandardCharsets.UTF_8);
    }
}
