package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.onehop.core.Role;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Server pools whose masters real Sentinels watch. */
class SentinelsTest {
    private static final List<String> KEYS = List.of(Nodes.keys(100));

    private static OneHopClient client(WatchedMasters masters, String... directives) {
        return Nodes.clientOf(masters.config(directives));
    }

    private static String address(OneHopClient redis, int number) {
        return redis.topology().find("node-" + number).address();
    }

    /** Fails over, and waits until the client has the new address. */
    private static void failOver(WatchedMasters masters, OneHopClient redis) {
        masters.failOver(0);
        RedisCluster.await(
                "the new address is adopted",
                () -> address(redis, 0).equals(masters.replica(0).node()));
    }

    private static List<String> homes(OneHopClient redis) {
        return KEYS.stream().map(key -> redis.topology().locate(key).name()).toList();
    }

    private static void requireAll(OneHopClient redis) {
        assertEquals(KEYS, redis.mget(KEYS.toArray(String[]::new)));
    }

    @Test
    void aPlannedFailoverMovesTheAddressOfAMasterButNoKey() {
        try (WatchedMasters masters = WatchedMasters.start(2);
                OneHopClient redis = client(masters)) {
            KEYS.forEach(key -> redis.set(key, key));
            List<String> homes = homes(redis);
            String fingerprint = redis.topology().fingerprint();
            failOver(masters, redis);
            requireAll(redis);
            KEYS.forEach(key -> redis.set(key, key));
            requireAll(redis);
            assertEquals(homes, homes(redis));
            assertEquals(fingerprint, redis.topology().fingerprint());
            assertEquals(masters.master(1).node(), address(redis, 1));
            assertTrue(masters.replica(0).calls("set") > 0);
        }
    }

    @Test
    void callsWaitForTheSuccessorOfAMasterThatDies() {
        try (WatchedMasters masters = WatchedMasters.start(2);
                OneHopClient redis = client(masters, "timeout: 60000")) {
            KEYS.forEach(key -> redis.set(key, key));
            masters.master(0).ask(master -> master.waitReplicas(1, 30_000));
            masters.master(0).kill();
            requireAll(redis); // The dead master has not received its part of this split command.
            assertEquals(masters.replica(0).node(), address(redis, 0));
            KEYS.forEach(key -> redis.set(key, key));
            requireAll(redis);
        }
    }

    @Test
    void aBatchWaitsForTheSuccessorToo() {
        try (WatchedMasters masters = WatchedMasters.start(2);
                OneHopClient redis = client(masters, "timeout: 60000")) {
            redis.set("key:0", "before");
            masters.master(0).kill();
            masters.master(1).kill();
            List<Response<Long>> counts = new ArrayList<>();
            try (AbstractPipeline batch = redis.pipelined()) {
                KEYS.forEach(key -> counts.add(batch.incr("count:" + key)));
                batch.sync();
            }
            counts.forEach(count -> assertEquals(1L, count.get()));
            assertEquals(masters.replica(0).node(), address(redis, 0));
            assertEquals(masters.replica(1).node(), address(redis, 1));
        }
    }

    @Test
    void aSingleCommandWaitsForTheSuccessorToo() {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = client(masters, "timeout: 60000")) {
            redis.set("key", "before");
            masters.master(0).kill();
            assertEquals("OK", redis.set("key", "after"));
            assertEquals("after", redis.get("key"));
        }
    }

    private static void failOverOneThatRefusesWrites(WatchedMasters masters) {
        masters.master(0).ask(master -> master.configSet("min-replicas-to-write", "2"));
        masters.failOver(0);
    }

    @Test
    void aWriteThatIsRefusedForLackOfReplicasWaitsForTheSuccessorToo() {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = client(masters, "timeout: 60000")) {
            redis.set("key", "before");
            failOverOneThatRefusesWrites(masters);
            assertEquals("OK", redis.set("key", "after"));
            assertEquals("after", redis.get("key"));
            assertEquals(masters.replica(0).node(), address(redis, 0));
        }
    }

    @Test
    void ifNoSentinelAnswersTheAddressesOfTheConfigurationAreUsed() {
        try (WatchedMasters masters = WatchedMasters.start(1)) {
            masters.blind();
            try (Log log = new Log();
                    OneHopClient redis = client(masters)) {
                assertEquals("OK", redis.set("key", "value"));
                assertEquals("value", redis.get("key"));
                List<String> lines = new ArrayList<>();
                RedisCluster.await("the log has a line", () -> lines.addAll(log.taken()));
                assertEquals(
                        List.of(
                                "warning: no Sentinel of server pool alpha names master node-0 (it"
                                    + " did not answer): its address in the configuration stays in"
                                    + " use"),
                        lines);
            }
        }
    }

    @Test
    void theLastKnownMastersAreUsedAfterAllSentinelsHaveEnded() {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = client(masters)) {
            redis.set("key", "value");
            failOver(masters, redis);
            masters.blind();
            for (int i = 0; i < 300; i++) {
                assertEquals("OK", redis.set("key", "value"));
            }
            assertEquals(masters.replica(0).node(), address(redis, 0));
        }
    }

    @Test
    void aChangedConfigurationKeepsTheMastersThatAreKnown(@TempDir Path folder) throws IOException {
        try (WatchedMasters masters = WatchedMasters.start(1)) {
            Path file = Files.writeString(folder.resolve("a.yml"), masters.config());
            try (OneHopClient redis = Nodes.clientOf(file);
                    Log log = new Log()) {
                redis.set("key", "value");
                failOver(masters, redis);
                masters.blind();
                Files.writeString(file, masters.config("timeout: 40000"));
                List<String> lines = new ArrayList<>();
                RedisCluster.await(
                        "the change is adopted",
                        () -> {
                            lines.addAll(log.taken());
                            return lines.stream()
                                    .anyMatch(line -> line.contains(" changed: 0.0 %"));
                        });
                assertEquals(masters.replica(0).node(), address(redis, 0));
                assertEquals("OK", redis.set("key", "value"));
            }
        }
    }

    @Test
    void aNodeThatIsNotAMasterGetsNoCommand() {
        try (WatchedMasters masters = WatchedMasters.start(1)) {
            masters.blind();
            String config =
                    masters.config("timeout: 700")
                            .replace(masters.master(0).server(), masters.replica(0).server());
            try (OneHopClient redis = Nodes.clientOf(config)) {
                RedisCluster.await(
                        "the failure names the reason", // A deadline may come first.
                        () -> {
                            OneHopException failure =
                                    assertThrows(
                                            OneHopException.class, () -> redis.set("key", "value"));
                            assertFalse(failure.mayHaveExecuted());
                            return failure.getMessage().contains("not a master: ROLE says slave");
                        });
                assertEquals(0, masters.replica(0).calls("set"));
            }
        }
    }

    @Test
    void theStatusAndTheMetricsNameMastersAndReplicas() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = client(masters, "read_from: prefer_replica")) {
            new OneHopMetrics(redis).bindTo(registry);
            assertEquals(Role.NONE, redis.status().nodes().get(0).role());
            assertNull(registry.find("onehop.node.info").gauge());
            redis.set("key", "value");
            RedisCluster.await(
                    "the replica is known",
                    () -> registry.find("onehop.node.info").gauges().size() == 2);
            NodeStatus master = redis.status().nodes().get(0);
            NodeStatus replica = redis.status().nodes().get(1);
            assertEquals(Role.MASTER, master.role());
            assertNull(master.master());
            assertEquals(Role.REPLICA, replica.role());
            assertEquals("node-0", replica.master());
            registry.get("onehop.node.info")
                    .tags("node", "node-0", "role", "master", "master", "")
                    .gauge();
            registry.get("onehop.node.info")
                    .tags("node", replica.name(), "role", "replica", "master", "node-0")
                    .gauge();
        }
    }

    @Test
    void sentinelsMayRequireAPassword() {
        try (WatchedMasters masters = WatchedMasters.start(1, "word");
                OneHopClient redis = client(masters, "sentinel_password: word")) {
            assertNull(redis.get("key"));
            failOver(masters, redis);
            assertEquals("OK", redis.set("key", "value"));
        }
    }

    @Test
    void aClientListensToAllSentinelsUntilItIsClosed() {
        try (WatchedMasters masters = WatchedMasters.start(1)) {
            try (OneHopClient redis = client(masters)) {
                redis.set("key", "value");
                RedisCluster.await(
                        "the client listens to all Sentinels",
                        () -> masters.listeners().equals(List.of(1, 1, 1)));
            }
            RedisCluster.await(
                    "the client listens to no Sentinel",
                    () -> masters.listeners().equals(List.of(0, 0, 0)));
        }
    }

    /**
     * In a batch the write waits for the successor; the read behind it could be answered at once.
     */
    @Test
    void aReadBehindARefusedWriteSeesTheWrite() {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = client(masters, "timeout: 60000")) {
            redis.set("key", "before");
            failOverOneThatRefusesWrites(masters);
            try (AbstractPipeline batch = redis.pipelined()) {
                Response<String> write = batch.set("key", "after");
                Response<String> read = batch.get("key");
                batch.sync();
                assertEquals("OK", write.get());
                assertEquals("after", read.get());
            }
        }
    }

    /**
     * The others answer a tenth of a second after the first one. If a busy machine delays them for
     * much longer, the first one does decide.
     */
    @Test
    void theSentinelThatAnswersFirstDoesNotDecideAlone() {
        assertTrue(IntStream.range(0, 3).anyMatch(i -> areTheOthersHeard()));
    }

    private static boolean areTheOthersHeard() {
        CountDownLatch hasLied = new CountDownLatch(1);
        try (RedisServer right = RedisServer.start();
                RedisServer wrong = RedisServer.start();
                ScriptedNode liar =
                        sentinel(wrong.port(), 1_000_000_000, () -> {}, hasLied::countDown);
                ScriptedNode second = sentinel(right.port(), 1, () -> follow(hasLied), () -> {});
                ScriptedNode third = sentinel(right.port(), 1, () -> follow(hasLied), () -> {});
                OneHopClient redis =
                        Nodes.clientOf(
                                "alpha:\n  timeout: 30000\n  sentinels:\n"
                                        + "   - %s\n   - %s\n   - %s\n"
                                                .formatted(liar.node(), second.node(), third.node())
                                        + "  servers:\n   - 127.0.0.1:1 node-0\n")) {
            for (int i = 0; i < 20; i++) {
                redis.set("key", "value");
            }
            assertEquals(20, wrong.calls("set") + right.calls("set"));
            return wrong.calls("set") == 0;
        }
    }

    private static void follow(CountDownLatch first) {
        try {
            assertTrue(first.await(30, TimeUnit.SECONDS));
            Thread.sleep(100);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A Sentinel that names 127.0.0.1 with this port as the address of each master.
     *
     * @param before called before it answers
     * @param after called after it has answered
     */
    private static ScriptedNode sentinel(int port, long epoch, Runnable before, Runnable after) {
        return ScriptedNode.start(
                talk -> {
                    String digits = String.valueOf(epoch);
                    for (List<String> words : talk.commands()) {
                        if (words.contains("GET-MASTER-ADDR-BY-NAME")) {
                            before.run();
                            talk.send("*2\r\n$9\r\n127.0.0.1\r\n").bulk(String.valueOf(port));
                        } else if (words.get(0).equals("PING")) {
                            talk.send("+PONG\r\n");
                        } else if (words.contains("MASTER")) {
                            talk.send("*2\r\n$12\r\nconfig-epoch\r\n").bulk(digits);
                            after.run();
                        }
                    }
                });
    }

    @Test
    void aRefusedWriteIsNotSentAgainIfALaterWriteWasExecuted() {
        List<List<String>> writes = new CopyOnWriteArrayList<>();
        List<String> replies = List.of("-NOREPLICAS Not enough good replicas\r\n", "+OK\r\n");
        try (ScriptedNode node = ScriptedNode.start(talk -> answer(talk, writes, replies));
                OneHopClient redis = withoutSentinels("   - " + node.server() + " node-0\n");
                AbstractPipeline batch = redis.pipelined()) {
            Response<String> first = batch.set("key", "first");
            Response<String> second = batch.set("key", "second");
            batch.sync();
            assertBegins("NOREPLICAS", assertThrows(JedisDataException.class, first::get));
            assertEquals("OK", second.get());
            assertEquals(
                    List.of(List.of("SET", "key", "first"), List.of("SET", "key", "second")),
                    writes);
        }
    }

    /** A master that answers its writes with these replies, one after another. */
    private static void answer(
            ScriptedNode.Talk talk, List<List<String>> writes, List<String> replies)
            throws IOException {
        for (List<String> command : talk.commands()) {
            if (command.get(0).equals("ROLE")) {
                talk.send("*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
            } else if (command.get(0).equals("SET")) {
                writes.add(command);
                talk.send(replies.get(writes.size() - 1));
            } else {
                talk.send("+PONG\r\n");
            }
        }
    }

    private static OneHopClient withoutSentinels(String servers) {
        return Nodes.clientOf(configWithoutSentinels(servers));
    }

    /** At the address of its Sentinel nothing runs, so the addresses of its servers are used. */
    private static String configWithoutSentinels(String servers) {
        return "alpha:\n  timeout: 30000\n  sentinels: [127.0.0.1:1]\n  servers:\n" + servers;
    }

    @Test
    void aWriteThatWaitsForItsServerGoesThereAlsoIfServersAreAddedMeanwhile(@TempDir Path folder)
            throws Exception {
        try (RedisServer south = RedisServer.start();
                RedisServer north = RedisServer.start()) {
            String servers = "   - " + south.server() + " south\n";
            Path file = Files.writeString(folder.resolve("a.yml"), configWithoutSentinels(servers));
            try (OneHopClient redis = Nodes.clientOf(file)) {
                redis.set("key", "before");
                south.kill();
                CompletableFuture<String> write =
                        CompletableFuture.supplyAsync(() -> redis.set("key", "after"));
                Files.writeString(
                        file,
                        configWithoutSentinels(servers + "   - " + north.server() + " north\n"));
                RedisCluster.await(
                        "the change is adopted", () -> redis.topology().nodes().size() == 2);
                south.restart();
                assertEquals("OK", write.get());
                assertEquals(0, north.calls("set"));
                assertEquals(1, south.calls("set"));
            }
        }
    }

    @Test
    void aReplyOfASentinelThatDoesNotEndIsNeitherUsedNorReadForever() {
        AtomicLong sent = new AtomicLong();
        try (RedisServer server = RedisServer.start();
                ScriptedNode sentinel =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake().command();
                                    sent.accumulateAndGet(talk.endlessBulk(), Math::max);
                                });
                OneHopClient redis =
                        Nodes.clientOf(
                                "alpha:\n  timeout: 30000\n  sentinels: ["
                                        + sentinel.node()
                                        + "]\n  servers:\n   - "
                                        + server.server()
                                        + " node-0\n")) {
            assertEquals("OK", redis.set("key", "value"));
            RedisCluster.await("the Sentinel sees the end", () -> sent.get() > 0);
            assertTrue(sent.get() < 40_000_000, sent + " bytes, those of the kernel included");
        }
    }

    /** The Sentinel and the master accept connections, but never answer. */
    @Test
    void theFirstCallEndsAtItsDeadlineIfNeitherSentinelsNorNodeAnswer() {
        try (ScriptedNode hangs = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient redis =
                        Nodes.clientOf(
                                "alpha:\n  timeout: 6000\n  sentinels: ["
                                        + hangs.node()
                                        + "]\n  servers:\n   - "
                                        + hangs.server()
                                        + " node-0\n")) {
            long began = System.nanoTime();
            assertThrows(OneHopException.class, () -> redis.set("key", "value"));
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertTrue(tookMs < 10_500, "it took " + tookMs + " ms");
        }
    }
}
