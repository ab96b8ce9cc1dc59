package io.onehop.jedis.internal.snapshot;

import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Looks every 30 seconds at the connections that nobody uses, of all nodes of a client ({@code
 * Pool.evictIdle}).
 *
 * <p>A daemon thread of each client. It begins when the client is built, and ends when the client
 * is closed and its last connection, too. It also ends if the client was dropped without being
 * closed.
 */
public final class IdleConnectionEvictor implements AutoCloseable {
    private static final int EVICT_EVERY_MS = 30_000;
    private static final int EVICT_LAST_MS = 100;

    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final WeakReference<Snapshots> snapshots;
    private final CountDownLatch closed = new CountDownLatch(1);

    public IdleConnectionEvictor(Snapshots snapshots) {
        this.snapshots = new WeakReference<>(snapshots);
    }

    public void start() {
        Thread thread = new Thread(this::run, "onehop-idle");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        closed.countDown();
    }

    private void run() {
        try {
            boolean isClosed = false;
            do {
                isClosed = closed.await(isClosed ? 0 : EVICT_EVERY_MS, TimeUnit.MILLISECONDS);
                if (isClosed) {
                    TimeUnit.MILLISECONDS.sleep(EVICT_LAST_MS);
                }
            } while (evict(isClosed));
        } catch (InterruptedException end) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "idle connections are not looked at any more: the thread \"onehop-idle\" was"
                            + " interrupted");
        }
    }

    /** Whether there will be something to look at. */
    private boolean evict(boolean isClosed) {
        Snapshots client = snapshots.get();
        if (client == null) {
            return false;
        }
        try {
            client.evictIdle();
            return !isClosed || !client.isOver();
        } catch (RuntimeException
                | Error unexpected) { // No memory, for example; next time there may be.
            return true;
        }
    }
}
