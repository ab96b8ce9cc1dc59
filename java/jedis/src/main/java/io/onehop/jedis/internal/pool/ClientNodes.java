package io.onehop.jedis.internal.pool;

import io.onehop.core.command.KeptCommands;
import io.onehop.core.health.Health;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The nodes of one client: how often one of them was ejected, whether several were late together,
 * and what they have said of commands. Any thread.
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

    /** From now on the client has these nodes. */
    public void are(List<Times> nodes) {
        all = nodes;
    }

    /** What they have said of commands that the table does not hold. */
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
                nodes.indexOf(node), // Two records are equal if they have the same words.
                nodes.stream().mapToLong(each -> each.heardMs().getOpaque()).toArray(),
                nodes.stream().mapToLong(each -> each.lateMs().getOpaque()).toArray(),
                beganMs,
                nowMs);
    }
}
