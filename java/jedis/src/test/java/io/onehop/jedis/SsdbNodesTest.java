package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.params.SetParams;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * SSDB nodes and the client. Commands arrive at the node in SSDB's form, and refused commands do
 * not arrive. The nodes are scripted to answer like SSDB 1.9.8. Replies of a real SSDB are in the
 * vectors, which java/core checks.
 */
@SuppressWarnings("deprecation") // Programs call zrangeByScore and sendCommand, so these must work.
class SsdbNodesTest {
    private final List<List<String>> sent = new CopyOnWriteArrayList<>();
    private final List<ScriptedNode> nodes = new ArrayList<>();
    private OneHopClient redis;

    @BeforeEach
    void start() {
        for (int i = 0; i < 3; i++) {
            nodes.add(ScriptedNode.start(this::serve));
        }
        redis = client(nodes.stream().map(ScriptedNode::server));
    }

    private static OneHopClient client(Stream<String> servers) {
        return Nodes.clientOf(Nodes.configOf(servers, "engine: ssdb"));
    }

    @AfterEach
    void stop() {
        redis.close();
        nodes.forEach(ScriptedNode::close);
    }

    private void serve(ScriptedNode.Talk talk) throws java.io.IOException {
        for (List<String> command : talk.commands()) {
            if (!command.get(0).equals("VERSION")) {
                sent.add(command);
            }
            talk.send(answer(command));
        }
    }

    private static String answer(List<String> command) {
        return switch (command.get(0)) {
            case "VERSION" -> "*1\r\n$5\r\n1.9.8\r\n";
            case "EXISTS", "SETNX", "ZCARD", "LLEN" -> ":0\r\n";
            case "DEL", "HLEN", "ZADD" -> ":1\r\n";
            case "hclear", "hsize" -> "*1\r\n$1\r\n3\r\n";
            case "zclear", "qclear" -> "*1\r\n$1\r\n0\r\n";
            case "multi_hset" -> command.get(1).equals("strange") ? "+OK\r\n" : "*1\r\n$1\r\n2\r\n";
            case "qpop_front" -> "*0\r\n";
            case "ZCOUNT" -> ":4\r\n";
            case "GET" -> "$1\r\nv\r\n";
            default -> "+OK\r\n";
        };
    }

    @Test
    void commandsArriveInTheFormOfSsdb() {
        assertEquals("OK", redis.set("k", "v", SetParams.setParams().ex(100)));
        assertNull(redis.set("k", "v", SetParams.setParams().nx()));
        assertEquals(2, redis.hset("h", Map.of("a", "1", "b", "2")));
        assertNull(redis.lpop("l", 2));
        assertEquals(1, redis.zadd("z", 1.7515E12, "m"));
        assertEquals(4, redis.zcount("z", "(1", "2.5"));
        assertEquals(List.of("SETEX", "k", "100", "v"), sent.get(0));
        assertEquals(List.of("SETNX", "k", "v"), sent.get(1));
        assertEquals("multi_hset", sent.get(2).get(0));
        assertEquals(List.of("qpop_front", "l", "2"), sent.get(3));
        assertEquals(List.of("ZADD", "z", "1751500000000", "m"), sent.get(4));
        assertEquals(List.of("ZCOUNT", "z", "2", "2"), sent.get(5));
    }

    @Test
    void theRepliesOfSeveralCommandsForOneKeyBecomeOneReply() {
        assertEquals(20, redis.del(Nodes.keys(20)));
        assertEquals(100, sent.size());
        assertEquals(1, redis.exists("h") ? 1 : 0);
    }

    @Test
    void anEmptyRangeSendsNothing() {
        assertEquals(0, redis.zcount("z", "2", "1"));
        assertEquals(List.of(), redis.zrangeByScore("z", "(1", "(2"));
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<Long> none = pipeline.zcount("z", 2, 1);
            Response<String> value = pipeline.get("k");
            pipeline.sync();
            assertEquals(0, none.get());
            assertEquals("v", value.get());
        }
        assertEquals(List.of(List.of("GET", "k")), sent);
    }

    @Test
    void refusedCommandsReachNoNode() {
        String[] pairs =
                Stream.concat(Stream.of(Nodes.keys(20)), Stream.of("v", "v", "k".repeat(256), "v"))
                        .toArray(String[]::new);
        assertReason("1 to 255 bytes", () -> redis.mset(pairs));
        assertReason(
                "no lock can be taken",
                () -> redis.set("k", "v", SetParams.setParams().nx().ex(10)));
        assertReason("SSDB has no such command", () -> redis.sadd("s", "a"));
        assertReason("whole numbers", () -> redis.zadd("z", 1.5, "m"));
        assertReason("bytes on disk", redis::dbSize);
        assertReason("not a cursor", () -> redis.scan("0"));
        assertReason("no subscriptions", () -> redis.subscribe(new JedisPubSub() {}, "news"));
        assertReason("SSDB", () -> redis.multi().set("k", "v"));
        try (AbstractPipeline pipeline = redis.pipelined()) {
            assertReason("1 to 255 bytes", () -> pipeline.mset(pairs));
        }
        assertEquals(List.of(), sent);
    }

    private static void assertReason(String reason, Runnable call) {
        Unsupported refused = assertThrows(Unsupported.class, call::run);
        assertSays(reason, refused);
    }

    @Test
    void ssdbsOwnCommandsAreSentByRawCalls() {
        assertEquals(List.of("3"), texts(redis.sendCommand(() -> "hsize".getBytes(), "h")));
        assertEquals(
                3,
                redis.onEachNode(new CommandArguments(() -> "hsize".getBytes()).add("h")).size());
        assertReason("SSDB", () -> redis.sendCommand(Command.EVAL, "return 0", "1", "k"));
    }

    private static List<String> texts(Object reply) {
        return ((List<?>) reply).stream().map(text -> new String((byte[]) text)).toList();
    }

    @Test
    void aReplyThatSsdbDoesNotSendEndsTheConnection() {
        Map<String, String> two = Map.of("a", "1", "b", "2");
        assertThrows(ProtocolViolation.class, () -> redis.hset("strange", two));
        int before = nodes.stream().mapToInt(ScriptedNode::connections).sum();
        assertEquals(2, redis.hset("strange-no-more", two));
        assertThrows(ProtocolViolation.class, () -> redis.hset("strange", two));
        assertTrue(nodes.stream().mapToInt(ScriptedNode::connections).sum() > before);
    }

    @Test
    void redisIsNotMistakenForSsdb() {
        try (RedisServer server = RedisServer.start();
                OneHopClient wrong = client(Stream.of(server.server()))) {
            ConfigInvalid refused = assertThrows(ConfigInvalid.class, () -> wrong.get("k"));
            assertSays("not SSDB", refused);
        }
    }

    @Test
    void ssdbsCommandsAreNotSentToRedis() {
        try (RedisServer server = RedisServer.start();
                OneHopClient other = server.client()) {
            assertReason("only SSDB", () -> other.sendCommand(() -> "hclear".getBytes(), "h"));
        }
    }
}
