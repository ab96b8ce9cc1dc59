package io.onehop.jedis;

import io.onehop.core.base.Timings;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.SubscribedNode;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * The nodes that a subscription lacks. For each of them a thread of its own connects as soon as the
 * node answers again, because the subscribing thread must not wait for that.
 *
 * <p>In: {@link #seek}. Out: {@link #next}, after {@code found} was run. All methods are for the
 * subscribing thread.
 */
final class LostNodes implements AutoCloseable {
    private final Function<Pool, SubscribedNode> connect;
    private final Runnable found;
    private final Map<Pool, Thread> sought = new HashMap<>();
    private final Queue<SubscribedNode> connected = new ConcurrentLinkedQueue<>();
    private volatile boolean isClosed;

    /** {@code connect} may wait and throw; {@code found} must do neither. */
    LostNodes(Function<Pool, SubscribedNode> connect, Runnable found) {
        this.connect = connect;
        this.found = found;
    }

    boolean has(Pool node) {
        return sought.containsKey(node);
    }

    /** True if a node of that name is lost, whatever its address. */
    boolean hasNamed(Pool node) {
        return sought.keySet().stream()
                .anyMatch(each -> each.endpoint().name().equals(node.endpoint().name()));
    }

    void seek(Pool node) {
        if (!has(node)) {
            Thread thread = new Thread(() -> connect(node), "onehop-subscription");
            thread.setDaemon(true);
            thread.start();
            sought.put(node, thread); // Not reached if the thread could not start.
        }
    }

    private void connect(Pool node) {
        while (!isClosed && !Thread.currentThread().isInterrupted()) {
            try {
                if (!node.health().isResting(NodeHealth.nowMs())) {
                    hand(connect.apply(node));
                    return;
                }
            } catch (Throwable failed) {
                // Even after an Error the next attempt may succeed. The pool has noted why this
                // one failed.
            }
            try {
                Thread.sleep(Timings.SUBSCRIPTION_AGAIN_MS);
            } catch (InterruptedException over) {
                return;
            }
        }
    }

    private void hand(SubscribedNode node) {
        connected.add(node);
        if (isClosed) {
            closeConnected();
        }
        found.run();
    }

    /** A node that is connected again; {@code null} if there is none. */
    @Nullable SubscribedNode next() {
        for (SubscribedNode node = connected.poll(); node != null; node = connected.poll()) {
            if (sought.remove(node.pool()) != null) {
                return node;
            }
            node.close();
        }
        return null;
    }

    /** Gives up the lost nodes that the newest configuration or map no longer has. */
    void keepOnly(Iterable<Pool> nodes) {
        Map<Pool, Thread> kept = new HashMap<>();
        for (Pool node : nodes) {
            Thread thread = sought.remove(node);
            if (thread != null) {
                kept.put(node, thread);
            }
        }
        sought.values().forEach(Thread::interrupt);
        sought.clear();
        sought.putAll(kept);
    }

    private void closeConnected() {
        for (SubscribedNode node = connected.poll(); node != null; node = connected.poll()) {
            node.close();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        sought.values().forEach(Thread::interrupt);
        closeConnected();
    }
}
