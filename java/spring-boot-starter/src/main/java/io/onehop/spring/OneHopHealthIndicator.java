package io.onehop.spring;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import redis.clients.jedis.CommandObjects;

import java.util.Map;
import java.util.TreeMap;

/**
 * Asks every node, and is UP while one of them answers: a dead node costs its own keys, and taking
 * the application away would cost all of them. The details say which nodes do not answer, and why.
 * It takes at most the {@code timeout} of the server pool.
 */
final class OneHopHealthIndicator extends AbstractHealthIndicator {
    private final OneHopClient client;

    OneHopHealthIndicator(OneHopClient client) {
        this.client = client;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        Map<String, Object> nodes = new TreeMap<>();
        try {
            client.onEachNode(CommandObjects::ping).forEach((node, pong) -> nodes.put(node, "UP"));
        } catch (PartialBatch some) {
            client.topology().nodes().forEach(node -> nodes.put(node.name(), "UP"));
            some.getFailures().forEach((node, failure) -> nodes.put(node, failure.getMessage()));
        } catch (OneHopException none) {
            health.down(none);
            return;
        }
        health.up().withDetail("nodes", nodes);
    }
}
