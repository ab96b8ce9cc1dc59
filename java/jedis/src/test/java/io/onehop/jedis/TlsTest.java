package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.Relay;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.TlsServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Response;
import redis.clients.jedis.SslOptions;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

/** Calls over TLS: everything works as over plain connections. */
@Timeout(60)
final class TlsTest {
    private static final int NODES = 4;

    @TempDir static Path folder;

    private static Certificates certificates;
    private static SSLContext context;
    private static List<TlsServer> servers;

    @BeforeAll
    static void start() {
        certificates = new Certificates(folder);
        context = certificates.context();
        servers =
                IntStream.range(0, NODES)
                        .mapToObj(i -> TlsServer.start(certificates, "node"))
                        .toList();
    }

    @AfterAll
    static void stop() {
        servers.forEach(TlsServer::close);
    }

    private static String config(String... directives) {
        return Nodes.configOf(servers.stream().map(TlsServer::server), directives);
    }

    private static OneHopClient client(String... more) {
        return Nodes.clientOf(OneHopClient.builder().tls(context), config(more));
    }

    private static OneHopClient clientOf(String server, String... directives) {
        return Nodes.clientOf(
                OneHopClient.builder().tls(context), Nodes.configOf(Stream.of(server), directives));
    }

    private static void flush() {
        for (TlsServer server : servers) {
            try (Jedis jedis = server.jedis()) {
                jedis.flushAll();
            }
        }
    }

    /** Keys move by MIGRATE if the servers speak TLS to each other, otherwise by the client. */
    @ParameterizedTest
    @ValueSource(strings = {"yes", "no"})
    void aKeyMovesOverTls(String amongServers) {
        try (TlsServer old = TlsServer.start(certificates, "node", "tls-cluster", amongServers);
                TlsServer owner = TlsServer.start(certificates, "node");
                OneHopClient redis =
                        Nodes.clientOf(
                                OneHopClient.builder().tls(context),
                                Nodes.configOf(Stream.of(owner.server()))
                                        + "  moving_from:\n    - "
                                        + old.server()
                                        + "\n")) {
            try (Jedis before = old.jedis();
                    Jedis after = owner.jedis()) {
                before.set("key", "1");
                assertEquals("1", redis.get("key"));
                assertEquals(2, redis.incr("key"));
                assertFalse(before.exists("key"));
                assertEquals("2", after.get("key"));
                String failed = amongServers.equals("yes") ? "0" : "1";
                assertTrue(
                        before.info("commandstats")
                                .lines()
                                .anyMatch(
                                        line ->
                                                line.startsWith("cmdstat_migrate:")
                                                        && line.endsWith("failed_calls=" + failed)),
                        before.info("commandstats"));
            }
        }
    }

    @Test
    void aBatchOfAThousandHgetsOverFourNodesReturnsEachValue() {
        flush();
        try (OneHopClient redis = client()) {
            for (int i = 0; i < 1000; i++) {
                redis.hset("user:" + i, "name", "name of " + i);
            }
            for (int round = 0; round < 5; round++) {
                List<Response<String>> names = new ArrayList<>();
                try (AbstractPipeline batch = redis.pipelined()) {
                    for (int i = 0; i < 1000; i++) {
                        names.add(batch.hget("user:" + i, "name"));
                    }
                    batch.sync();
                }
                for (int i = 0; i < 1000; i++) {
                    assertEquals("name of " + i, names.get(i).get());
                }
            }
            assertEquals(1000, redis.dbSize());
            assertTrue(redis.status().nodes().stream().allMatch(n -> n.connects() == 1));
        }
    }

    @Test
    void valuesLargerThanEveryBufferTravelBothWaysInOneBatch() {
        flush();
        byte[] value = new byte[3_000_000];
        new Random(7).nextBytes(value);
        try (OneHopClient redis = client("timeout: 60000")) {
            List<Response<byte[]>> values = new ArrayList<>();
            try (AbstractPipeline batch = redis.pipelined()) {
                for (int i = 0; i < 12; i++) {
                    batch.set(("large:" + i).getBytes(), value);
                    values.add(batch.get(("large:" + i).getBytes()));
                }
                batch.sync();
            }
            for (Response<byte[]> each : values) {
                assertArrayEquals(value, each.get());
            }
            assertArrayEquals(value, redis.get("large:0".getBytes()));
        }
    }

    @Test
    void splitCommandsTransactionsAndScriptsWork() {
        flush();
        try (OneHopClient redis = client()) {
            String[] pairs = new String[400];
            String[] keys = new String[200];
            for (int i = 0; i < 200; i++) {
                keys[i] = "key:" + i;
                pairs[2 * i] = keys[i];
                pairs[2 * i + 1] = "value " + i;
            }
            redis.mset(pairs);
            List<String> found = redis.mget(keys);
            for (int i = 0; i < 200; i++) {
                assertEquals("value " + i, found.get(i));
            }
            try (AbstractTransaction transaction = redis.transaction(true)) {
                transaction.incr("count");
                transaction.incr("count");
                assertEquals(List.of(1L, 2L), transaction.exec());
            }
            assertEquals("2", redis.eval("return redis.call('get', KEYS[1])", 1, "count"));
        }
    }

    @Test
    void aSubscriptionReceivesManyMessages() throws InterruptedException {
        try (OneHopClient redis = client()) {
            int count = 2000;
            CountDownLatch ready = new CountDownLatch(1);
            List<String> seen = new ArrayList<>();
            String text = "m".repeat(300);
            JedisPubSub subscriber =
                    new JedisPubSub() {
                        @Override
                        public void onSubscribe(String channel, int channels) {
                            ready.countDown();
                        }

                        @Override
                        public void onMessage(String channel, String message) {
                            seen.add(message);
                            if (seen.size() == count) {
                                unsubscribe();
                            }
                        }
                    };
            Thread listener = new Thread(() -> redis.subscribe(subscriber, "news"));
            listener.start();
            assertTrue(ready.await(30, TimeUnit.SECONDS));
            try (AbstractPipeline batch = redis.pipelined()) {
                for (int i = 0; i < count; i++) {
                    batch.publish("news", i + text);
                }
                batch.sync();
            }
            listener.join(30_000);
            assertEquals(IntStream.range(0, count).mapToObj(i -> i + text).toList(), seen);
        }
    }

    @Test
    void threadsShareTheClientAndNothingStaysOpen() throws Exception {
        flush();
        try (OneHopClient first = client()) {
            first.set("warm", "up");
        }
        long before = descriptors();
        try (OneHopClient redis = client("pool_size: 4")) {
            Callers.inThreads(12, number -> countUp(redis, number));
        }
        RedisCluster.await("all connections are closed", () -> descriptors() <= before);
        for (TlsServer server : servers) {
            RedisCluster.await("no client is left", () -> server.redis().clients() == 0);
        }
    }

    private static void countUp(OneHopClient redis, int number) {
        for (int i = 1; i <= 100; i++) {
            String key = "counter:" + number + ":" + i % 7;
            redis.set(key, number + "/" + i);
            assertEquals(number + "/" + i, redis.get(key));
            try (AbstractPipeline batch = redis.pipelined()) {
                Response<String> again = batch.get(key);
                Response<Long> count = batch.incr("sum:" + number);
                batch.sync();
                assertEquals(number + "/" + i, again.get());
                assertEquals(i, count.get());
            }
        }
    }

    private static long descriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }

    @Test
    void anInterruptEndsAHandshakeAndACall() throws Exception {
        servers.get(0).redis().freeze();
        try (OneHopClient redis = client("timeout: 30000")) {
            String key = Nodes.keyOn(redis, servers.get(0).node());
            Callers.Running caller = new Callers.Running(() -> redis.get(key));
            Thread.sleep(300);
            caller.thread.interrupt();
            OneHopException failure = assertInstanceOf(OneHopException.class, caller.end());
            assertSays("interrupted", failure);
            assertFalse(failure.mayHaveExecuted());
        } finally {
            servers.get(0).redis().thaw();
        }
    }

    @Test
    void bothVersionsOfTlsWork() {
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            try (TlsServer server =
                            TlsServer.start(certificates, "node", "tls-protocols", version);
                    OneHopClient redis = clientOf(server.server())) {
                for (int i = 0; i < 300; i++) {
                    redis.set("key:" + i, "value");
                }
                assertEquals(300, redis.dbSize());
            }
        }
    }

    @Test
    void theOptionsOfJedisWork() {
        String yml = config();
        certificates.options(); // Creates the key store.
        File store = new File(certificates.path("trust.p12"));
        try (OneHopClient redis = encrypted(yml, store, Certificates.PASSPHRASE.toCharArray())) {
            redis.set("served", "yes");
            assertEquals("yes", redis.get("served"));
        }
    }

    /** docs/tls.md quotes this method. */
    static OneHopClient encrypted(String yml, File trustedCertificates, char[] password) {
        SslOptions options =
                SslOptions.builder()
                        .truststore(trustedCertificates, password)
                        .trustStoreType("PKCS12")
                        .build();
        return OneHopClient.builder().configText(yml).pool("alpha").tls(options).build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aLaterHandshakeResumesTheSession(String version) {
        SSLContext shared = certificates.context();
        try (TlsServer server = TlsServer.start(certificates, "node", "tls-protocols", version);
                Relay relay = Relay.to(server.port())) {
            long[] bytes = new long[2];
            for (int i = 0; i < 2; i++) {
                long before = relay.given();
                try (OneHopClient redis =
                        Nodes.clientOf(
                                OneHopClient.builder().tls(shared),
                                Nodes.configOf(Stream.of(relay.server())))) {
                    assertNull(redis.get("missing"));
                    bytes[i] = relay.given() - before;
                }
            }
            assertTrue(bytes[1] < bytes[0] * 2 / 3, bytes[0] + " bytes, then " + bytes[1]);
        }
    }

    @Test
    void ssdbIsServedThroughATlsTerminator() {
        try (ScriptedNode ssdb = ScriptedNode.start(TlsTest::answerAsSsdb);
                Relay terminator = Relay.terminator(certificates, "node", ssdb.port());
                OneHopClient redis = clientOf(terminator.server(), "engine: ssdb")) {
            assertEquals("v", redis.get("key"));
        }
    }

    private static void answerAsSsdb(ScriptedNode.Talk talk) throws IOException {
        for (List<String> command : talk.commands()) {
            talk.send(command.get(0).equals("VERSION") ? "*1\r\n$5\r\n1.9.8\r\n" : "$1\r\nv\r\n");
        }
    }

    @Test
    void aRedisClusterIsServedAtItsTlsPorts() {
        List<TlsServer> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                nodes.add(
                        TlsServer.start(
                                certificates,
                                "node",
                                "cluster-enabled",
                                "yes",
                                "tls-cluster",
                                "yes",
                                "tls-replication",
                                "yes",
                                "cluster-port",
                                String.valueOf(Processes.freePort())));
            }
            form(nodes);
            try (OneHopClient redis =
                    Nodes.clientOf(
                            OneHopClient.builder().tls(context),
                            "alpha:\n  cluster: true\n  timeout: 30000\n  servers: ["
                                    + nodes.get(0).server()
                                    + "]\n")) {
                List<Response<String>> all = new ArrayList<>();
                for (int i = 0; i < 300; i++) {
                    redis.set("key:" + i, "value " + i);
                }
                try (AbstractPipeline batch = redis.pipelined()) {
                    for (int i = 0; i < 300; i++) {
                        all.add(batch.get("key:" + i));
                    }
                    batch.sync();
                }
                for (int i = 0; i < 300; i++) {
                    assertEquals("value " + i, all.get(i).get());
                }
                assertEquals(300, redis.dbSize());
                assertEquals(3, redis.topology().nodes().size());
            }
        } finally {
            nodes.forEach(TlsServer::close);
        }
    }

    private static void form(List<TlsServer> nodes) {
        for (int i = 0; i < nodes.size(); i++) {
            int first = i * 16384 / nodes.size();
            int last = (i + 1) * 16384 / nodes.size() - 1;
            try (Jedis jedis = nodes.get(i).jedis()) {
                jedis.clusterAddSlotsRange(first, last);
                jedis.sendCommand(
                        () -> "CLUSTER".getBytes(), "SET-CONFIG-EPOCH", String.valueOf(i + 1));
            }
        }
        try (Jedis first = nodes.get(0).jedis()) {
            for (TlsServer node : nodes.subList(1, nodes.size())) {
                first.sendCommand(
                        () -> "CLUSTER".getBytes(),
                        "MEET",
                        "127.0.0.1",
                        String.valueOf(node.port()),
                        node.redis().config("cluster-port"));
            }
        }
        for (TlsServer node : nodes) {
            RedisCluster.await(
                    "the cluster is whole",
                    () -> {
                        try (Jedis jedis = node.jedis()) {
                            return jedis.clusterInfo().contains("cluster_state:ok")
                                    && jedis.clusterInfo().contains("cluster_known_nodes:3");
                        }
                    });
        }
    }
}
