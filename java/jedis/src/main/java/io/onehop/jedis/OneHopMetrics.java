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
import io.onehop.core.Topology;
import io.onehop.jedis.NodeStatus.State;
import java.time.Duration;
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
 * The numbers of a client for Micrometer: {@code new OneHopMetrics(client).bindTo(registry)}. Names and labels are
 * those of spec/meter, section 4, so that PHP and Java are one set of series.
 *
 * <p>Micrometer is an optional dependency: without it everything works but this class. Nodes come and go with the
 * configuration, and their meters with them. Times are recorded from here on, counters tell of the client's whole life.
 * Any thread.
 */
public final class OneHopMetrics implements MeterBinder {
    /* From 16 microseconds to 16.8 seconds. */
    private static final Duration[] LIMITS = IntStream.rangeClosed(4, 24)
            .mapToObj(exponent -> Duration.of(1L << exponent, ChronoUnit.MICROS)).toArray(Duration[]::new);

    private final CurrentRoute route;

    /** Of this client, until it is closed. */
    public OneHopMetrics(OneHopClient client) {
        this.route = client.route();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Bound bound = new Bound(registry, route);
        bound.update();
        route.watch(bound::update);
    }

    /** The meters of one registry. */
    private static final class Bound {
        private final MeterRegistry registry;
        private final CurrentRoute route;
        private final Map<Pool, List<Meter>> meters = new HashMap<>();
        private final Map<Tags, Meter> roles = new HashMap<>();

        Bound(MeterRegistry registry, CurrentRoute route) {
            this.registry = registry;
            this.route = route;
            Gauge.builder("onehop.generation", route, of -> of.current().generation())
                    .description("How often a configuration was adopted").tags(Tags.of("pool", poolName()))
                    .register(registry);
        }

        private String poolName() {
            return route.current().pool().name();
        }

        /** Meters for nodes that are new; none for those that are gone. */
        synchronized void update() {
            Set<Pool> current = new HashSet<>(Arrays.asList(route.current().pools()));
            meters.entrySet().removeIf(each -> {
                boolean isGone = !current.contains(each.getKey());
                if (isGone) {
                    each.getValue().forEach(registry::remove);
                }
                return isGone;
            });
            current.forEach(pool -> meters.computeIfAbsent(pool, this::register));
            updateRoles(route.current().topology());
        }

        /** What each node is to a Redis Cluster, and whom a replica follows: labels, since they are no numbers. */
        private void updateRoles(Topology topology) {
            Set<Tags> current = new HashSet<>();
            for (Node node : topology.nodes()) {
                if (node.role() != Role.NONE) {
                    String master = node.role() == Role.REPLICA ? topology.places().get(node.master()).name() : "";
                    current.add(Tags.of("pool", poolName(), "node", node.name(),
                            "role", node.role().name().toLowerCase(Locale.ROOT), "master", master));
                }
            }
            roles.entrySet().removeIf(each -> {
                boolean isGone = !current.contains(each.getKey());
                if (isGone) {
                    registry.remove(each.getValue());
                }
                return isGone;
            });
            current.forEach(tags -> roles.computeIfAbsent(tags, of -> Gauge.builder("onehop.node.info", () -> 1)
                    .description("1, of each node of a Redis Cluster: its role, and the master of a replica").tags(of)
                    .register(registry)));
        }

        private List<Meter> register(Pool pool) {
            Tags tags = Tags.of("pool", poolName(), "node", pool.endpoint().name());
            List<Meter> made = new ArrayList<>();
            made.add(counter("calls", "Commands, or parts of batches, that ended", pool, tags, of -> of.meter().calls()));
            made.add(counter("errors", "Calls that failed", pool, tags, of -> of.meter().errors()));
            made.add(counter("redirects", "Replies after which a command was sent on", pool, tags, of -> of.meter().redirects()));
            made.add(counter("leases", "Connections handed out", pool, tags, of -> of.meter().leases()));
            made.add(counter("waits", "Leases that waited", pool, tags, of -> of.meter().waits()));
            made.add(counter("connects", "Connections begun", pool, tags, of -> of.meter().connects()));
            made.add(counter("bytes.sent", "Bytes sent", pool, tags, of -> of.meter().bytesSent()));
            made.add(counter("bytes.received", "Bytes received", pool, tags, of -> of.meter().bytesReceived()));
            made.add(gauge("connections", pool, tags.and("state", "leased"), Pool::leased));
            made.add(gauge("connections", pool, tags.and("state", "idle"), Pool::idle));
            made.add(gauge("connections.max", pool, tags, of -> of.endpoint().poolSize()));
            made.add(gauge("node.up", pool, tags, of -> of.health().shown(NodeHealth.nowMs()) == State.UP ? 1 : 0));
            made.add(gauge("share", pool, tags, this::share));
            Timer latency = Timer.builder("onehop.latency").description("How long calls took that ended well").tags(tags)
                    .serviceLevelObjectives(LIMITS).register(registry);
            pool.meter().tell(ns -> latency.record(ns, TimeUnit.NANOSECONDS));
            made.add(latency);
            return made;
        }

        private double share(Pool pool) {
            Snapshot snapshot = route.current();
            int index = Arrays.asList(snapshot.pools()).indexOf(pool);
            return index < 0 ? 0 : snapshot.topology().shares()[index];
        }

        private Meter counter(String name, String what, Pool pool, Tags tags, ToDoubleFunction<Pool> count) {
            return FunctionCounter.builder("onehop." + name, pool, count).description(what).tags(tags).register(registry);
        }

        private Meter gauge(String name, Pool pool, Tags tags, ToDoubleFunction<Pool> value) {
            return Gauge.builder("onehop." + name, pool, value).tags(tags).register(registry);
        }
    }
}
