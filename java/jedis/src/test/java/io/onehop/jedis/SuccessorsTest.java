package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.base.Timings;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.args.ClusterFailoverOption;
import redis.clients.jedis.exceptions.JedisConnectionException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Calls that wait for a node that hangs, and that go to another node as soon as the client knows
 * that node. The timeout is longer than any call of these tests may take.
 */
class SuccessorsTest {
    private static final String TIMEOUT = "timeout: 120000";

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static <T> T soon(Future<T> call) throws Exception {
        return call.get(30, TimeUnit.SECONDS);
    }

    private static Pool poolOf(OneHopClient redis, String key) {
        return Inspected.pool(redis, redis.topology().locate(key).name());
    }

    /** Opens so many connections that the next calls need not wait for one. */
    private static void open(OneHopClient redis, String key, int count) {
        Pool pool = poolOf(redis, key);
        Stream.generate(() -> pool.lease(new Holder(), Deadline.in(30_000)))
                .limit(count)
                .toList()
                .forEach(pool::returnObject);
    }

    /** Begins a call. When this returns, the call has a connection. */
    private <T> Future<T> holding(OneHopClient redis, String key, Callable<T> call) {
        int before = poolOf(redis, key).getNumActive();
        Future<T> running = threads.submit(call);
        RedisCluster.await(
                "the call has a connection", () -> poolOf(redis, key).getNumActive() > before);
        return running;
    }

    /** Begins a call. When this returns, the call waits for a connection. */
    private <T> Future<T> waiting(OneHopClient redis, String key, Callable<T> call) {
        long before = poolOf(redis, key).meter().waits();
        Future<T> running = threads.submit(call);
        RedisCluster.await("the call waits", () -> poolOf(redis, key).meter().waits() > before);
        return running;
    }

    private static List<String> batch(OneHopClient redis, String key) {
        try (AbstractPipeline batch = redis.pipelined()) {
            List<Response<String>> replies = new ArrayList<>();
            replies.add(batch.set("{" + key + "}batch", "batch"));
            replies.add(batch.get("{" + key + "}batch"));
            batch.sync();
            return replies.stream().map(Response::get).toList();
        }
    }

    /** Begins writes that hold all connections to the node of this key. */
    private List<Future<?>> fill(OneHopClient redis, String key, int size) {
        List<Future<?>> sent = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            sent.add(holding(redis, key, () -> redis.append(key, "?")));
        }
        return sent;
    }

    private void requireStaying(List<Future<?>> sent) {
        sent.forEach(call -> assertFalse(call.isDone(), "a write that was sent stays at its node"));
    }

    @Test
    void callsThatWaitLeaveAMasterThatHangsWhenSentinelsNameAnotherMaster() throws Exception {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = Nodes.clientOf(masters.config(TIMEOUT, "pool_size: 4"))) {
            redis.set("key", "value");
            masters.master(0).ask(master -> master.waitReplicas(1, 30_000));
            open(redis, "key", 4);
            masters.master(0).freeze();
            Future<String> read = holding(redis, "key", () -> redis.get("key"));
            Future<List<String>> reads = holding(redis, "key", () -> redis.mget("key", "none"));
            List<Future<?>> sent = fill(redis, "key", 2);
            Future<Long> write = waiting(redis, "key", () -> redis.incr("count"));
            Future<List<String>> batch = waiting(redis, "key", () -> batch(redis, "key"));
            masters.failOver(0);
            assertEquals("value", soon(read));
            assertEquals("value", soon(reads).get(0));
            assertEquals(1, soon(write));
            assertEquals(List.of("OK", "batch"), soon(batch));
            requireStaying(sent);
            masters.master(0).kill();
            for (Future<?> call : sent) {
                Throwable failure =
                        assertThrows(ExecutionException.class, () -> soon(call)).getCause();
                assertTrue(assertInstanceOf(NodeDown.class, failure).mayHaveExecuted());
            }
        }
    }

    @Test
    void callsThatWaitLeaveAMasterThatHangsWhenTheClusterHasAnotherMaster() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(2, true);
                OneHopClient redis = cluster.client(TIMEOUT, "pool_size: 4")) {
            String key = Nodes.keyOn(redis, cluster.server(0).node());
            redis.set(key, "value");
            cluster.awaitWrites(1);
            open(redis, key, 4);
            cluster.server(0).freeze();
            Future<String> read = holding(redis, key, () -> redis.get(key));
            Future<List<String>> reads =
                    holding(redis, key, () -> redis.mget(key, "{" + key + "}none"));
            List<Future<?>> sent = fill(redis, key, 2);
            Future<Long> write = waiting(redis, key, () -> redis.incr("{" + key + "}count"));
            Future<List<String>> batch = waiting(redis, key, () -> batch(redis, key));
            cluster.server(2)
                    .ask(replica -> replica.clusterFailover(ClusterFailoverOption.TAKEOVER));
            assertEquals("value", soon(read));
            assertEquals("value", soon(reads).get(0));
            assertEquals(1, soon(write));
            assertEquals(List.of("OK", "batch"), soon(batch));
            requireStaying(sent);
            cluster.server(0).kill();
        }
    }

    /**
     * By the map the slot still belongs to the dead master, so the reads must not leave the replica
     * for it.
     */
    @Test
    void aReadThatIsSentToAReplicaInsteadOfItsMasterStaysThere() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(1, true);
                OneHopClient redis = cluster.client(TIMEOUT, "read_from: prefer_master")) {
            redis.set("key", "value");
            cluster.awaitWrites(1);
            cluster.server(0).kill();
            cluster.server(1).freeze();
            List<Future<String>> reads =
                    List.of(
                            threads.submit(() -> redis.get("key")),
                            threads.submit(() -> redis.mget("key", "{key}none").get(0)));
            Thread.sleep(4 * Timings.LEAVING_CHECK_MS);
            reads.forEach(read -> assertFalse(read.isDone(), "the read waits for the replica"));
            cluster.server(1).thaw();
            for (Future<String> read : reads) {
                assertEquals("value", soon(read));
            }
        }
    }

    @Test
    void aWriteThatWaitsMakesTheClientRefreshItsMap() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(2, true);
                OneHopClient redis = cluster.client(TIMEOUT)) {
            String key = Nodes.keyOn(redis, cluster.server(0).node());
            redis.set(key, "value");
            cluster.server(0).freeze();
            Future<Long> sent = holding(redis, key, () -> redis.append(key, "?"));
            cluster.server(2)
                    .ask(replica -> replica.clusterFailover(ClusterFailoverOption.TAKEOVER));
            assertTrue(
                    Callers.holdsSoon(
                            () ->
                                    cluster.server(2)
                                            .node()
                                            .equals(redis.topology().locate(key).name())));
            assertFalse(sent.isDone());
            cluster.server(0).kill();
        }
    }

    @Test
    void callsThatWaitLeaveANodeThatHasAnotherAddressInTheFile(@TempDir Path folder)
            throws Exception {
        ScriptedNode.Script silent =
                talk -> {
                    talk.handshake();
                    talk.awaitClose();
                };
        try (ScriptedNode hangs = ScriptedNode.start(silent);
                RedisServer next = RedisServer.start()) {
            Path file = folder.resolve("nutcracker.yml");
            String[] directives = {TIMEOUT, "pool_size: 4"};
            Files.writeString(file, text(hangs.server() + " a", directives));
            try (OneHopClient redis = Nodes.clientOf(file)) {
                open(redis, "key", 4);
                Future<String> read = holding(redis, "key", () -> redis.get("key"));
                Future<List<String>> reads = holding(redis, "key", () -> redis.mget("key", "b"));
                List<Future<?>> sent = fill(redis, "key", 2);
                Future<Long> write = waiting(redis, "key", () -> redis.incr("count"));
                Future<List<String>> batch = waiting(redis, "key", () -> batch(redis, "key"));
                Files.writeString(file, text(next.server() + " a", directives));
                soon(read);
                soon(reads);
                assertEquals(1, soon(write));
                assertEquals(List.of("OK", "batch"), soon(batch));
                requireStaying(sent);
            }
        }
    }

    @Test
    void aReadThatWasSentMayHaveBeenExecutedIfItsSuccessorIsDead(@TempDir Path folder)
            throws Exception {
        AtomicBoolean isSent = new AtomicBoolean();
        ScriptedNode.Script silent =
                talk -> {
                    talk.handshake().command();
                    isSent.set(true);
                    talk.awaitClose();
                };
        try (ScriptedNode hangs = ScriptedNode.start(silent)) {
            Path file = folder.resolve("nutcracker.yml");
            Files.writeString(file, text(hangs.server() + " a", TIMEOUT));
            try (OneHopClient redis = Nodes.clientOf(file)) {
                Future<String> read = threads.submit(() -> redis.get("key"));
                RedisCluster.await("the read is sent", isSent::get);
                Files.writeString(file, text(Nodes.refusing() + " a", TIMEOUT));
                Throwable failure =
                        assertThrows(ExecutionException.class, () -> soon(read)).getCause();
                assertTrue(assertInstanceOf(NodeDown.class, failure).mayHaveExecuted());
            }
        }
    }

    private static String text(String server, String... directives) {
        return Nodes.configOf(Stream.of(server), directives);
    }

    @Test
    void aBlockingCommandLeavesItsNodeOnlyIfItWasNotSent() throws Exception {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = Nodes.clientOf(masters.config(TIMEOUT, "pool_size: 1"))) {
            redis.set("key", "value");
            Future<List<String>> sent = holding(redis, "key", () -> redis.blpop(300, "list"));
            RedisCluster.await("the call blocks", () -> Callers.blocked(masters.master(0)) == 1);
            masters.master(0).freeze();
            Future<List<String>> unsent = waiting(redis, "key", () -> redis.blpop(300, "list"));
            masters.failOver(0);
            RedisCluster.await("the call blocks", () -> blocks(masters.replica(0)));
            masters.replica(0).ask(master -> master.rpush("list", "element"));
            assertEquals(List.of("list", "element"), soon(unsent));
            assertFalse(sent.isDone());
        }
    }

    private static boolean blocks(RedisServer replica) {
        try {
            return Callers.blocked(replica) == 1;
        } catch (JedisConnectionException promoted) {
            return false; // A Sentinel closes all connections of a replica that it promotes.
        }
    }

    @Test
    void aReplicaThatHangsTakesHalfOfTheTimeOfARead() throws Exception {
        ScriptedNode.Script silent =
                talk -> {
                    talk.handshake();
                    talk.awaitClose();
                };
        try (ScriptedNode hangs = ScriptedNode.start(silent);
                RedisServer master = RedisServer.start();
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(master.server() + " a"),
                                "timeout: 6000",
                                "pool_size: 1",
                                "read_from: prefer_replica",
                                "replicas:\n   - " + hangs.node() + " a")) {
            redis.set("key", "value");
            long beginNs = System.nanoTime();
            Future<String> sent = threads.submit(() -> redis.get("key"));
            RedisCluster.await("the read is sent", () -> hangs.connections() == 1);
            Future<String> unsent = threads.submit(() -> redis.get("key"));
            Future<List<String>> batch = threads.submit(() -> redis.mget("key", "none"));
            assertEquals("value", soon(sent));
            long tookNs = System.nanoTime() - beginNs; // The client counts whole milliseconds.
            assertTrue(tookNs >= 2_999_000_000L, tookNs + " ns");
            assertEquals("value", soon(unsent));
            assertEquals("value", soon(batch).get(0));
            assertEquals("value", redis.get("key"));
        }
    }
}
