package io.onehop.jedis;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.NodeMeter;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * A client's counters for Micrometer: {@code new OneHopMetrics(client).bindTo(registry)}. Names and
 * labels are those of spec/meter, section 5, so PHP and Java form the same series.
 *
 * <p>Micrometer is an optional dependency; only this class needs it. Meters come and go with the
 * nodes of the configuration. A closed client has none, except {@code onehop.build.info}. Times are
 * recorded from the binding on; counters cover the client's whole life. Any thread.
 */
@SuppressWarnings("exports") // A program that is a module and has Micrometer requires it itself.
public final class OneHopMetrics implements MeterBinder {
    /* From 16 microseconds to 16.8 seconds. */
    private static final Duration[] LIMITS =
            IntStream.rangeClosed(4, 24)
                    .mapToObj(exponent -> Duration.of(1L << exponent, ChronoUnit.MICROS))
                    .toArray(Duration[]::new);

    private final OneHopClient client;
    private final Snapshots snapshots;

    /**
     * Meters of this client, until it is closed.
     *
     * @param client the client
     */
    public OneHopMetrics(OneHopClient client) {
        this.client = client;
        this.snapshots = client.snapshots();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("onehop.build.info", () -> 1)
                .description("1, with the versions of what runs")
                .tags("version", orUnknown(Versions.ofOneHop()))
                .tags("java", Runtime.version().toString())
                .tags("jedis", orUnknown(Versions.ofJedis()))
                .register(registry);
        Bound bound = new Bound(registry, client);
        bound.update();
        snapshots.watch(bound::update);
    }

    private static String orUnknown(@Nullable String version) {
        return version == null ? "unknown" : version;
    }

    /** One node, however it is reached. Its meters are made once. */
    private static final class Metered {
        private final List<Meter> meters = new ArrayList<>();
        private volatile Pool pool;

        Metered(Pool pool) {
            this.pool = pool;
        }
    }

    /** The meters of one registry. */
    private static final class Bound {
        private final MeterRegistry registry;
        private final Snapshots snapshots;
        private final List<Meter> ofConfig = new ArrayList<>();
        private final Map<NodeMeter, Metered> nodes = new HashMap<>();
        private final Map<Tags, Meter> roles = new HashMap<>();

        Bound(MeterRegistry registry, OneHopClient client) {
            this.registry = registry;
            this.snapshots = client.snapshots();
            Tags tags = Tags.of("pool", poolName());
            ofConfig.add(
                    Gauge.builder("onehop.generation", snapshots, of -> of.newest().generation())
                            .description("How often a configuration was adopted")
                            .tags(tags)
                            .register(registry));
            ofConfig.add(
                    Gauge.builder(
                                    "onehop.config.last.reload.successful",
                                    client,
                                    of -> of.config().ok() ? 1 : 0)
                            .description("1; 0 while the file that is in place is refused")
                            .tags(tags)
                            .register(registry));
            ofConfig.add(
                    Gauge.builder(
                                    "onehop.config.last.reload.timestamp",
                                    client,
                                    of -> of.config().readAt().getEpochSecond())
                            .description("When the file was last read, since 1970")
                            .baseUnit("seconds")
                            .tags(tags)
                            .register(registry));
        }

        private String poolName() {
            return snapshots.newest().pool().name();
        }

        /**
         * Adds meters of new nodes and removes those of nodes that are gone. A closed client has no
         * nodes.
         */
        synchronized void update() {
            Pool[] pools = snapshots.isClosed() ? new Pool[0] : snapshots.newest().pools();
            Set<NodeMeter> current = new HashSet<>();
            for (Pool pool : pools) {
                current.add(pool.meter());
                nodes.computeIfAbsent(pool.meter(), counted -> register(pool)).pool = pool;
            }
            nodes.entrySet()
                    .removeIf(
                            each -> {
                                boolean isGone = !current.contains(each.getKey());
                                if (isGone) {
                                    each.getValue().meters.forEach(registry::remove);
                                }
                                return isGone;
                            });
            updateRoles(
                    snapshots.isClosed() ? List.of() : snapshots.newest().topology().nodes(),
                    snapshots.newest().topology());
            if (snapshots.isClosed()) {
                ofConfig.forEach(registry::remove);
            }
        }

        /**
         * A node's role if it has one, and the master of a replica. They are labels, because they
         * are no numbers.
         */
        private void updateRoles(List<Node> nodes, PoolTopology topology) {
            Set<Tags> current = new HashSet<>();
            for (Node node : nodes) {
                if (node.role() != Role.NONE) {
                    String master =
                            node.role() == Role.REPLICA
                                    ? topology.byIndex().get(node.master()).name()
                                    : "";
                    current.add(
                            Tags.of(
                                    "pool",
                                    poolName(),
                                    "node",
                                    node.name(),
                                    "role",
                                    node.role().name().toLowerCase(Locale.ROOT),
                                    "master",
                                    master));
                }
            }
            roles.entrySet()
                    .removeIf(
                            each -> {
                                boolean isGone = !current.contains(each.getKey());
                                if (isGone) {
                                    registry.remove(each.getValue());
                                }
                                return isGone;
                            });
            current.forEach(
                    tags ->
                            roles.computeIfAbsent(
                                    tags,
                                    of ->
                                            Gauge.builder("onehop.node.info", () -> 1)
                                                    .description(
                                                            "1, of each node that has a role: its"
                                                                    + " role, and the master of a"
                                                                    + " replica")
                                                    .tags(of)
                                                    .register(registry)));
        }

        private Metered register(Pool pool) {
            Tags tags = Tags.of("pool", poolName(), "node", pool.endpoint().name());
            Metered node = new Metered(pool);
            List<Meter> made = node.meters;
            made.add(
                    counter(
                            "calls",
                            "Commands, or parts of batches, that ended",
                            node,
                            tags,
                            NodeMeter::calls));
            made.add(counter("errors", "Calls that failed", node, tags, NodeMeter::errors));
            made.add(
                    counter(
                            "redirects",
                            "Replies after which a command was sent on",
                            node,
                            tags,
                            NodeMeter::redirects));
            made.add(counter("leases", "Connections handed out", node, tags, NodeMeter::leases));
            made.add(counter("waits", "Leases that waited", node, tags, NodeMeter::waits));
            made.add(counter("connects", "Connections begun", node, tags, NodeMeter::connects));
            made.add(counter("bytes.sent", "Bytes sent", node, tags, NodeMeter::bytesSent));
            made.add(
                    counter(
                            "bytes.received",
                            "Bytes received",
                            node,
                            tags,
                            NodeMeter::bytesReceived));
            gauges(node, tags);
            Timer latency =
                    Timer.builder("onehop.latency")
                            .description("How long calls took that ended well")
                            .tags(tags)
                            .serviceLevelObjectives(LIMITS)
                            .register(registry);
            pool.meter().onCall(ns -> latency.record(ns, TimeUnit.NANOSECONDS));
            made.add(latency);
            return node;
        }

        private void gauges(Metered node, Tags tags) {
            String connections = "Connections in use (leased), and open but not in use (idle)";
            Tags leased = tags.and("state", "leased");
            Tags idle = tags.and("state", "idle");
            List<Meter> made = node.meters;
            made.add(gauge("connections", connections, node, leased, Pool::leased));
            made.add(gauge("connections", connections, node, idle, Pool::idle));
            made.add(
                    gauge(
                            "connections.max",
                            "The most connections there may be",
                            node,
                            tags,
                            of -> of.endpoint().poolSize()));
            made.add(
                    gauge(
                            "node.up",
                            "1; 0 while the node rests or is ejected",
                            node,
                            tags,
                            of -> of.health().isUp(NodeHealth.nowMs()) ? 1 : 0));
            made.add(
                    gauge(
                            "share",
                            "How much of the key space the node has, 0 to 1",
                            node,
                            tags,
                            this::share));
            made.add(
                    Gauge.builder("onehop.last.answer.timestamp", node, Bound::lastAnswer)
                            .description("When the node last answered a call, since 1970")
                            .baseUnit("seconds")
                            .tags(tags)
                            .register(registry));
        }

        private static double lastAnswer(Metered node) {
            Instant last = node.pool.meter().lastAnswered();
            return last == null ? Double.NaN : last.toEpochMilli() / 1000.0;
        }

        private double share(Pool pool) {
            Snapshot snapshot = snapshots.newest();
            int index = Arrays.asList(snapshot.pools()).indexOf(pool);
            return index < 0 ? 0 : snapshot.topology().shares()[index];
        }

        private Meter counter(
                String name,
                String what,
                Metered node,
                Tags tags,
                ToDoubleFunction<NodeMeter> count) {
            return FunctionCounter.builder(
                            "onehop." + name, node, of -> count.applyAsDouble(of.pool.meter()))
                    .description(what)
                    .tags(tags)
                    .register(registry);
        }

        private Meter gauge(
                String name, String what, Metered node, Tags tags, ToDoubleFunction<Pool> value) {
            return Gauge.builder("onehop." + name, node, of -> value.applyAsDouble(of.pool))
                    .description(what)
                    .tags(tags)
                    .register(registry);
        }
    }
}
