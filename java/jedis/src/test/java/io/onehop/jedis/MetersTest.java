package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The meters of clients. Meters of several clients with the same names and tags are added up.
 * Prometheus sees the names in spec/meter, on which the alert rules and the dashboard in
 * monitoring/ rely.
 */
class MetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double calls() {
        return registry.get("onehop.calls").functionCounter().count();
    }

    private static void get(OneHopClient client, int times) {
        IntStream.range(0, times).forEach(i -> client.get("key"));
    }

    @Test
    void twoClientsOfOneServerPoolAreCountedTogetherUntilTheLastIsClosed() {
        try (Nodes nodes = Nodes.start(1)) {
            OneHopClient first = nodes.client("pool_size: 3");
            OneHopClient second = nodes.client("pool_size: 3");
            new OneHopMetrics(first).bindTo(registry);
            new OneHopMetrics(second).bindTo(registry);
            new OneHopMetrics(second).bindTo(registry); // To bind once more changes nothing.
            get(first, 10);
            get(second, 100);
            assertEquals(110, calls());
            assertEquals(110, registry.get("onehop.latency").timer().count());
            assertEquals(6, registry.get("onehop.connections.max").gauge().value());
            assertEquals(
                    2, registry.get("onehop.connections").tag("state", "idle").gauge().value());
            nodes.servers().get(0).kill();
            assertTrue(Callers.holdsSoon(() -> fails(first)));
            assertEquals(0, registry.get("onehop.node.up").gauge().value());
            double before = calls();
            first.close();
            assertEquals(1, registry.get("onehop.node.up").gauge().value());
            assertEquals(before, calls());
            assertEquals(3, registry.get("onehop.connections.max").gauge().value());
            second.close();
            assertEquals(
                    List.of("onehop.build.info"),
                    registry.getMeters().stream().map(meter -> meter.getId().getName()).toList());
        }
    }

    private static boolean fails(OneHopClient client) {
        try {
            client.get("key");
            return false;
        } catch (OneHopException down) {
            return client.status().nodes().get(0).state() != NodeStatus.State.UP;
        }
    }

    @Test
    void theNodesOfAClusterHaveMetersIfTheyAreBoundBeforeTheFirstCall() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client =
                        Nodes.clientOf(
                                cluster.config("timeout: 30000")
                                        .replace(
                                                "    - " + cluster.server(0).server() + "\n",
                                                cluster.servers().stream()
                                                        .map(
                                                                each ->
                                                                        "    - "
                                                                                + each.server()
                                                                                + "\n")
                                                        .collect(Collectors.joining())))) {
            new OneHopMetrics(client).bindTo(registry);
            IntStream.range(0, 100).forEach(i -> client.get("key:" + i));
            assertEquals(
                    cluster.servers().stream().map(RedisServer::node).collect(Collectors.toSet()),
                    registry.get("onehop.node.up").gauges().stream()
                            .map(gauge -> gauge.getId().getTag("node"))
                            .collect(Collectors.toSet()));
            assertEquals(
                    Set.of(1.0),
                    registry.get("onehop.node.up").gauges().stream()
                            .map(Gauge::value)
                            .collect(Collectors.toSet()));
            assertTrue(
                    registry.get("onehop.calls").functionCounters().stream()
                                    .mapToDouble(counter -> counter.count())
                                    .sum()
                            >= 100);
        }
    }

    /* ---- What Prometheus sees ---- */

    private static final Path SPEC = Path.of("../../spec/meter/meter.md");
    private static final Pattern NAME = Pattern.compile("onehop_\\w+");
    private static final Pattern FAMILY =
            Pattern.compile("^# TYPE (onehop_\\w+) ", Pattern.MULTILINE);

    @Test
    void theNamesAreThoseOfTheSpecification() throws IOException {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client()) {
            redis.set("key", "value");
            Set<String> expected = namesInSpec();
            assertTrue(expected.remove("onehop_node_info"), "a Redis Cluster has it");
            assertTrue(expected.remove("onehop_selects_total"), "PHP's connections are shared");
            expected.add("onehop_latency_seconds_max"); // Micrometer adds it to a Timer.
            assertEquals(expected, families(scrape(redis)));
        }
    }

    @Test
    void theBoundsOfTheHistogramAreThoseOfTheSpecification() {
        try (Nodes nodes = Nodes.start(1);
                OneHopClient redis = nodes.client()) {
            redis.set("key", "value");
            assertEquals(
                    "1.6E-5 3.2E-5 6.4E-5 1.28E-4 2.56E-4 5.12E-4 0.001024 0.002048 0.004096"
                            + " 0.008192 0.016384 0.032768 0.065536 0.131072 0.262144 0.524288"
                            + " 1.048576 2.097152 4.194304 8.388608 16.777216 +Inf",
                    Pattern.compile("onehop_latency_seconds_bucket.*le=\"([^\"]*)\"")
                            .matcher(scrape(redis))
                            .results()
                            .map(match -> match.group(1))
                            .collect(Collectors.joining(" ")));
        }
    }

    private static String scrape(OneHopClient redis) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new OneHopMetrics(redis).bindTo(registry);
        return registry.scrape();
    }

    private static Set<String> families(String page) {
        return FAMILY.matcher(page)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The names in the table of section 5 of spec/meter. */
    private static Set<String> namesInSpec() throws IOException {
        String spec = Files.readString(SPEC);
        String table =
                spec.substring(
                        spec.indexOf("## 5. Names of metrics"), spec.indexOf("## Rationale"));
        return NAME.matcher(table)
                .results()
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
