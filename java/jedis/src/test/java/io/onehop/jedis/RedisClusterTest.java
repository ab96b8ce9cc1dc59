package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisBroadcastException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A real Redis Cluster of three masters whose slots move while the client uses it. */
class RedisClusterTest {
    private static RedisCluster cluster;

    private OneHopClient client;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(3, false);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void open() {
        client = cluster.client();
    }

    @AfterEach
    void close() {
        client.flushAll();
        client.close();
    }

    @Test
    void aScriptWithoutKeysRunsOnSomeNode() {
        assertEquals(1L, client.eval("return 1"));
    }

    @Test
    void aFailedCommandForAllNodesReportsTheReplyOfEachNodeAsJedisDoes() {
        JedisBroadcastException error =
                assertThrows(JedisBroadcastException.class, client::functionKill);
        assertEquals(
                cluster.servers().stream()
                        .map(server -> HostAndPort.from(server.node()))
                        .collect(Collectors.toSet()),
                error.getReplies().keySet());
        error.getReplies()
                .values()
                .forEach(
                        reply ->
                                assertTrue(reply.toString().contains("NOTBUSY"), error.toString()));
    }

    /**
     * The node that has a slot, and the node to which the test moves it. All slots move to the same
     * node: two receivers would disagree about epochs for a while.
     */
    private record Ends(int slot, int from, int to) {
        static Ends of(String key) {
            return new Ends(RedisCluster.slot(key), cluster.ownerOf(RedisCluster.slot(key)), 2);
        }

        void move() {
            cluster.move(slot, from, to);
        }
    }

    /** Hash tags of this prefix and a number whose slots are not on the last master yet. */
    private static List<String> movable(String prefix, int count) {
        return IntStream.range(0, 100_000)
                .mapToObj(i -> "{" + prefix + i + "}")
                .filter(
                        key ->
                                RedisCluster.slot(key) < 10_000
                                        && cluster.ownerOf(RedisCluster.slot(key)) != 2)
                .limit(count)
                .toList();
    }

    private static long redirects(OneHopClient client) {
        long redirects = 0;
        for (Pool pool : client.route().take().pools()) {
            redirects += pool.meter().redirects();
        }
        return redirects;
    }

    /* ---- The map ---- */

    private static long sum(ToLongFunction<RedisServer> count) {
        return cluster.servers().stream().mapToLong(count).sum();
    }

    private static long refusals(RedisServer server) {
        return server.ask(jedis -> jedis.info("errorstats"))
                .lines()
                .filter(line -> line.startsWith("errorstat_NOPERM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*count=(\\d+).*", "$1")))
                .sum();
    }

    private static void permit(String rule) {
        for (RedisServer server : cluster.servers()) {
            server.ask(jedis -> jedis.aclSetUser("default", rule));
        }
    }

    @Test
    void aServerThatRefusesClusterShardsIsAskedForClusterSlotsFromThenOn() {
        String key = movable("shards", 1).get(0);
        permit("-cluster|shards");
        try (OneHopClient fresh = cluster.client()) {
            fresh.set(key, "x");
            long refused = sum(RedisClusterTest::refusals);
            long asked = sum(server -> server.calls("cluster|slots"));
            assertTrue(refused > 0);
            Ends.of(key).move();
            RedisCluster.await(
                    "the map is asked for again",
                    () -> {
                        assertEquals("x", fresh.get(key));
                        return sum(server -> server.calls("cluster|slots")) > asked;
                    });
            assertEquals(refused, sum(RedisClusterTest::refusals));
        } finally {
            permit("+cluster|shards");
        }
    }

    /* ---- Ordinary commands ---- */

    @Test
    void keysOfManySlotsAreWrittenAndReadAndCounted() {
        String[] keys = Nodes.keys(1000);
        List<String> pairs = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (String key : keys) {
            pairs.addAll(List.of(key, "value of " + key));
            values.add("value of " + key);
        }
        assertEquals("OK", client.mset(pairs.toArray(new String[0])));
        assertEquals(values, client.mget(keys));
        assertEquals(1000, client.exists(keys));
        assertEquals(1000, client.dbSize());
        assertEquals(500, client.del(Arrays.copyOf(keys, 500)));
        assertEquals(0, redirects(client));
        assertEquals(3, client.topology().nodes().size());
    }

    @Test
    void scanVisitsEachMasterOnce() {
        Set<String> written = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            client.set("key:" + i, "x");
            written.add("key:" + i);
        }
        List<String> seen = new ArrayList<>();
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> part = client.scan(cursor, new ScanParams().count(50));
            seen.addAll(part.getResult());
            cursor = part.getCursor();
        } while (!cursor.equals("0"));
        assertEquals(written, new HashSet<>(seen));
        assertEquals(written, client.keys("*"));
    }

    @Test
    void keysOfTwoSlotsCannotBeInOneCommandEvenIfTheyAreOnOneNode() {
        String other =
                IntStream.range(0, 100_000)
                        .mapToObj(i -> "other:" + i)
                        .filter(
                                key ->
                                        RedisCluster.slot(key) != RedisCluster.slot("a")
                                                && client.topology()
                                                        .locate(key)
                                                        .equals(client.topology().locate("a")))
                        .findFirst()
                        .orElseThrow();
        CrossNode refused = assertThrows(CrossNode.class, () -> client.rename("a", other));
        assertSays("needs all its keys in one slot: key \"a\" is in slot 15495", refused);
        client.set("{a}1", "x");
        client.rename("{a}1", "{a}2");
        assertEquals("x", client.get("{a}2"));
    }

    @Test
    void commandsAboutTheWritesOfAConnectionAreRefused() {
        assertThrows(Unsupported.class, () -> client.waitReplicas("a", 0, 10));
    }

    /* ---- MOVED ---- */

    @Test
    void aSlotThatHasMovedCostsOneRedirect() {
        String key = movable("moved", 1).get(0);
        client.set(key, "1");
        Ends ends = Ends.of(key);
        ends.move();
        assertEquals("1", client.get(key));
        assertEquals("1", client.get(key));
        client.set(key, "2");
        assertEquals("2", client.get(key));
        assertEquals(1, redirects(client));
        assertEquals(cluster.server(ends.to()).node(), client.topology().locate(key).name());
    }

    @Test
    void aPipelineKeepsItsOrderAlsoIfSlotsHaveMoved() {
        List<String> keys = movable("p", 200);
        keys.forEach(key -> client.set(key, "0"));
        List<Ends> moves = keys.subList(0, 20).stream().map(Ends::of).toList();
        List<Response<Long>> counts = new ArrayList<>();
        for (String map : List.of("cluster|shards", "cluster|slots")) {
            permit("-" + map); // A newer map would save redirects.
        }
        try (AbstractPipeline batch = client.pipelined()) {
            moves.forEach(Ends::move);
            for (int round = 1; round <= 5; round++) {
                for (String key : keys) {
                    counts.add(batch.incr(key));
                }
            }
            batch.sync();
        } finally {
            permit("+cluster|shards");
            permit("+cluster|slots");
        }
        for (int i = 0; i < counts.size(); i++) {
            assertEquals(1 + i / 200, counts.get(i).get());
        }
        assertEquals(100, redirects(client));
    }

    @Test
    void eachPartOfASplitCommandIsSentToTheNewNodeOfItsSlot() {
        String[] keys = movable("split", 100).toArray(new String[0]);
        for (String key : keys) {
            client.set(key, key);
        }
        for (int i = 0; i < 10; i++) {
            Ends.of(keys[i]).move();
        }
        assertEquals(List.of(keys), client.mget(keys));
        assertEquals(100, client.unlink(keys));
    }

    @Test
    void aScriptFollowsItsKey() {
        String key = movable("script", 1).get(0);
        String digest = client.scriptLoad("return redis.call('incr', KEYS[1])", key);
        client.evalsha(digest, List.of(key), List.of());
        Ends.of(key).move();
        client.scriptFlush(key);
        try (AbstractPipeline batch = client.pipelined()) {
            Response<Object> reply = batch.evalsha(digest, List.of(key), List.of());
            batch.sync();
            assertEquals(2L, reply.get());
        }
    }

    /* ---- ASK, TRYAGAIN ---- */

    @Test
    void aKeyThatHasMigratedIsFound() {
        String ask = movable("ask", 1).get(0);
        client.mset(ask + "1", "1", ask + "2", "2", ask + "3", "3");
        Ends ends = Ends.of(ask);
        cluster.beginToMove(ends.slot(), ends.from(), ends.to());
        cluster.moveKeys(ends.slot(), ends.from(), ends.to(), 1);
        try (AbstractPipeline batch = client.pipelined()) {
            List<Response<String>> replies =
                    List.of(
                            batch.get(ask + "1"),
                            batch.get(ask + "2"),
                            batch.get(ask + "3"),
                            batch.get(ask + "4"));
            batch.sync();
            assertEquals("1", replies.get(0).get());
            assertEquals("2", replies.get(1).get());
            assertEquals("3", replies.get(2).get());
            assertNull(replies.get(3).get());
        }
        assertEquals("OK", client.set(ask + "5", "5"));
        assertEquals("5", client.get(ask + "5"));
        assertEquals(cluster.server(ends.from()).node(), client.topology().locate(ask).name());
        Thread end =
                new Thread(
                        () -> {
                            Processes.pause(100);
                            cluster.moveKeys(ends.slot(), ends.from(), ends.to(), 100);
                            cluster.endMove(ends.slot(), ends.from(), ends.to());
                        });
        end.start();
        assertEquals(
                List.of("1", "2", "3", "5"),
                client.mget(ask + "1", ask + "2", ask + "3", ask + "5"));
        RedisCluster.await("the move has ended", () -> !end.isAlive());
        assertEquals("5", client.get(ask + "5"));
    }

    /* ---- Transactions ---- */

    @Test
    void aTransactionFailsIfTheSlotOfItsWatchedKeyMoves() {
        String tag = movable("tag", 1).get(0);
        client.set(tag + "1", "1");
        try (AbstractTransaction transaction = client.transaction(false)) {
            transaction.watch(tag + "1");
            Ends.of(tag).move();
            NodeDown lost = assertThrows(NodeDown.class, () -> transaction.get(tag + "1"));
            assertSays("a transaction is never sent again", lost);
        }
        try (AbstractTransaction transaction = client.transaction(false)) {
            transaction.watch(tag + "1");
            transaction.multi();
            transaction.incr(tag + "1");
            assertEquals(List.of(2L), transaction.exec());
        }
    }

    /* ---- Slots without a node ---- */

    @Test
    void slotsWithoutANodeDoNotAffectOtherSlots() {
        Ends ends = Ends.of("hole");
        try (Jedis owner = cluster.server(ends.from()).jedis()) {
            owner.clusterDelSlots(ends.slot());
            for (int i = 0; i < 3; i++) {
                try (Jedis each = cluster.server(i).jedis()) {
                    RedisCluster.await(
                            "the slot has no node",
                            () -> {
                                each.clusterDelSlots(ends.slot());
                                return true;
                            });
                } catch (JedisDataException already) {
                    continue;
                }
            }
            try (OneHopClient other = cluster.client("timeout: 5000")) {
                Callers.answered(() -> other.set("elsewhere", "x"));
                assertEquals("x", Callers.answered(() -> other.get("elsewhere")));
                RedisCluster.await(
                        "the failure names the reason", // A deadline may come first.
                        () ->
                                assertThrows(OneHopException.class, () -> other.get("hole"))
                                        .getMessage()
                                        .contains("CLUSTERDOWN"));
                owner.clusterAddSlots(ends.slot());
                RedisCluster.await(
                        "the slot is served again",
                        () -> {
                            try {
                                return other.get("hole") == null;
                            } catch (OneHopException notYet) {
                                return false;
                            }
                        });
            }
        }
    }

    @Test
    void aServerWithoutClusterSupportIsAConfigurationError() {
        try (RedisServer alone = RedisServer.start();
                OneHopClient lost =
                        Nodes.clientOf(
                                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n"
                                        + "  cluster: true\n  timeout: 30000\n  servers:\n    - "
                                        + alone.server()
                                        + "\n")) {
            ConfigInvalid none = assertThrows(ConfigInvalid.class, () -> lost.set("a", "1"));
            assertEquals(
                    "No node returned the map of the cluster: "
                            + alone.node()
                            + ": it answered: ERR This instance has cluster support disabled,"
                            + " server pool alpha: the command was not sent; correct servers,"
                            + " redis_auth, username or database in the server pool, or remove"
                            + " \"cluster: true\"",
                    none.getMessage());
        }
    }

    @Test
    void aClusterThatRefusesTheDatabaseIsAConfigurationError() {
        try (RedisCluster cluster = RedisCluster.start(1, false);
                OneHopClient client = cluster.client("database: 1")) {
            ConfigInvalid refused = assertThrows(ConfigInvalid.class, () -> client.set("a", "1"));
            assertSays(
                    ": The node refused the database:"
                            + " ERR SELECT is not allowed in cluster mode, ",
                    refused);
        }
    }
}
