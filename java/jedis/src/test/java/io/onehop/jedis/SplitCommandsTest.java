package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.onehop.core.ErrorKind;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.MSetExParams;
import redis.clients.jedis.params.ZRangeParams;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * MGET, MSET, DEL, UNLINK, TOUCH and EXISTS over several nodes answer as one server would. For
 * every other command all keys must be on one node.
 */
class SplitCommandsTest {
    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(4);
    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    private static void writeEach(String... keys) {
        for (String key : keys) {
            redis.set(key, "value of " + key);
        }
    }

    @Test
    void mgetAnswersInTheCallersOrderWithGapsAndDuplicates() {
        writeEach(Nodes.keys(500));
        List<String> wanted = new ArrayList<>(List.of(Nodes.keys(500)));
        wanted.addAll(List.of("missing:1", "key:7", "key:7", "missing:2", "key:7"));
        Collections.shuffle(wanted, new Random(1));
        List<String> expected =
                wanted.stream()
                        .map(key -> key.startsWith("missing") ? null : "value of " + key)
                        .toList();
        assertEquals(expected, redis.mget(wanted.toArray(String[]::new)));
    }

    @Test
    void mgetOfBytesGivesBytes() {
        writeEach("a", "b");
        List<byte[]> values =
                redis.mget(
                        "a".getBytes(StandardCharsets.UTF_8), "b".getBytes(StandardCharsets.UTF_8));
        assertArrayEquals("value of b".getBytes(StandardCharsets.UTF_8), values.get(1));
    }

    @Test
    void msetWritesEveryPairAndOfEqualKeysTheLastValueCounts() {
        String[] pairs = new String[2002];
        for (int i = 0; i < 1000; i++) {
            pairs[2 * i] = "key:" + i;
            pairs[2 * i + 1] = "value of key:" + i;
        }
        pairs[2000] = "key:5";
        pairs[2001] = "the last";
        assertEquals("OK", redis.mset(pairs));
        assertEquals("the last", redis.get("key:5"));
        assertEquals("value of key:999", redis.get("key:999"));
    }

    @Test
    void countingCommandsAddUpAndCountDuplicatesAsOneNodeWould() {
        writeEach(Nodes.keys(100));
        String[] wanted = Arrays.copyOf(Nodes.keys(120), 121);
        wanted[120] = "key:3";
        assertEquals(101, redis.exists(wanted));
        assertEquals(101, redis.touch(wanted));
        assertEquals(100, redis.del(wanted));
        writeEach(Nodes.keys(100));
        assertEquals(100, redis.unlink(wanted));
        assertEquals(0, redis.exists(wanted));
    }

    @Test
    void eachKeyIsOnItsOwnNodeOnly() {
        redis.mset(Nodes.pairs(key -> "v", Nodes.keys(400)));
        long seen = 0;
        for (RedisServer server : nodes.servers()) {
            try (Jedis jedis = server.jedis()) {
                for (String key : jedis.keys("*")) {
                    assertEquals(server.node(), redis.topology().locate(key).name());
                    seen++;
                }
            }
        }
        assertEquals(400, seen);
    }

    @Test
    void aPipelineSplitsTheSameCommandsAndKeepsTheOrderOfRepliesAndElements() {
        List<String> expected =
                Arrays.stream(Nodes.keys(300)).map(key -> "value of " + key).toList();
        try (AbstractPipeline pipeline = redis.pipelined()) {
            String[] pairs = Nodes.pairs(key -> "value of " + key, Nodes.keys(300));
            Response<String> written = pipeline.mset(pairs);
            Response<List<String>> read = pipeline.mget(Nodes.keys(300));
            Response<Long> present = pipeline.exists(Nodes.keys(310));
            Response<String> single = pipeline.get("key:42");
            Response<Long> gone = pipeline.del(Nodes.keys(300));
            Response<List<String>> after = pipeline.mget("key:1", "key:2", "key:3");
            assertThrows(IllegalStateException.class, read::get);
            pipeline.sync();
            assertEquals("OK", written.get());
            assertEquals(expected, read.get());
            assertEquals(300, present.get());
            assertEquals("value of key:42", single.get());
            assertEquals(300, gone.get());
            assertEquals(Arrays.asList(null, null, null), after.get());
        }
    }

    @Test
    void anErrorReplyOfOneNodeIsTheErrorOfTheCommand() {
        String guarded = nodes.servers().get(2).node();
        String key = Nodes.keyOn(redis, guarded);
        String other = Nodes.keyOn(redis, nodes.servers().get(0).node());
        try (Jedis jedis = nodes.jedis(guarded)) {
            jedis.configSet("maxmemory", "1");
            try {
                JedisDataException error =
                        assertThrows(
                                JedisDataException.class, () -> redis.mset(key, "v", other, "v"));
                assertBegins("OOM", error);
                assertEquals("v", redis.get(other), "the other node has executed its part");
            } finally {
                jedis.configSet("maxmemory", "0");
            }
        }
    }

    @Test
    void otherCommandsWithKeysOfTwoNodesAreRefusedWithTheAdviceToUseAHashTag() {
        String one = Nodes.keyOn(redis, nodes.servers().get(0).node());
        String other = Nodes.keyOn(redis, nodes.servers().get(1).node());
        CrossNode failure = assertThrows(CrossNode.class, () -> redis.sinter(one, other));
        assertEquals(ErrorKind.CROSS_NODE, failure.getKind());
        assertEquals(
                "SINTER needs all its keys on one node: key \""
                        + one
                        + "\" is on node "
                        + nodes.servers().get(0).node()
                        + ", key \""
                        + other
                        + "\" on node "
                        + nodes.servers().get(1).node()
                        + ", server pool alpha: the command was not sent; set hash_tag: \"{}\" in"
                        + " the server pool and give both keys the same hash tag, such as \"{"
                        + one
                        + "}\" and \"{"
                        + one
                        + "}"
                        + other
                        + "\"",
                failure.getMessage());
        assertThrows(CrossNode.class, () -> redis.rename(one, other));
        assertThrows(CrossNode.class, () -> redis.eval("return 1", 2, one, other));
        assertThrows(CrossNode.class, () -> redis.msetnx(one, "1", other, "2"));
        assertThrows(
                CrossNode.class,
                () -> redis.msetex(new MSetExParams().ex(9).nx(), one, "1", other, "2"));
        assertThrows(
                CrossNode.class,
                () -> redis.zrangestore(one, other, ZRangeParams.zrangeParams(0, 1)),
                "Jedis forgets its source");
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> before = pipeline.set(one, "still sent");
            assertThrows(CrossNode.class, () -> pipeline.sinter(one, other));
            pipeline.sync();
            assertEquals("OK", before.get());
        }
    }

    @Test
    void aHashTagBringsKeysTogether() {
        try (OneHopClient tagged = nodes.client("hash_tag: \"{}\"")) {
            tagged.sadd("{t}a", "1", "2");
            tagged.sadd("{t}b", "2", "3");
            assertEquals(Set.of("2"), tagged.sinter("{t}a", "{t}b"));
            assertEquals(
                    "moved",
                    tagged.eval(
                            "redis.call('rename', KEYS[1], KEYS[2]) return 'moved'",
                            2,
                            "{t}a",
                            "{t}c"));
            CrossNode failure =
                    assertThrows(
                            CrossNode.class,
                            () -> tagged.sinter("{t}a", otherNodeThan(tagged, "{t}a")));
            assertSays("such as \"{t}a\" and \"{t}other:", failure);
        }
    }

    private static String otherNodeThan(OneHopClient client, String key) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "other:" + i)
                .filter(other -> client.topology().locate(other) != client.topology().locate(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @SuppressWarnings("deprecation") // Programs still use this spelling.
    void aCommandThatNamesItsNodeByASampleKeyIsNotSplit() {
        String node = nodes.servers().get(1).node();
        String sample = Nodes.keyOn(redis, node);
        assertEquals(
                "OK",
                new String(
                        (byte[]) redis.sendCommand(sample, Command.MSET, "x", "1", "y", "2"),
                        StandardCharsets.UTF_8));
        try (Jedis jedis = nodes.jedis(node)) {
            assertEquals(List.of("1", "2"), jedis.mget("x", "y"));
        }
    }

    @Test
    @SuppressWarnings("deprecation")
    void aCommandWithASampleKeyGoesToTheNodeOfThatKey() {
        for (RedisServer server : nodes.servers()) {
            String key = Nodes.keyOn(redis, server.node());
            Object config = redis.sendCommand(key, Command.CONFIG, "GET", "port");
            assertEquals(
                    String.valueOf(server.port()),
                    new String((byte[]) ((List<?>) config).get(1), StandardCharsets.UTF_8));
        }
    }

    @Test
    void preProcessedKeysArePlacedByTheBytesThatAreSent() {
        try (OneHopClient redis = nodes.client()) {
            redis.setKeyArgumentPreProcessor(
                    key -> key instanceof String text ? "prefix:" + text : key);
            for (int i = 0; i < 100; i++) {
                redis.set("key:" + i, "value " + i);
            }
            redis.setKeyArgumentPreProcessor(null);
            for (int i = 0; i < 100; i++) {
                assertEquals("value " + i, redis.get("prefix:key:" + i));
            }
        }
    }

    @Test
    void withRandomTheNodeOfACommandIsDrawnOnce() {
        try (OneHopClient random = nodes.client("distribution: random")) {
            for (int i = 0; i < 50; i++) {
                assertEquals(0, random.sinter("a", "b", "c").size());
                assertEquals(Arrays.asList(null, null), random.mget("a", "b"));
            }
        }
    }
}
