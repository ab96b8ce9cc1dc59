package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.onehop.jedis.lab.Nodes;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What Prometheus sees of the meters. The alert rules and the dashboard in monitoring/ rely on the
 * names in spec/meter; PHP's page has them, too.
 */
class PrometheusTest {
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

    /** The names in the table of section 5. */
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
