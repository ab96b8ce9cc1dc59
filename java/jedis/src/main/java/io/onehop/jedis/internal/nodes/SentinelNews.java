package io.onehop.jedis.internal.nodes;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Timings;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.SubscribedNode;
import io.onehop.jedis.internal.pool.SubscribedNode.Lost;

import redis.clients.jedis.Protocol.Command;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Listens to all Sentinels of a server pool. When one of them announces something, all are asked.
 *
 * <pre>
 *     Sentinels ─► +switch-master, +sdown ... ─► onNews ─► a question to all, and their verdict
 * </pre>
 *
 * <p>An announcement is not believed, not even read. It only means that the next question is asked
 * at once, not after a second. So a Sentinel that lies costs a question. All Sentinels are listened
 * to, because the first one that knows of a failover has no majority yet.
 *
 * <p>It has one daemon thread, and a connection to each Sentinel. Lost connections are opened again
 * once a second, one after another. While a Sentinel hangs then, the others are not heard. But a
 * failed call still asks them, and the Sentinel that hangs soon rests. Implements
 * spec/topology/sentinel.md, section 3.
 */
final class SentinelNews implements AutoCloseable {
    /* A master has another address; a node is down, or back; a replica is new, or follows again. */
    private static final List<byte[]> CHANNELS =
            Stream.of("+switch-master", "+sdown", "-sdown", "+slave", "+slave-reconf-done")
                    .map(name -> name.getBytes(StandardCharsets.US_ASCII))
                    .toList();

    private static final long REJOIN_NS = TimeUnit.MILLISECONDS.toNanos(Timings.SENTINELS_EVERY_MS);

    private final List<Pool> sentinels;
    private final int timeoutMs;
    private final Runnable onNews;
    private final Thread thread = new Thread(this::run, "onehop-sentinel-news");
    private final Holder holder = new Holder();
    private final Map<Pool, SubscribedNode> joined = new HashMap<>(); // Of the thread.

    /**
     * {@code timeoutMs}: for connecting to one of them and subscribing. {@code onNews} runs on the
     * thread; it must not wait.
     */
    SentinelNews(List<Pool> sentinels, int timeoutMs, Runnable onNews) {
        this.sentinels = sentinels;
        this.timeoutMs = timeoutMs;
        this.onNews = onNews;
        thread.setDaemon(true);
    }

    void listen() {
        thread.start();
    }

    /** The thread ends and closes its connections. Does not wait for it. */
    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try (Selector selector = Selector.open()) {
            long rejoinNs = Clock.nowNs();
            while (!Thread.currentThread().isInterrupted()) {
                if (Clock.nowNs() - rejoinNs >= 0) {
                    sentinels.forEach(sentinel -> join(sentinel, selector));
                    rejoinNs = Clock.nowNs() + REJOIN_NS;
                }
                selector.select(Timings.SENTINELS_EVERY_MS);
                if (hear(selector.selectedKeys())) {
                    onNews.run();
                }
            }
        } catch (IOException noDescriptor) {
            // The next question to the Sentinels begins another one.
        } finally {
            try {
                joined.values().forEach(SubscribedNode::close);
            } finally {
                holder.isOver = true;
            }
        }
    }

    /** True if its thread has ended: closed, without a descriptor, or by an Error. */
    boolean isOver() {
        return !thread.isAlive();
    }

    private void join(Pool sentinel, Selector selector) {
        if (joined.containsKey(sentinel)) {
            return;
        }
        SubscribedNode node = null;
        try {
            node = new SubscribedNode(sentinel, selector, holder, timeoutMs);
            node.send(Command.SUBSCRIBE, CHANNELS);
            node.listen();
            joined.put(sentinel, node);
        } catch (OneHopException | Lost unreachable) { // Its health remembers why.
            if (node != null) {
                node.close();
            }
        }
    }

    /** True if one has said something. Confirmations count: news may have been missed before. */
    private boolean hear(Set<SelectionKey> seen) {
        boolean isNews = false;
        for (Iterator<SubscribedNode> each = joined.values().iterator(); each.hasNext(); ) {
            SubscribedNode node = each.next();
            try {
                node.fill(seen);
                while (node.next() != null) {
                    isNews = true;
                    node.taken();
                }
                node.listen();
            } catch (Lost event) {
                each.remove();
                node.close();
            }
        }
        return isNews;
    }
}
