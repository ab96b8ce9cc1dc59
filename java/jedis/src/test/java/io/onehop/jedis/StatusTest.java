package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.NodeStatus.State;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What a client reports about itself by status() and by Micrometer, which is optional. */
class StatusTest {

    @Test
    void theStatusCountsHowCallsEnded() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(server.server() + " well", Nodes.refusing() + " lost"),
                                "pool_size: 3")) {
            String well = Nodes.keyOn(redis, "well");
            for (int i = 0; i < 10; i++) {
                redis.set(well, "value");
            }
            assertThrows(JedisDataException.class, () -> redis.incr(well));
            try (AbstractPipeline pipeline = redis.pipelined()) {
                IntStream.range(0, 50).forEach(i -> pipeline.get(well));
            }
            redis.blpop(0.1, Nodes.keysOn(redis, "well").skip(1).findFirst().orElseThrow());
            assertThrows(NodeDown.class, () -> redis.get(Nodes.keyOn(redis, "lost")));

            PoolStatus status = redis.status();
            assertEquals("alpha", status.pool());
            assertEquals(1, status.generation());
            assertEquals(redis.topology().fingerprint(), status.fingerprint());
            assertFalse(status.isWell());
            assertEquals(1.0, status.nodes().stream().mapToDouble(NodeStatus::share).sum(), 1e-9);
            Map<String, NodeStatus> nodes = new TreeMap<>();
            status.nodes().forEach(node -> nodes.put(node.name(), node));
            assertIsWell(nodes.get("well"));
            assertEquals(
                    12,
                    Arrays.stream(Inspected.pool(redis, "well").meter().latency()).sum(),
                    "BLPOP has no time");
            assertIsLost(nodes.get("lost"));
        }
    }

    private static void assertIsWell(NodeStatus one) {
        assertEquals(13, one.calls(), "ten, an error that is an answer, a batch, one that waited");
        assertEquals(0, one.errors());
        assertEquals(13, one.leases());
        assertEquals(1, one.connects());
        assertEquals(0, one.leased());
        assertEquals(1, one.idle());
        assertEquals(3, one.poolSize());
        assertEquals(0, one.recentErrors());
        assertFalse(one.since().isAfter(one.lastAnswered()), one.toString());
        assertEquals(State.UP, one.state());
        assertTrue(one.restsFor().isZero());
        assertTrue(one.bytesSent() > 50 * 20 && one.bytesReceived() > 50 * 11, one.toString());
        assertTrue(one.p50().toNanos() > 0 && one.p99().compareTo(one.p50()) >= 0, one.toString());
    }

    private static void assertIsLost(NodeStatus other) {
        assertEquals(1, other.calls());
        assertEquals(1, other.errors());
        assertEquals(1, other.recentErrors());
        assertNull(other.lastAnswered());
        assertEquals(0, other.idle());
        assertEquals(State.RESTING, other.state());
        assertEquals("Connection refused while connecting", other.reason());
        assertEquals(1, other.failures());
        assertTrue(other.p99().isZero());
    }

    @Test
    void aRefusedFileIsInStatusAndMetersUntilItIsCorrected(@TempDir Path folder)
            throws IOException {
        String good = Nodes.configOf(Stream.of("127.0.0.1:1:1"));
        Path file = Files.writeString(folder.resolve("nutcracker.yml"), good);
        try (OneHopClient redis = Nodes.clientOf(file)) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new OneHopMetrics(redis).bindTo(registry);
            Gauge isGood =
                    registry.get("onehop.config.last.reload.successful")
                            .tags("pool", "alpha")
                            .gauge();
            Gauge since =
                    registry.get("onehop.config.last.reload.timestamp")
                            .tags("pool", "alpha")
                            .gauge();
            assertTrue(redis.status().config().ok());
            assertEquals(1, isGood.value());
            Files.writeString(file, good.replace("redis: true", "redis: perhaps"));
            assertTrue(Callers.holdsSoon(() -> !redis.status().config().ok()));
            assertEquals(0, isGood.value());
            assertEquals(redis.status().config().readAt().getEpochSecond(), since.value());
            assertTrue(
                    redis.status()
                            .config()
                            .error()
                            .matches(".*nutcracker.yml, line [0-9]+: directive \"redis\".*"),
                    redis.status().config().error());
            Files.writeString(file, good);
            assertTrue(Callers.holdsSoon(() -> redis.status().config().ok()));
            assertEquals(1, isGood.value());
        }
    }

    @Test
    void micrometerShowsWhatTheStatusHas() {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client()) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new OneHopMetrics(redis).bindTo(registry);
            String name = nodes.servers().get(0).node();
            String key = Nodes.keyOn(redis, name);
            for (int i = 0; i < 20; i++) {
                redis.set(key, "value");
            }
            assertHasMetersOf(redis, name, registry);

            // The new topology has the same nodes, so they keep their meters.
            redis.snapshots().adopt(PoolTopology.of(redis.snapshots().newest().pool(), Set.of()));
            assertEquals(
                    20, registry.get("onehop.calls").tags("node", name).functionCounter().count());
            try (OneHopClient one = Nodes.clientOf(Stream.of(nodes.servers().get(1).server()))) {
                redis.snapshots().adopt(one.snapshots().newest().topology());
            }
            assertEquals(Set.of(nodes.servers().get(1).node()), nodesIn(registry));
            assertEquals(3, registry.get("onehop.generation").gauge().value());
            assertEquals(
                    List.of(redis.topology().fingerprint()),
                    registry.get("onehop.config.info").gauges().stream()
                            .map(gauge -> gauge.getId().getTag("fingerprint"))
                            .toList());
        }
    }

    private static void assertHasMetersOf(
            OneHopClient redis, String name, SimpleMeterRegistry registry) {
        assertEquals(
                20,
                registry.get("onehop.calls")
                        .tags("pool", "alpha", "node", name)
                        .functionCounter()
                        .count());
        assertEquals(0, registry.get("onehop.errors").tags("node", name).functionCounter().count());
        assertEquals(1, registry.get("onehop.node.up").tags("node", name).gauge().value());
        assertEquals(
                1,
                registry.get("onehop.connections")
                        .tags("node", name, "state", "idle")
                        .gauge()
                        .value());
        assertEquals(1, registry.get("onehop.generation").tags("pool", "alpha").gauge().value());
        Timer latency = registry.get("onehop.latency").tags("node", name).timer();
        assertEquals(20, latency.count());
        assertEquals(
                21, latency.takeSnapshot().histogramCounts().length, "2^4 to 2^24 microseconds");
        assertEquals(
                redis.status().nodes().get(0).share(),
                registry.get("onehop.share")
                        .tags("node", redis.status().nodes().get(0).name())
                        .gauge()
                        .value());

        double answered =
                registry.get("onehop.last.answer.timestamp").tags("node", name).gauge().value();
        assertEquals(
                Inspected.pool(redis, name).meter().lastAnswered().toEpochMilli(),
                Math.round(answered * 1000));
        registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.syntheticAssociation() == null)
                .forEach(id -> assertNotNull(id.getDescription(), id.toString()));
    }

    @Test
    void aChangedDirectiveKeepsCountersAndHealthAndCloseRemovesTheMeters() {
        try (RedisServer server = RedisServer.start()) {
            String[] servers = {server.server() + " well", Nodes.refusing() + " lost"};
            OneHopClient redis = Nodes.clientOf(Stream.of(servers));
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new OneHopMetrics(redis).bindTo(registry);
            String well = Nodes.keyOn(redis, "well");
            redis.set(well, "value");
            assertThrows(NodeDown.class, () -> redis.get(Nodes.keyOn(redis, "lost")));
            for (String directive :
                    List.of(
                            "timeout: 4321",
                            "pool_size: 3",
                            "server_failure_limit: 7",
                            "redis_auth: x")) {
                try (OneHopClient other = Nodes.clientOf(Stream.of(servers), directive)) {
                    assertTrue(redis.snapshots().adopt(other.snapshots().newest().topology()));
                }
                assertFalse(redis.status().isWell(), directive);
                assertEquals(
                        Set.of(State.UP, State.RESTING),
                        Set.copyOf(redis.status().nodes().stream().map(NodeStatus::state).toList()),
                        directive);
                assertEquals(
                        2,
                        redis.status().nodes().stream().mapToLong(NodeStatus::calls).sum(),
                        directive);
                assertEquals(
                        1,
                        registry.get("onehop.calls").tags("node", "well").functionCounter().count(),
                        directive);
                assertEquals(
                        1,
                        registry.get("onehop.latency").tags("node", "well").timer().count(),
                        directive);
            }
            redis.close();
            assertFalse(redis.status().isWell());
            assertEquals(
                    Set.of(State.CLOSED),
                    Set.copyOf(redis.status().nodes().stream().map(NodeStatus::state).toList()));
            assertEquals(
                    List.of("onehop.build.info"),
                    registry.getMeters().stream().map(meter -> meter.getId().getName()).toList());
            Meter.Id build = registry.get("onehop.build.info").gauge().getId();
            assertTrue(build.getTag("version").matches("[0-9]+\\.[0-9]+\\..*"), build.toString());
            assertTrue(build.getTag("jedis").matches("8\\..*"), build.toString());
            assertEquals(Runtime.version().toString(), build.getTag("java"));
        }
    }

    @Test
    void aClientIsUsableIfTheNextCallWouldBeSentToSomeNode() {
        try (RedisServer server = RedisServer.start()) {
            String lost = Nodes.refusing() + " lost";
            OneHopClient half = Nodes.clientOf(Stream.of(server.server(), lost));
            assertThrows(NodeDown.class, () -> half.get(Nodes.keyOn(half, "lost")));
            assertFalse(half.status().isWell());
            assertTrue(half.status().isUsable());
            half.close();
            assertFalse(half.status().isUsable());

            try (OneHopClient none = Nodes.clientOf(Stream.of(lost))) {
                assertTrue(none.status().isUsable(), "nothing is known of the node yet");
                assertTrue(Callers.holdsSoon(() -> !isUsableAfterFailure(none)));
                assertTrue(
                        Callers.holdsSoon(() -> none.status().isUsable()),
                        "the node has rested, so the next call probes it");
                assertFalse(none.status().isWell());
            }
        }
    }

    private static boolean isUsableAfterFailure(OneHopClient redis) {
        assertThrows(NodeDown.class, () -> redis.get("key"));
        return redis.status().isUsable();
    }

    private static Set<String> nodesIn(SimpleMeterRegistry registry) {
        Set<String> names = new TreeSet<>();
        for (Meter meter : registry.getMeters()) {
            String node = meter.getId().getTag("node");
            if (node != null) {
                names.add(node);
            }
        }
        return names;
    }

    /** In a program without Micrometer everything else works, also status(). */
    @Test
    void aClientNeedsNoMicrometer() throws Exception {
        URL[] without =
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> !entry.contains("micrometer"))
                        .map(StatusTest::url)
                        .toArray(URL[]::new);
        try (RedisServer server = RedisServer.start();
                URLClassLoader bare =
                        new URLClassLoader(without, ClassLoader.getPlatformClassLoader())) {
            assertThrows(
                    ClassNotFoundException.class,
                    () -> bare.loadClass("io.micrometer.core.instrument.Meter"));
            Class<?> type = bare.loadClass("io.onehop.jedis.OneHopClient");
            Object builder = type.getMethod("builder").invoke(null);
            builder =
                    builder.getClass()
                            .getMethod("configText", String.class)
                            .invoke(builder, Nodes.configOf(Stream.of(server.server())));
            builder = builder.getClass().getMethod("pool", String.class).invoke(builder, "alpha");
            try (AutoCloseable redis =
                    (AutoCloseable) builder.getClass().getMethod("build").invoke(builder)) {
                assertEquals(
                        "OK",
                        type.getMethod("set", String.class, String.class)
                                .invoke(redis, "key", "value"));
                assertTrue(type.getMethod("status").invoke(redis).toString().contains("calls=1"));
            }
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
