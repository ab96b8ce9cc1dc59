package io.onehop.jedis.internal.snapshot;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks the idle connections of all nodes of a client from time to time ({@code Pool.evictIdle}).
 *
 * <p>Each client has one daemon thread for it. It starts when the client is built. It ends when the
 * client and its last connection are closed, or when the client was garbage collected without being
 * closed.
 */
public final class IdleConnectionEvictor implements AutoCloseable {
    private static final int EVICT_LAST_MS = 100;

    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final WeakReference<Snapshots> snapshots;
    private final int everyMs;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Thread thread;

    public IdleConnectionEvictor(Snapshots snapshots, int everyMs) {
        this.snapshots = new WeakReference<>(snapshots);
        this.everyMs = everyMs;
    }

    public void start() {
        Thread next = new Thread(this::run, "onehop-idle");
        next.setDaemon(true);
        next.start();
        thread = next;
    }

    /**
     * From now on connections that a call did not give back because of an Error are closed soon,
     * until none is open. If the thread was interrupted, another thread does that.
     */
    @Override
    public void close() {
        closed.countDown();
        Thread running = thread;
        if (running != null && !running.isAlive()) {
            start();
        }
    }

    private void run() {
        boolean isOver = false;
        while (!isOver) {
            try {
                isOver = hasTurned();
            } catch (Error again) {
                // There is no memory even for a pause. This handler does nothing, so nothing here
                // can fail again.
            }
        }
    }

    /** Waits, then checks. True when the thread is to end. */
    private boolean hasTurned() {
        try {
            boolean isClosed =
                    closed.getCount() == 0 || closed.await(everyMs, TimeUnit.MILLISECONDS);
            if (isClosed) {
                TimeUnit.MILLISECONDS.sleep(EVICT_LAST_MS);
            }
            return !evict(isClosed);
        } catch (RuntimeException | Error unexpected) {
            // Out of memory, for example. The next check may succeed.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(EVICT_LAST_MS));
            return false;
        } catch (InterruptedException end) {
            // Whatever ends a program may interrupt all its threads, so this is not a warning.
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "idle connections are no longer checked: the thread \"onehop-idle\" was"
                            + " interrupted");
            return true;
        }
    }

    /** False if there will be no more connections to check. */
    private boolean evict(boolean isClosed) {
        Snapshots client = snapshots.get();
        if (client == null) {
            return false;
        }
        client.evictIdle();
        return !isClosed || !client.isOver();
    }
}
