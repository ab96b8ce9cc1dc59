package io.onehop.jedis;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.MeterGroups.Group;
import io.onehop.jedis.MeterGroups.Membership;
import io.onehop.jedis.internal.pool.NodeMeter;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Locale;
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
 *
 * <p>Clients of the same server pool in one registry have meters in common. Such a meter shows the
 * sum over these clients; for generations, shares and times it shows the largest value. A node is
 * up if it is up for all clients, and a configuration is good if it is good for all. Each meter
 * exists until the last of these clients is closed.
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

    /** A node of a client. */
    private record Member(Pool pool, Snapshots snapshots) {
        double share() {
            Snapshot snapshot = snapshots.newest();
            int index = Arrays.asList(snapshot.pools()).indexOf(pool);
            return index < 0 ? 0 : snapshot.topology().shares()[index];
        }

        double lastAnswer() {
            Instant last = pool.meter().lastAnswered();
            return last == null ? Double.NEGATIVE_INFINITY : last.toEpochMilli() / 1000.0;
        }
    }

    /** One client and one registry. */
    private static final class Bound {
        private final OneHopClient client;
        private final Snapshots snapshots;
        private final MeterRegistry registry;
        private final MeterGroups groups;
        private Set<Membership> memberships = Set.of();

        Bound(MeterRegistry registry, OneHopClient client) {
            this.client = client;
            this.snapshots = client.snapshots();
            this.registry = registry;
            this.groups = MeterGroups.of(registry);
        }

        /**
         * Adds meters of new nodes and removes those of nodes that are gone. A closed client has
         * none.
         */
        synchronized void update() {
            Set<Membership> current = new LinkedHashSet<>();
            if (!snapshots.isClosed()) {
                Snapshot newest = snapshots.newest();
                Tags tags = Tags.of("pool", newest.pool().name());
                joinPool(tags, current);
                joinInfo(
                        "config.info",
                        "1, with the fingerprint of what places keys",
                        tags.and("fingerprint", newest.topology().fingerprint()),
                        current);
                for (Pool pool : newest.pools()) {
                    joinNode(pool, tags.and("node", pool.endpoint().name()), current);
                }
                for (Node node : newest.topology().nodes()) {
                    if (node.role() != Role.NONE) {
                        joinRole(roleTags(node, newest.topology(), tags), current);
                    }
                }
            }
            for (Membership before : memberships) {
                if (!current.contains(before)) {
                    groups.leave(before, registry);
                }
            }
            memberships = current;
        }

        private void joinPool(Tags tags, Set<Membership> current) {
            Membership it = new Membership("pool", tags, client);
            current.add(it);
            groups.join(
                    it,
                    client,
                    (Group<OneHopClient> group) -> {
                        gauge(
                                group,
                                "generation",
                                "How often a configuration was adopted",
                                tags,
                                of -> of.most(each -> each.snapshots().newest().generation()));
                        gauge(
                                group,
                                "config.last.reload.successful",
                                "1; 0 while the file that is in place is refused",
                                tags,
                                of -> of.least(each -> each.config().ok() ? 1 : 0));
                        group.add(
                                Gauge.builder(
                                                "onehop.config.last.reload.timestamp",
                                                group,
                                                of ->
                                                        of.most(
                                                                each ->
                                                                        each.config()
                                                                                .readAt()
                                                                                .getEpochSecond()))
                                        .description("When the file was last read, since 1970")
                                        .baseUnit("seconds")
                                        .tags(tags)
                                        .register(registry));
                    });
        }

        /**
         * A node's role if it has one, and the master of a replica. Both are labels, because they
         * are not numbers.
         */
        private static Tags roleTags(Node node, PoolTopology topology, Tags tags) {
            String master =
                    node.role() == Role.REPLICA ? topology.byIndex().get(node.master()).name() : "";
            return tags.and(
                    "node",
                    node.name(),
                    "role",
                    node.role().name().toLowerCase(Locale.ROOT),
                    "master",
                    master);
        }

        private void joinRole(Tags tags, Set<Membership> current) {
            joinInfo(
                    "node.info",
                    "1, of each node that has a role: its role, and the master of a replica",
                    tags,
                    current);
        }

        /** Joins a meter whose value is always 1, because its labels say everything. */
        private void joinInfo(String name, String what, Tags tags, Set<Membership> current) {
            Membership it = new Membership(name, tags, client);
            current.add(it);
            groups.join(
                    it,
                    client,
                    (Group<OneHopClient> group) -> gauge(group, name, what, tags, of -> 1));
        }

        private void joinNode(Pool pool, Tags tags, Set<Membership> current) {
            Membership it = new Membership("node", tags, pool.meter());
            current.add(it);
            boolean isNew =
                    groups.join(
                            it,
                            new Member(pool, snapshots),
                            (Group<Member> group) -> {
                                counters(group, tags);
                                gauges(group, tags);
                                group.add(latency(tags));
                            });
            if (isNew) {
                Timer latency = latency(tags);
                pool.meter().onCall(ns -> latency.record(ns, TimeUnit.NANOSECONDS));
            }
        }

        /** The timer of these tags. The registry makes it only once. */
        private Timer latency(Tags tags) {
            return Timer.builder("onehop.latency")
                    .description("How long successful calls took")
                    .tags(tags)
                    .serviceLevelObjectives(LIMITS)
                    .register(registry);
        }

        private void counters(Group<Member> group, Tags tags) {
            counter(
                    group,
                    "calls",
                    "Commands, or parts of batches, that ended",
                    tags,
                    NodeMeter::calls);
            counter(group, "errors", "Calls that failed", tags, NodeMeter::errors);
            counter(
                    group,
                    "redirects",
                    "Replies after which a command was sent on",
                    tags,
                    NodeMeter::redirects);
            counter(group, "leases", "Connections handed out", tags, NodeMeter::leases);
            counter(group, "waits", "Calls that found no connection free", tags, NodeMeter::waits);
            counter(group, "connects", "Connections begun", tags, NodeMeter::connects);
            counter(group, "bytes.sent", "Bytes sent", tags, NodeMeter::bytesSent);
            counter(group, "bytes.received", "Bytes received", tags, NodeMeter::bytesReceived);
        }

        private void gauges(Group<Member> group, Tags tags) {
            String connections = "Connections in use (leased), and open but not in use (idle)";
            gauge(
                    group,
                    "connections",
                    connections,
                    tags.and("state", "leased"),
                    of -> of.sum(each -> each.pool().getNumActive()));
            gauge(
                    group,
                    "connections",
                    connections,
                    tags.and("state", "idle"),
                    of -> of.sum(each -> each.pool().getNumIdle()));
            gauge(
                    group,
                    "connections.max",
                    "How many connections there can be",
                    tags,
                    of -> of.sum(each -> each.pool().endpoint().poolSize()));
            gauge(
                    group,
                    "node.up",
                    "1 for a node in use; 0 while it rests or is ejected, and until it answers",
                    tags,
                    of -> of.least(each -> each.pool().health().isUp() ? 1 : 0));
            gauge(
                    group,
                    "share",
                    "How much of the key space the node has, 0 to 1",
                    tags,
                    of -> of.most(Member::share));
            group.add(
                    Gauge.builder("onehop.last.answer.timestamp", group, Bound::lastAnswer)
                            .description("When the node last answered a call, since 1970")
                            .baseUnit("seconds")
                            .tags(tags)
                            .register(registry));
        }

        private static double lastAnswer(Group<Member> group) {
            double last = group.most(Member::lastAnswer);
            return Double.isInfinite(last) ? Double.NaN : last;
        }

        private void counter(
                Group<Member> group,
                String name,
                String what,
                Tags tags,
                ToDoubleFunction<NodeMeter> count) {
            ToDoubleFunction<Member> ofMember = each -> count.applyAsDouble(each.pool().meter());
            group.keep(ofMember);
            group.add(
                    FunctionCounter.builder("onehop." + name, group, of -> of.count(ofMember))
                            .description(what)
                            .tags(tags)
                            .register(registry));
        }

        private <M> void gauge(
                Group<M> group,
                String name,
                String what,
                Tags tags,
                ToDoubleFunction<Group<M>> value) {
            group.add(
                    Gauge.builder("onehop." + name, group, value)
                            .description(what)
                            .tags(tags)
                            .register(registry));
        }
    }
}
