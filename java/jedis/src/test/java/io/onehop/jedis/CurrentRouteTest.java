package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertEnds;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;
import redis.clients.jedis.ScanIteration;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A client gets another topology. Calls that have begun use the old topology until they end, and
 * new calls use the new one.
 */
class CurrentRouteTest {

    private static PoolTopology topology(Stream<String> servers, String... directives) {
        try {
            String text = Nodes.configOf(servers, directives);
            return PoolTopology.of(
                    Config.parse(text.getBytes(StandardCharsets.UTF_8)).pool("alpha"));
        } catch (ConfigException bad) {
            throw new AssertionError(bad);
        }
    }

    /** A topology with only the second of two nodes. */
    private static PoolTopology second(Nodes nodes, String... directives) {
        return topology(Stream.of(nodes.servers().get(1).server()), directives);
    }

    private static void tellWhere(Nodes nodes) {
        nodes.servers()
                .forEach(
                        server -> {
                            server.ask(jedis -> jedis.set("where", server.node()));
                        });
    }

    /** Waits a little, because a server notices the end of a connection later than the client. */
    private static void assertNobodyIsConnected(RedisServer server) {
        assertTrue(Callers.holdsSoon(() -> server.clients() == 0));
    }

    @Test
    void aNodeKeepsItsConnectionsUnlessADirectiveOfConnectionsHasChanged() {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client()) {
            redis.onEachNode(commands -> commands.ping());
            String kept = nodes.servers().get(1).node();
            Pool before = Inspected.pool(redis, kept);
            assertTrue(redis.snapshots().adopt(second(nodes, "hash: md5", "tcpkeepalive: true")));
            assertSame(before, Inspected.pool(redis, kept));
            assertEquals(1, before.getNumIdle());
            for (String directive :
                    List.of(
                            "pool_size: 3",
                            "timeout: 1234",
                            "redis_auth: secret",
                            "database: 1",
                            "redis_db: 1",
                            "engine: ssdb")) {
                assertTrue(redis.snapshots().adopt(second(nodes, directive)));
                assertNotSame(before, Inspected.pool(redis, kept), directive);
                assertEquals(0, before.getNumIdle(), directive);
                assertEquals(
                        1,
                        Inspected.pool(redis, kept).meter().calls(),
                        "the counters are kept: " + directive);
                before = Inspected.pool(redis, kept);
            }
            assertNobodyIsConnected(nodes.servers().get(0));
        }
    }

    @Test
    void anIterationOfKeysIsRefusedWhenKeysMayHaveMoved() {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client()) {
            ScanIteration finished = redis.scanIteration(10, "*");
            finished.nextBatchList();
            Stream<String> both = nodes.servers().stream().map(RedisServer::server);
            assertTrue(redis.snapshots().adopt(topology(both, "timeout: 40000")));
            finished.nextBatchList();
            assertTrue(finished.isIterationCompleted());
            ScanIteration cut = redis.scanIteration(10, "*");
            cut.nextBatchList();
            assertTrue(redis.snapshots().adopt(second(nodes)));
            Unsupported refused = assertThrows(Unsupported.class, cut::nextBatchList);
            assertEnds("; start again with 0", refused);
            redis.set("key", "value");
            assertEquals(List.of("key"), redis.scanIteration(10, "*").collect(new ArrayList<>()));
        }
    }

    @Test
    void aNodeThatKeepsItsNameAndGetsAnotherAddressGetsNewConnections() {
        try (Nodes nodes = Nodes.start(2)) {
            tellWhere(nodes);
            String[] named =
                    nodes.servers().stream()
                            .map(server -> server.server() + " one")
                            .toArray(String[]::new);
            try (OneHopClient redis = Nodes.clientOf(Stream.of(named[0]))) {
                assertEquals(nodes.servers().get(0).node(), redis.get("where"));
                assertTrue(redis.snapshots().adopt(topology(Stream.of(named[1]))));
                assertEquals(nodes.servers().get(1).node(), redis.get("where"));
                assertNobodyIsConnected(nodes.servers().get(0));
            }
        }
    }

    @Test
    void aBatchEndsOnTheTopologyWithWhichItBeganAndLeavesNoConnectionOpen() {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client()) {
            tellWhere(nodes);
            String first = nodes.servers().get(0).node();
            String key = Nodes.keyOn(redis, first);
            redis.set(key, "value");
            AbstractPipeline begun = redis.pipelined();
            AbstractPipeline idle = redis.pipelined();
            Response<String> old = begun.get(key);
            assertTrue(redis.snapshots().adopt(second(nodes)));
            Response<String> alsoOld = begun.get(key);
            Response<String> newer = idle.get("where");
            begun.sync();
            idle.sync();
            assertEquals("value", old.get());
            assertEquals("value", alsoOld.get());
            assertEquals(nodes.servers().get(1).node(), newer.get());
            Response<String> next = begun.get("where");
            begun.sync();
            assertEquals(nodes.servers().get(1).node(), next.get());
            assertNobodyIsConnected(nodes.servers().get(0));
        }
    }

    @Test
    void aTransactionEndsOnTheTopologyWithWhichItBegan() {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client()) {
            String key = Nodes.keyOn(redis, nodes.servers().get(0).node());
            AbstractTransaction watching = redis.transaction(false);
            AbstractTransaction queued = redis.multi();
            watching.watch(key);
            queued.set(key, "1");
            assertTrue(redis.snapshots().adopt(second(nodes)));
            watching.multi();
            watching.incr(key);
            queued.incr(key);
            assertEquals(List.of("OK", 2L), queued.exec());
            assertNull(
                    watching.exec(), "The watched key has changed on the node of the transaction.");
            watching.close();
            queued.close();
            assertEquals("2", nodes.servers().get(0).ask(old -> old.get(key)));
            try (AbstractTransaction next = redis.multi()) {
                next.set(key, "new");
                next.exec();
            }
            assertEquals("new", redis.get(key));
            assertNobodyIsConnected(nodes.servers().get(0));
        }
    }

    @Test
    void theClientStillKnowsItsScripts() {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client()) {
            String digest = redis.scriptLoad("return KEYS[1]");
            redis.onEachNode(commands -> commands.scriptFlush());
            assertTrue(redis.snapshots().adopt(second(nodes)));
            assertEquals("key", redis.evalsha(digest, 1, "key"));
        }
    }

    @Test
    void callsOfManyThreadsSurviveAThousandChangesAndLeaveNoConnection()
            throws InterruptedException {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client("timeout: 30000")) {
            tellWhere(nodes);
            List<PoolTopology> topologies =
                    List.of(
                            redis.snapshots().newest().topology(),
                            second(nodes, "timeout: 30000", "pool_size: 3"),
                            topology(
                                    nodes.servers().stream().map(RedisServer::server),
                                    "timeout: 30000",
                                    "pool_size: 2"),
                            second(nodes, "timeout: 40000"));
            List<String> names = nodes.servers().stream().map(RedisServer::node).toList();
            Callers.inThreads(
                    8,
                    number -> {
                        for (int i = 0; i < 500; i++) {
                            if (number == 0) {
                                redis.snapshots().adopt(topologies.get(i % topologies.size()));
                                redis.snapshots()
                                        .adopt(topologies.get((i + 2) % topologies.size()));
                            }
                            assertTrue(names.contains(redis.get("where")));
                            assertEquals(
                                    List.of("PONG"),
                                    redis.onEachNode(commands -> commands.ping()).values().stream()
                                            .distinct()
                                            .toList());
                        }
                    });
            Inspected.assertNothingLeased(redis);
            for (RedisServer server : nodes.servers()) {
                int kept =
                        Stream.of(Inspected.pools(redis))
                                .filter(pool -> pool.endpoint().name().equals(server.node()))
                                .mapToInt(Pool::getNumIdle)
                                .sum();
                assertTrue(
                        Callers.holdsSoon(() -> server.clients() == kept),
                        server.clients() + " connections, " + kept + " of them known");
            }
        }
    }

    @Test
    void aClosedClientAdoptsNothingAndRefusesCallsThatHadBegun() {
        try (Nodes nodes = Nodes.start(2)) {
            OneHopClient redis = nodes.client();
            AbstractPipeline begun = redis.pipelined();
            begun.get(Nodes.keyOn(redis, nodes.servers().get(0).node()));
            assertTrue(redis.snapshots().adopt(second(nodes)));
            redis.close();
            assertFalse(redis.snapshots().adopt(second(nodes, "timeout: 1")));
            assertSays("This client was closed", assertThrows(NodeDown.class, begun::sync));
            assertThrows(NodeDown.class, () -> redis.get("key"));
        }
    }
}
