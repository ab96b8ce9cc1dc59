package io.onehop.spring;

import io.onehop.core.Role;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.Map;
import java.util.TreeMap;

/**
 * Asks every node, and is UP if at least one node answers without an error. A dead node costs only
 * its own keys, but to take the application out of service would cost all keys. The details say
 * which nodes do not answer, and why. The check takes at most the {@code timeout} of the server
 * pool.
 */
final class OneHopHealthIndicator extends AbstractHealthIndicator {
    private static final CommandArguments PING = new CommandArguments(Protocol.Command.PING);
    private static final String UP = Status.UP.getCode();

    private final OneHopClient client;

    OneHopHealthIndicator(OneHopClient client) {
        this.client = client;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        Map<String, Object> nodes = new TreeMap<>();
        try {
            client.onEachNode(PING).forEach((node, answer) -> nodes.put(node, shown(answer)));
        } catch (PartialBatch some) {
            client.topology().nodes().stream()
                    .filter(node -> node.role() == Role.MASTER || node.role() == Role.NONE)
                    .forEach(node -> nodes.put(node.name(), UP));
            some.getFailures().forEach((node, failure) -> nodes.put(node, failure.getMessage()));
        } catch (OneHopException none) {
            health.down(none);
            return;
        }
        health.status(nodes.containsValue(UP) ? Status.UP : Status.DOWN).withDetail("nodes", nodes);
    }

    /**
     * UP, or the text of an error, such as of a node that loads its file or wants another password.
     */
    private static Object shown(Object answer) {
        return answer instanceof JedisDataException error ? String.valueOf(error.getMessage()) : UP;
    }
}
