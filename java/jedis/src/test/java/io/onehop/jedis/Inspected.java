package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.health.Health;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.ScriptedNode;

import java.util.Arrays;
import java.util.stream.Stream;

/** Inspects the pools of a client, which its API hides. */
final class Inspected {

    /** Directives with which nodes that fail are still asked. */
    static final String NEVER_RESTING = "auto_eject_hosts: true\n  server_failure_limit: 16383";

    private Inspected() {}

    static Pool[] pools(OneHopClient client) {
        return client.route().take().pools();
    }

    static Pool pool(OneHopClient client, String node) {
        return Arrays.stream(pools(client))
                .filter(pool -> pool.endpoint().name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    /** True if the node's rest is over, so the next caller probes it. */
    static boolean rested(OneHopClient client, String node) {
        return Health.until(pool(client, node).health().state()) <= NodeHealth.nowMs();
    }

    /**
     * Requires that no connection is leased any more. A refresh of the map may still ask a node for
     * a moment after all calls have ended.
     */
    static void assertNothingLeased(OneHopClient client) {
        for (Pool pool : pools(client)) {
            assertTrue(
                    Callers.holdsSoon(() -> pool.getNumActive() == 0),
                    () -> pool.getNumActive() + " leased from " + pool.endpoint().name());
        }
    }

    /** A client of scripted nodes. */
    static OneHopClient clientOf(Stream<ScriptedNode> nodes, String... directives) {
        return Nodes.clientOf(nodes.map(ScriptedNode::server), directives);
    }
}
