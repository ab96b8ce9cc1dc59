package io.onehop.jedis.internal.pool;

import io.onehop.core.command.KeptCommands;
import io.onehop.core.health.Health;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is known of all nodes of one client: how often a node was ejected, whether several were late
 * together, and what they have said of commands. Any thread.
 */
public final class ClientNodes {
    private final AtomicLong ejections = new AtomicLong();
    private final KeptCommands commands = new KeptCommands();
    private volatile List<Times> all = List.of();

    /** When a node last answered any call, and when a deadline last passed for it; 0: never. */
    public record Times(AtomicLong heardMs, AtomicLong lateMs) {
        Times() {
            this(new AtomicLong(), new AtomicLong());
        }
    }

    /** Notes that the client has these nodes from now on. */
    public void are(List<Times> nodes) {
        all = nodes;
    }

    /** What the nodes have said of commands that the table does not hold. */
    public KeptCommands commands() {
        return commands;
    }

    /** How often a node was ejected: placement depends on it. */
    public long ejections() {
        return ejections.get();
    }

    void ejected() {
        ejections.incrementAndGet();
    }

    /** True if a deadline that passes now for this node says nothing about it. */
    boolean wereLateTogether(Times node, long beganMs, long nowMs) {
        List<Times> nodes = all;
        return Health.isLateTogether(
                // Two records are equal only if they share the same atomic fields.
                nodes.indexOf(node),
                nodes.stream().mapToLong(each -> each.heardMs().getOpaque()).toArray(),
                nodes.stream().mapToLong(each -> each.lateMs().getOpaque()).toArray(),
                beganMs,
                nowMs);
    }
}
