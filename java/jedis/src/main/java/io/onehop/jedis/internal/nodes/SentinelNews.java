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
 * <p>Announcements are not believed, and not even read. An announcement only means that the next
 * question is asked at once, and not after a second. So a Sentinel that lies costs one question.
 * All Sentinels are listened to, because the first one that knows of a failover has no majority
 * yet.
 *
 * <p>There is one daemon thread, with a connection to each Sentinel. Lost connections are opened
 * again once a second, one after another. If a Sentinel hangs at that moment, the others are not
 * heard. But a failed call still asks them, and the Sentinel that hangs soon rests. Implements
 * spec/topology/sentinel.md, section 3.
 */
final class SentinelNews implements AutoCloseable {
    /*
     * What they announce: a master has another address; a node is down, or back; a replica is
     * new, or follows again.
     */
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
    private final Map<Pool, SubscribedNode> joined = new HashMap<>(); // Only for the thread.

    /**
     * {@code timeoutMs}: the time to connect to one Sentinel and to subscribe there. {@code onNews}
     * runs on the thread, and must not wait.
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

    /** Makes the thread end and close its connections. Does not wait for the thread. */
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
            // The next question to the Sentinels starts another thread.
        } finally {
            try {
                joined.values().forEach(SubscribedNode::close);
            } finally {
                holder.isOver = true;
            }
        }
    }

    /** True if the thread has ended: it was closed, had no descriptor, or got an Error. */
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
        } catch (OneHopException | Lost unreachable) { // The health of the Sentinel remembers why.
            if (node != null) {
                node.close();
            }
        }
    }

    /**
     * True if a Sentinel has said something. Confirmations count, because news may have been missed
     * before them.
     */
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
