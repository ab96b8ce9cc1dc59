package io.onehop.jedis;

import static io.onehop.jedis.Callers.holdsSoon;
import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Explanation;
import io.onehop.core.Node;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.params.SortingParams;
import redis.clients.jedis.resps.ScanResult;
import redis.clients.jedis.util.SafeEncoder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Two nodes become four, and no key is lost: every kind of command either finds its keys at their
 * old owners, or brings them to the new ones. Implements spec/topology/moving.md.
 */
class MovingKeysTest {
    private static final Nodes nodes = Nodes.start(4);
    private static final OneHopClient before = clientOfFirst("");
    private static final OneHopClient redis =
            Nodes.clientOf(nodes.config("hash_tag: \"{}\"") + movingFrom());

    private static Stream<String> first() {
        return nodes.servers().stream().limit(2).map(RedisServer::server);
    }

    private static OneHopClient clientOfFirst(String more) {
        return Nodes.clientOf(Nodes.configOf(first(), "hash_tag: \"{}\"") + more);
    }

    private static String movingFrom() {
        StringBuilder text = new StringBuilder("  moving_from:\n");
        first().forEach(server -> text.append("    - ").append(server).append('\n'));
        return text.toString();
    }

    @BeforeEach
    void flush() {
        nodes.flush();
    }

    @AfterEach
    void allIsGivenBack() {
        Inspected.assertNothingLeased(redis);
    }

    @AfterAll
    static void close() {
        before.close();
        redis.close();
        nodes.close();
    }

    private static byte[] bytes(String text) {
        return SafeEncoder.encode(text);
    }

    /** Keys that move from several nodes to several other nodes. */
    private static List<String> moving(int count) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "moving:" + i)
                .filter(key -> redis.topology().explain(key).movesFrom() != null)
                .limit(count)
                .toList();
    }

    private static String staying() {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "staying:" + i)
                .filter(key -> redis.topology().explain(key).movesFrom() == null)
                .findFirst()
                .orElseThrow();
    }

    /** A tag whose keys move. */
    private static String tag() {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "{tag" + i + "}")
                .filter(tag -> redis.topology().explain(tag).movesFrom() != null)
                .findFirst()
                .orElseThrow();
    }

    private static void assertAtOwner(String key) {
        Explanation explained = redis.topology().explain(key);
        try (Jedis owner = jedis(explained.node());
                Jedis old = jedis(explained.movesFrom())) {
            assertTrue(owner.exists(key), key);
            assertFalse(old.exists(key), key);
        }
    }

    private static Jedis jedis(Node node) {
        return nodes.jedis(node.name());
    }

    @Test
    void aReadFindsItsKeyAtTheOldOwnerAndLeavesItThere() {
        String key = moving(1).get(0);
        before.set(key, "v");
        assertEquals("v", redis.get(key));
        assertEquals(1L, redis.strlen(key));
        assertEquals("string", redis.type(key));
        assertTrue(redis.exists(key));
        assertEquals("v", before.get(key));
        assertNull(redis.get(moving(2).get(1)));
        assertEquals(Map.of(), redis.hgetAll(moving(2).get(1)));
    }

    @Test
    void aReadAsksOnlyTheOwnerIfTheOwnerHasTheKey() {
        String key = moving(1).get(0);
        redis.set(key, "new");
        before.set(key, "old");
        assertEquals("new", redis.get(key));
    }

    @Test
    void aWriteBringsItsKeyWithItsValueAndItsTimeToLive() {
        String key = moving(1).get(0);
        before.rpush(key, "a", "b");
        before.pexpire(key, 90_000);
        assertEquals(3, redis.rpush(key, "c"));
        assertEquals(List.of("a", "b", "c"), redis.lrange(key, 0, -1));
        long left = redis.pttl(key);
        assertTrue(left > 0 && left <= 90_000, "left: " + left);
        assertAtOwner(key);
    }

    @Test
    void commandsThatDependOnTheOldValueBringTheirKey() {
        List<String> keys = moving(6);
        before.set(keys.get(0), "41");
        before.hset(keys.get(1), "f", "v");
        before.set(keys.get(2), "v");
        before.set(keys.get(3), "v");
        before.set(keys.get(4), "v");
        before.sadd(keys.get(5), "m");
        assertEquals(42, redis.incr(keys.get(0)));
        assertEquals(0, redis.hset(keys.get(1), "f", "w"));
        assertEquals(1, redis.expire(keys.get(2), 100));
        assertNull(redis.set(keys.get(3), "other", SetParams.setParams().nx()));
        assertEquals("v", redis.setGet(keys.get(4), "other"));
        assertEquals(Set.of("m"), new HashSet<>(redis.sscan(keys.get(5), "0").getResult()));
        keys.forEach(MovingKeysTest::assertAtOwner);
    }

    @Test
    void aKeyIsDeletedAtItsOwnerAndAtItsOldOwner() {
        List<String> keys = moving(3);
        keys.forEach(key -> before.set(key, "v"));
        assertEquals(3, redis.del(keys.toArray(String[]::new)));
        keys.forEach(key -> assertFalse(before.exists(key)));
        assertEquals(0, redis.exists(keys.toArray(String[]::new)));
    }

    @Test
    void splitCommandsReadOrBringEachKey() {
        List<String> keys = new ArrayList<>(moving(40));
        keys.add(staying());
        for (int i = 0; i < keys.size(); i++) {
            (i % 3 == 0 ? redis : before).set(keys.get(i), "v" + i);
        }
        List<String> asked = new ArrayList<>(keys);
        asked.add(1, "none");
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            expected.add("v" + i);
        }
        expected.add(1, null);
        assertEquals(expected, redis.mget(asked.toArray(String[]::new)));
        assertEquals(41, redis.exists(keys.toArray(String[]::new)));
        String[] pairs = keys.stream().flatMap(key -> Stream.of(key, "new")).toArray(String[]::new);
        assertEquals("OK", redis.mset(pairs));
        keys.subList(0, 40).forEach(MovingKeysTest::assertAtOwner);
        assertEquals(Set.of("new"), new HashSet<>(redis.mget(keys.toArray(String[]::new))));
    }

    @Test
    void aPipelineKeepsItsOrderAndItsArguments() {
        List<String> keys = moving(4);
        before.set(keys.get(0), "0");
        before.set(keys.get(1), "1");
        before.set(keys.get(2), "2");
        byte[] argument = bytes("x");
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> asked = pipeline.get(keys.get(0));
            Response<String> stays = pipeline.get(staying());
            Response<Long> appended = pipeline.append(bytes(keys.get(1)), argument);
            argument[0] = 'y';
            Response<String> after = pipeline.get(keys.get(1));
            Response<List<String>> several =
                    pipeline.mget(keys.get(0), keys.get(1), keys.get(2), keys.get(3));
            Response<String> missing = pipeline.get(keys.get(3));
            Response<String> set = pipeline.set(keys.get(3), "3");
            Response<String> found = pipeline.get(keys.get(3));
            pipeline.sync();
            assertEquals("0", asked.get());
            assertNull(stays.get());
            assertEquals(2, appended.get());
            assertEquals("1x", after.get());
            List<String> values = new ArrayList<>(List.of("0", "1x", "2"));
            values.add(null);
            assertEquals(values, several.get());
            assertNull(missing.get());
            assertEquals("OK", set.get());
            assertEquals("3", found.get());
        }
        assertAtOwner(keys.get(1));
        assertEquals("0", before.get(keys.get(0)));
    }

    @Test
    void aTransactionBringsItsKeysBeforeItBegins() {
        String tag = tag();
        before.set(tag + "a", "1");
        before.rpush(tag + "b", "x");
        try (AbstractTransaction transaction = redis.multi()) {
            Response<String> read = transaction.get(tag + "a");
            Response<Long> added = transaction.incr(tag + "a");
            Response<Long> length = transaction.llen(tag + "b");
            assertEquals(List.of("1", 2L, 1L), transaction.exec());
            assertEquals("1", read.get());
            assertEquals(2, added.get());
            assertEquals(1, length.get());
        }
        assertAtOwner(tag + "a");
    }

    @Test
    void aWatchedKeyIsBroughtBeforeItIsWatched() {
        String tag = tag();
        before.set(tag + "a", "1");
        before.set(tag + "b", "1");
        try (AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch(tag + "a");
            assertEquals("1", transaction.get(tag + "b").get());
            assertAtOwner(tag + "b");
            transaction.multi();
            transaction.incr(tag + "a");
            assertEquals(List.of(2L), transaction.exec());
        }
        try (AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch(tag + "a");
            redis.incr(tag + "a");
            transaction.multi();
            transaction.incr(tag + "a");
            assertNull(transaction.exec());
        }
    }

    @Test
    void scriptsAndBlockingCommandsBringTheirKeys() {
        String tag = tag();
        before.set(tag + "a", "v");
        before.rpush(tag + "list", "x");
        assertEquals(
                "v",
                redis.eval("return redis.call('get', KEYS[1])", List.of(tag + "a"), List.of()));
        assertEquals("x", redis.blpop(5.0, tag + "list", tag + "none").getValue());
        assertAtOwner(tag + "a");
    }

    @Test
    void severalKeysOfOneNodeAreBrought() {
        String tag = tag();
        before.sadd(tag + "a", "x", "y");
        before.sadd(tag + "b", "y");
        assertEquals(Set.of("y"), redis.sinter(tag + "a", tag + "b"));
        assertEquals("OK", redis.rename(tag + "a", tag + "c"));
        assertEquals(Set.of("x", "y"), redis.smembers(tag + "c"));
        assertFalse(before.exists(tag + "a"));
    }

    @Test
    void aPatternOfKeysThatMoveIsRefused() {
        String tag = tag();
        redis.rpush(tag + "list", "1");
        assertThrows(
                Unsupported.class,
                () -> redis.sort(tag + "list", new SortingParams().by(tag + "w*")));
    }

    @Test
    @SuppressWarnings("deprecation") // sendCommand
    void commandsInWordsMoveKeysToo() {
        List<String> keys = moving(2);
        before.set(keys.get(0), "v");
        before.set(keys.get(1), "1");
        assertEquals("v", SafeEncoder.encode((byte[]) redis.sendCommand(Command.GET, keys.get(0))));
        assertEquals(2L, redis.sendCommand(keys.get(1), Command.INCR, keys.get(1)));
        assertAtOwner(keys.get(1));
    }

    @Test
    void keysMoveByDumpAndRestoreIfMigrateIsRefused() {
        List<String> keys = moving(20);
        String user = "ACL SETUSER default on nopass ~* &* +@all ";
        acl(user + "-migrate");
        try (OneHopClient other = Nodes.clientOf(nodes.config("hash_tag: \"{}\"") + movingFrom())) {
            for (String key : keys) {
                before.set(key, "1");
                before.pexpire(key, 90_000);
            }
            keys.forEach(key -> assertEquals(2, other.incr(key)));
            keys.forEach(MovingKeysTest::assertAtOwner);
            keys.forEach(key -> assertTrue(other.pttl(key) > 0));
        } finally {
            acl(user + "+migrate");
        }
    }

    private static void acl(String words) {
        for (RedisServer server : nodes.servers()) {
            try (Jedis jedis = server.jedis()) {
                String[] all = words.split(" ");
                jedis.sendCommand(
                        Command.ACL, List.of(all).subList(1, all.length).toArray(String[]::new));
            }
        }
    }

    @Test
    void ifBothNodesHaveTheKeyTheOwnersValueCounts() {
        String key = moving(1).get(0);
        before.set(key, "old");
        try (Jedis owner = jedis(redis.topology().locate(key))) {
            owner.set(key, "new");
        }
        assertEquals(4, redis.append(key, "!"));
        assertEquals("new!", redis.get(key));
        assertAtOwner(key);
    }

    @Test
    void commandsForAllNodesAskTheNodesOfBothRings() {
        List<String> keys = moving(30);
        for (int i = 0; i < keys.size(); i++) {
            (i % 2 == 0 ? before : redis).set(keys.get(i), "v");
        }
        assertEquals(30, redis.dbSize());
        assertEquals(new TreeSet<>(keys), new TreeSet<>(redis.keys("*")));
        Set<String> scanned = new TreeSet<>();
        String cursor = "0";
        do {
            ScanResult<String> step = redis.scan(cursor, new ScanParams().count(10));
            scanned.addAll(step.getResult());
            cursor = step.getCursor();
        } while (!cursor.equals("0"));
        assertEquals(new TreeSet<>(keys), scanned);
        redis.flushDB();
        assertEquals(0, before.dbSize() + redis.dbSize());
    }

    @Test
    void aSubscriberHearsMessagesThatArePublishedByEitherFile() throws InterruptedException {
        String channel = moving(1).get(0);
        SubscriptionTest.Collector collector = new SubscriptionTest.Collector();
        Thread listening = new Thread(() -> redis.subscribe(collector, channel));
        listening.start();
        collector.awaits(1);
        before.publish(channel, "by the old file");
        redis.publish(channel, "by this file");
        collector.awaits(3);
        assertEquals(
                Set.of(
                        "message " + channel + " by the old file",
                        "message " + channel + " by this file"),
                Set.copyOf(collector.received.subList(1, 3)));
        collector.unsubscribe();
        listening.join();
    }

    @Test
    void aLiveClientFollowsTheFile(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("onehop.yml");
        List<String> keys = moving(20);
        String tag = "hash_tag: \"{}\"";
        Files.writeString(file, text(Nodes.configOf(first(), tag)));
        try (OneHopClient client = Nodes.clientOf(file)) {
            keys.forEach(client::incr);
            Files.writeString(file, text(nodes.config(tag) + movingFrom()));
            String moving = redis.topology().fingerprint();
            assertTrue(holdsSoon(() -> client.topology().fingerprint().equals(moving)));
            assertEquals("1", client.get(keys.get(0)));
            keys.forEach(key -> assertEquals(2, client.incr(key)));
        }
        try (OneHopClient after = nodes.client(tag)) {
            keys.forEach(key -> assertEquals("2", after.get(key)));
        }
    }

    private static String text(String config) {
        return config;
    }

    @Test
    void theFingerprintIsAnotherOneWhileKeysMove() {
        try (OneHopClient after = nodes.client("hash_tag: \"{}\"")) {
            assertNotEquals(after.topology().fingerprint(), redis.topology().fingerprint());
            assertNotEquals(before.topology().fingerprint(), redis.topology().fingerprint());
        }
    }

    @Test
    void theErrorThatKeepsAKeyFromMovingIsTheReply() {
        String key = moving(1).get(0);
        before.set(key, "v");
        acl("ACL SETUSER default -migrate -dump");
        try (OneHopClient other = Nodes.clientOf(nodes.config("hash_tag: \"{}\"") + movingFrom())) {
            JedisDataException error =
                    assertThrows(JedisDataException.class, () -> other.append(key, "w"));
            assertBegins("NOPERM", error);
        } finally {
            acl("ACL SETUSER default +@all");
        }
        assertEquals("v", redis.get(key));
    }
}
