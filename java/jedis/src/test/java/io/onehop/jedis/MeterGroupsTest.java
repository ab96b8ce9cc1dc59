package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Clients whose meters have the same names and tags show them together. */
class MeterGroupsTest {
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
            new OneHopMetrics(second).bindTo(registry); // Once more changes nothing.
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
}
