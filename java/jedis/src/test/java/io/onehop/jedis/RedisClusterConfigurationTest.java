package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertEnds;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Role;
import io.onehop.core.topology.DirectiveValue.ReadFrom;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.SilentAddress;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The configuration of a Redis Cluster changes while the client is used. */
class RedisClusterConfigurationTest {
    @TempDir private Path folder;
    private final Log log = new Log();
    private RedisCluster cluster;
    private OneHopClient client;

    @BeforeEach
    void start() {
        cluster = RedisCluster.start(3, true);
        write(seed(0));
        client = Nodes.clientOf(folder.resolve("nutcracker.yml"));
    }

    @AfterEach
    void stop() {
        client.close();
        cluster.close();
        log.close();
    }

    private void write(String text) {
        try {
            Files.move(
                    Files.writeString(folder.resolve("beside"), text),
                    folder.resolve("nutcracker.yml"),
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The cluster, configured with one seed. */
    private String seed(int server, String... directives) {
        return cluster.config(directives)
                .replace(cluster.server(0).server(), cluster.server(server).server());
    }

    @Test
    void aClusterInAPoolWithoutTheDirectiveIsReported() {
        String config = Nodes.configOf(Stream.of(cluster.server(0).server() + " one"));
        String moved =
                Stream.of("a", "b", "c", "d", "e", "f", "g", "h")
                        .filter(key -> cluster.ownerOf(RedisCluster.slot(key)) != 0)
                        .findFirst()
                        .orElseThrow();
        try (OneHopClient plain = Nodes.clientOf(config)) {
            ConfigInvalid single = assertThrows(ConfigInvalid.class, () -> plain.get(moved));
            assertBegins("The node belongs to a Redis Cluster: it answered MOVED ", single);
            assertEnds("set \"cluster: true\" in the server pool", single);
            assertEquals("one", single.getNode());
            AbstractPipeline batch = plain.pipelined();
            Response<String> reply = batch.get(moved);
            assertThrows(ConfigInvalid.class, batch::sync);
            assertThrows(ConfigInvalid.class, reply::get);
        }
    }

    private void change(String text, Predicate<ServerPool> isThere) {
        write(text);
        RedisCluster.await(
                "the client uses the new file",
                () -> isThere.test(client.snapshots().newest().pool()));
    }

    /** A subscription to a channel, in a thread of its own. */
    private final class Listening extends JedisPubSub {
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private final Callers.Running running =
                new Callers.Running(() -> client.subscribe(this, "news"));

        Listening() {
            RedisCluster.await("the subscription has begun", this::isSubscribed);
        }

        @Override
        public void onMessage(String channel, String message) {
            heard.add(message);
        }

        void hears(String message) {
            client.publish("news", message);
            RedisCluster.await("the message was heard", () -> heard.contains(message));
        }
    }

    /* ---- Under load ---- */

    @Test
    void noCallFailsUnderLoadWhileSeedsAndDirectivesChange() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong calls = new AtomicLong();
        Listening listening = new Listening();
        List<Callers.Running> callers =
                IntStream.range(0, 3)
                        .mapToObj(number -> new Callers.Running(() -> call(number, isOver, calls)))
                        .toList();
        change(seed(1), pool -> pool.servers().get(0).address().equals(cluster.server(1).node()));
        listening.hears("by other seeds");
        change(seed(1, "pool_size: 3"), pool -> pool.poolSize() == 3);
        NodeDown over = assertInstanceOf(NodeDown.class, listening.running.end());
        assertSays("subscribe again", over);
        change(
                seed(2, "read_from: prefer_replica"),
                pool -> pool.readFrom() == ReadFrom.PREFER_REPLICA);
        change(
                seed(4, "timeout: 40000"),
                pool -> pool.timeoutMs() == 40000 && pool.readFrom() == ReadFrom.MASTER);
        change(seed(0), pool -> pool.timeoutMs() != 40000);
        isOver.set(true);
        for (Callers.Running caller : callers) {
            assertNull(caller.end());
        }
        assertTrue(calls.get() > 100, calls + " calls");
        assertEquals(6, client.topology().nodes().size());
        Inspected.assertNothingLeased(client);
        assertEquals(
                List.of(),
                log.taken().stream().filter(line -> line.startsWith("warning")).toList());
    }

    private void call(int number, AtomicBoolean isOver, AtomicLong calls) {
        for (int round = 1; !isOver.get(); round++) {
            if (number == 0) {
                pipeline(round);
            } else {
                single("thread:" + number + ":" + round % 500);
            }
            calls.incrementAndGet();
        }
    }

    private void single(String key) {
        client.set(key, "value of " + key);
        String found = client.get(key);
        if (found != null) { // A replica may not have the key yet.
            assertEquals("value of " + key, found);
        }
    }

    private void pipeline(int round) {
        List<Response<Long>> counts = new ArrayList<>();
        try (AbstractPipeline batch = client.pipelined()) {
            for (int i = 0; i < 50; i++) {
                counts.add(batch.incr("count:" + i));
                counts.add(batch.incr("count:" + i));
            }
        }
        for (int i = 0; i < counts.size(); i++) {
            assertEquals(2L * round - 1 + i % 2, counts.get(i).get());
        }
    }

    /* ---- From a cluster and back ---- */

    @Test
    void aPoolBecomesPlainServersAndAClusterAgainDuringABatchATransactionAndASubscription()
            throws Exception {
        try (RedisServer plain = RedisServer.start()) {
            String key = RedisCluster.tagIn(5000);
            String moved = RedisCluster.tagIn(100);
            client.mset(key, "cluster", moved, "cluster");
            Listening listening = new Listening();
            AbstractPipeline batch = client.pipelined();
            Response<String> first = batch.get(key);
            Response<String> second = batch.get(moved);
            AbstractTransaction transaction = client.multi();
            transaction.append(key, "!");
            change(Nodes.configOf(Stream.of(plain.server())), pool -> !pool.cluster());
            NodeDown over = assertInstanceOf(NodeDown.class, listening.running.end());
            assertSays("subscribe again", over);
            long asked = asked();
            assertNull(client.get(key));
            client.set(key, "plain");
            assertEquals(Role.NONE, client.topology().nodes().get(0).role());
            cluster.move(100, 0, 2);
            // A node answers MOVED, but the new configuration has no map of the cluster.
            batch.sync();
            assertEquals("cluster", first.get());
            assertEquals("cluster", second.get());
            assertEquals(List.of(8L), transaction.exec());
            assertEquals("plain", client.get(key));
            assertEquals(0, plain.calls("cluster|info") + plain.calls("cluster|shards"));
            assertEquals(asked, asked(), "no map was asked for while the pool was not a cluster");
            change(seed(1), ServerPool::cluster);
            assertEquals("cluster!", client.get(key));
            assertEquals("cluster", client.get(moved));
            assertEquals(cluster.server(2).node(), client.topology().locate(moved).name());
            assertEquals("plain", plain.ask(jedis -> jedis.get(key)));
            assertEquals(
                    List.of(),
                    log.taken().stream().filter(line -> line.startsWith("warning")).toList());
        }
    }

    private long asked() {
        return IntStream.range(0, 6)
                .mapToLong(i -> cluster.server(i).calls("cluster|shards"))
                .sum();
    }

    @Test
    void aTransactionThatIsRedirectedAfterTheConfigurationHasNoClusterAnyMoreFailsAsAWhole()
            throws Exception {
        try (RedisServer plain = RedisServer.start()) {
            String key = RedisCluster.tagIn(100);
            client.set(key, "1");
            try (AbstractTransaction transaction = client.transaction(false)) {
                transaction.watch(key);
                change(Nodes.configOf(Stream.of(plain.server())), pool -> !pool.cluster());
                cluster.move(100, 0, 2);
                NodeDown lost = assertThrows(NodeDown.class, () -> transaction.get(key));
                assertSays("a transaction is never sent again", lost);
            }
        }
    }

    @Test
    void aFileWithDeadSeedsIsUsedIfTheSeedsAreNodesOfTheMap() {
        client.set("a", "1");
        cluster.server(0).kill();
        change(seed(0, "timeout: 40000"), pool -> pool.timeoutMs() == 40000);
        RedisCluster.await(
                "the replica of the dead seed serves",
                () -> {
                    try {
                        return client.set(RedisCluster.tagIn(0), "1").equals("OK")
                                && client.get("a").equals("1");
                    } catch (OneHopException election) {
                        return false;
                    }
                });
    }

    @Test
    void aConfigurationOfAClusterIsNotUsedUntilItsMapIsKnown() {
        client.set("a", "1");
        try (RedisCluster other = RedisCluster.start(1, false)) {
            other.server(0).freeze();
            write(other.config("timeout: 1500"));
            List<String> lines = new ArrayList<>();
            RedisCluster.await(
                    "the log has the failure",
                    () -> {
                        lines.addAll(log.taken());
                        return lines.stream()
                                .anyMatch(
                                        line ->
                                                line.contains(
                                                                "No node returned the map of the"
                                                                        + " cluster: "
                                                                        + other.server(0).node()
                                                                        + ": ")
                                                        && line.contains(", server pool alpha; "));
                    });
            assertEquals("1", client.get("a"));
            other.server(0).thaw();
            RedisCluster.await(
                    "the new cluster is used", () -> client.topology().nodes().size() == 1);
            assertNull(client.get("a"));
        }
    }

    /** Each silent seed costs only a step of the timeout. */
    @Test
    void silentSeedsDoNotHideTheOneThatAnswers() throws IOException {
        try (RedisCluster cluster = RedisCluster.start(1, false);
                SilentAddress first = SilentAddress.at("127.0.0.1", 0);
                SilentAddress second = SilentAddress.at("127.0.0.1", 0);
                SilentAddress third = SilentAddress.at("127.0.0.1", 0)) {
            for (int i = 0; i < 3; i++) {
                String config = cluster.config("timeout: 10000");
                for (SilentAddress silent : List.of(first, second, third)) {
                    config += "    - 127.0.0.1:" + silent.port() + ":1\n";
                }
                try (OneHopClient client = Nodes.clientOf(config)) {
                    assertEquals("OK", client.set("key", "value"));
                }
            }
        }
    }
}
