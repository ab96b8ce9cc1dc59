package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.LyingCluster;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.args.ClusterFailoverOption;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Calls for a dead master of a Redis Cluster, until its replica is promoted. */
class FailoverWaitTest {
    private static final int KNOWING = 0; // The seed, and the only node that returns a map.
    private static final int HEIR = 1;
    private static final String KEY_OF_FIRST = "{3560}"; // In slot 0, of the first master.
    private static final String OTHER_KEY = "foo"; // In slot 12182, of the last master.

    /**
     * The test itself promotes the replica: the node timeout is so long that no server calls
     * another one failed.
     */
    @Test
    void callsWaitUntilTheReplicaIsPromoted() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(3, true, "cluster-node-timeout", "60000");
                OneHopClient client = cluster.client("timeout: 60000")) {
            String[] keys = Nodes.keys(100);
            for (String key : keys) {
                client.set(key, key);
            }
            String dead = client.topology().locate(keys[0]).name();
            int index =
                    IntStream.range(0, 3)
                            .filter(i -> cluster.server(i).node().equals(dead))
                            .findFirst()
                            .orElseThrow();
            cluster.awaitWrites(3);
            cluster.server(index).kill();
            long before = questions(cluster, index);
            List<FutureTask<Object>> calls =
                    begin(
                            Stream.of(
                                    () -> client.get(keys[0]),
                                    () -> client.append("{" + keys[0] + "}", "more"),
                                    () -> client.mget(keys).equals(List.of(keys)),
                                    () -> batch(client, "{" + keys[0] + "}:new")));
            RedisCluster.await("calls wait", () -> questions(cluster, index) > before + 5);
            try (Jedis heir = cluster.server(3 + index).jedis()) {
                heir.clusterFailover(ClusterFailoverOption.TAKEOVER);
            }
            assertEquals(List.of(keys[0], 4L, true, List.of("OK", "value")), values(calls));
            assertEquals(
                    cluster.server(3 + index).node(), client.topology().locate(keys[0]).name());
        }
    }

    /** The master is alive. If a call waited for a failover, it would take 17 s. */
    @Test
    void nobodyWaitsForAMasterThatAcceptsNoMoreConnections() {
        try (RedisCluster cluster = RedisCluster.start(3, true, "cluster-node-timeout", "60000");
                Jedis full = cluster.server(0).jedis();
                OneHopClient client = clientOfOne(cluster.server(2))) {
            client.set(OTHER_KEY, "value"); // No connection to the first master is open.
            full.configSet("maxclients", "1");
            long begun = System.nanoTime();
            assertFull(() -> client.append(KEY_OF_FIRST, "more"));
            assertFull(() -> client.get(KEY_OF_FIRST));
            assertFull(() -> client.mget(KEY_OF_FIRST, OTHER_KEY));
            assertFull(() -> batch(client, KEY_OF_FIRST));
            assertTrue(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(15));
        }
    }

    private static OneHopClient clientOfOne(RedisServer seed) {
        return Nodes.clientOf(
                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n  timeout: 60000\n"
                        + "  servers:\n    - "
                        + seed.server());
    }

    private static void assertFull(Executable call) {
        OneHopException failure = assertThrows(OneHopException.class, call);
        assertSays("accepts no more connections", failure);
    }

    @Test
    void aCallWaitsAlsoIfTheReplicaIsCalledFailedOnce() {
        try (Told told = new Told()) {
            told.maps =
                    List.of(
                            told.map("online"),
                            told.map("online"),
                            told.map("fail"),
                            told.map("fail", "master online"));
            assertEquals(HEIR + " key", told.call());
        }
    }

    /** Servers call a replica loading until they know its offset. */
    @Test
    void aCallWaitsAlsoIfTheReplicaIsCalledLoading() {
        try (Told told = new Told()) {
            told.maps =
                    List.of(
                            told.map("loading"),
                            told.map("loading"),
                            told.map("fail", "master online"));
            assertEquals(HEIR + " key", told.call());
        }
    }

    @Test
    void nobodyWaitsForAReplicaThatIsCalledFailedAgainAndAgain() {
        try (Told told = new Told()) {
            told.maps = List.of(told.map("online"), told.map("fail"));
            long begun = System.nanoTime();
            assertThrows(NodeDown.class, told::call);
            assertTrue(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(15));
        }
    }

    @Test
    void nobodyWaitsForAMasterWhoseReplicaHasFailedBefore() {
        try (Told told = new Told()) {
            told.maps = List.of(told.map("fail"));
            assertThrows(NodeDown.class, told::call);
            // A call that waits for a failover would ask for the map ten times a second, for 17 s.
            assertTrue(told.asked.get() < 20, told.asked + " questions");
        }
    }

    /** A dead master, its replica, and a node that returns one map after another. */
    private static final class Told implements AutoCloseable {
        private final LyingCluster cluster = new LyingCluster(2);
        private final int dead = Processes.freePort();
        private final AtomicInteger asked = new AtomicInteger();
        private volatile List<String> maps = List.of(); // After the last map it is returned again.

        Told() {
            cluster.behave(
                    (node, command, talk) ->
                            command.get(0).equals("CLUSTER")
                                    ? node == KNOWING ? told(command) : "-ERR unknown\r\n"
                                    : null);
        }

        private String told(List<String> command) {
            return command.get(1).equals("INFO")
                    ? null
                    : maps.get(Math.min(asked.getAndIncrement(), maps.size() - 1));
        }

        /** Makes a call for a key of the dead master. */
        String call() {
            try (OneHopClient client = cluster.client("timeout: 60000")) {
                return client.setGet("key", "value");
            }
        }

        /** A map in which the dead master is online, and its replica has this health. */
        String map(String health) {
            return map("online", "replica " + health);
        }

        String map(String ofMaster, String heir) {
            String master = dead + " master " + ofMaster;
            return "*2\r\n"
                    + LyingCluster.shard(8192, 16383, master, cluster.port(HEIR) + " " + heir)
                    + LyingCluster.shard(0, 8191, cluster.port(KNOWING) + " master online");
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    private static long questions(RedisCluster cluster, int dead) {
        return IntStream.range(0, 6)
                .filter(i -> i != dead)
                .mapToLong(i -> cluster.server(i).calls("cluster|shards"))
                .sum();
    }

    private static List<FutureTask<Object>> begin(Stream<Callable<Object>> calls) {
        return calls.map(Callers::begun).toList();
    }

    private static List<Object> values(List<FutureTask<Object>> calls) throws Exception {
        List<Object> values = new ArrayList<>();
        for (FutureTask<Object> call : calls) {
            values.add(call.get(30, TimeUnit.SECONDS));
        }
        return values;
    }

    private static List<String> batch(OneHopClient client, String key) {
        try (AbstractPipeline batch = client.pipelined()) {
            List<Response<String>> replies = List.of(batch.set(key, "value"), batch.get(key));
            batch.sync();
            return replies.stream().map(Response::get).toList();
        }
    }
}
