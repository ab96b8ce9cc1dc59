package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.MeterRegistry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

import redis.clients.jedis.Jedis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** What an application shows of its nodes: health, meters, spans. */
final class MonitoringTest {
    @TempDir static Path folder;
    private static Nodes nodes;
    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() throws IOException {
        nodes = Nodes.start(2);
        String config = nodes.config();
        Path file = Files.writeString(folder.resolve("nutcracker.yml"), config);
        context =
                AutoConfigurationTest.run(
                        AutoConfigurationTest.Application.class,
                        "onehop.config=" + file,
                        "onehop.pool=alpha");
    }

    @AfterAll
    static void stop() {
        context.close();
        nodes.close();
    }

    private static Health health() {
        return context.getBean("redisHealthContributor", HealthIndicator.class).health();
    }

    @Test
    void itIsUpWhileOneNodeAnswers() {
        RedisServer first = nodes.servers().get(0);
        RedisServer second = nodes.servers().get(1);
        Map<String, String> both = Map.of(first.node(), "UP", second.node(), "UP");
        assertEquals(Health.up().withDetail("nodes", both).build(), health());

        first.kill();
        Health one = health();
        assertEquals(Status.UP, one.getStatus());
        Map<?, ?> details = (Map<?, ?>) one.getDetails().get("nodes");
        assertEquals("UP", details.get(second.node()));
        assertTrue(details.get(first.node()).toString().contains(first.node()), one.toString());

        second.kill(); // No call has noticed that yet.
        assertEquals(Status.DOWN, health().getStatus());
        first.restart();
        second.restart();
        Fleet.await(
                "both nodes answer",
                () -> health().getDetails().getOrDefault("nodes", Map.of()).equals(both));
    }

    /** Such as a node that is loading, or one that has another password by now. */
    @Test
    void aNodeThatAnswersWithAnErrorIsNotUp() {
        RedisServer first = nodes.servers().get(0);
        RedisServer second = nodes.servers().get(1);
        allowPing(first, false);
        Health one = health();
        assertEquals(Status.UP, one.getStatus());
        Map<?, ?> details = (Map<?, ?>) one.getDetails().get("nodes");
        assertEquals("UP", details.get(second.node()));
        assertTrue(details.get(first.node()).toString().startsWith("NOPERM"), one.toString());

        allowPing(second, false);
        assertEquals(Status.DOWN, health().getStatus());
        allowPing(first, true);
        allowPing(second, true);
        assertEquals(Status.UP, health().getStatus());
    }

    private static void allowPing(RedisServer server, boolean isAllowed) {
        try (Jedis jedis = server.jedis()) {
            jedis.aclSetUser("default", isAllowed ? "+ping" : "-ping");
        }
    }

    @Test
    void thereIsOneOfRedis() {
        assertEquals(
                Set.of("redisHealthContributor"),
                context.getBeansOfType(OneHopHealthIndicator.class).keySet());
        assertTrue(
                context.getBeansOfType(HealthIndicator.class).keySet().stream()
                        .filter(name -> name.startsWith("redis"))
                        .allMatch("redisHealthContributor"::equals));
    }

    @Test
    void metersAndSpansAreThere() {
        context.getBean(StringRedisTemplate.class).getConnectionFactory().getConnection().ping();
        MeterRegistry registry = context.getBean(MeterRegistry.class);
        assertNotNull(registry.find("onehop.node.up").gauge(), registry.getMeters().toString());
        assertNotNull(registry.find("onehop.call").timer(), registry.getMeters().toString());
    }
}
