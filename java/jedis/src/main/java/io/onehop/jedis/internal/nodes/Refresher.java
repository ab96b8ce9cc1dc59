package io.onehop.jedis.internal.nodes;

import io.onehop.core.ErrorKind;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure.RefreshFailure;
import io.onehop.jedis.internal.failure.Shown;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Refreshes what a client knows of its nodes. There is one refresh at a time: when a call requests
 * it, and without a request after a while.
 *
 * <p>One daemon thread of the client refreshes. The thread starts with the first call that needs it
 * and ends with {@link #close}. Any thread may request a refresh, or wait for one.
 */
abstract class Refresher implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.onehop");

    private static final RefreshFailure GIVEN_UP =
            new RefreshFailure(Message.GIVEN_UP.what(), ErrorKind.NODE_DOWN);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String threadName;
    private final int everyMs;
    private final int anywayMs;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread; // Null before the first call.
    private boolean isRequested;
    private boolean isUrgent; // Calls wait for a failover.
    private boolean isRefreshing;
    private boolean isClosed;
    private long begun;
    private long ended;
    private long notBeforeNs;
    private long begunNs; // When the last refresh began.
    private long anywayNs;
    private RefreshFailure failure =
            new RefreshFailure(Message.NO_ANSWER.what(), ErrorKind.NODE_DOWN);

    /** {@code everyMs}: the least time between two refreshes; {@code anywayMs}: the longest. */
    Refresher(String threadName, int everyMs, int anywayMs) {
        this.threadName = threadName;
        this.everyMs = everyMs;
        this.anywayMs = anywayMs;
    }

    /**
     * Refreshes once. Returns {@code null}, or why there is nothing to adopt. {@code isAwaited}:
     * the refresh was requested, so calls may wait for it. Only for the thread.
     */
    abstract @Nullable RefreshFailure refresh(boolean isAwaited) throws InterruptedException;

    /** What has failed so far in the refresh that is running. */
    abstract RefreshFailure soFar();

    /** Tells the log how a refresh ended; {@code null}: it ended well. Only for the thread. */
    abstract void tell(@Nullable RefreshFailure problem);

    /** True if the next refresh is due as soon as possible, without a request. */
    boolean isUnsettled() {
        return false;
    }

    /** Called when the thread ends. */
    void ended() {}

    /* ---- From calls ---- */

    /** Requests a refresh, unless a refresh is requested or running. Does not wait for it. */
    final void request(Runnable ifNew) {
        lock.lock();
        try {
            boolean isNew = !isRefreshing && !isRequested;
            isRequested |= isNew;
            if (isNew || !isRunning()) {
                wake();
            }
            if (isNew) {
                ifNew.run();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the running refresh has ended, or if none is running, the next one; at most until
     * the deadline.
     */
    public final void awaitRefresh(Deadline deadline) {
        awaitRefresh(deadline, false);
    }

    /**
     * Waits like {@link #awaitRefresh}, but for a failover: such refreshes follow each other
     * sooner.
     */
    public final void awaitUrgently(Deadline deadline) {
        awaitRefresh(deadline, true);
    }

    private void awaitRefresh(Deadline deadline, boolean isUrgent) {
        lock.lock();
        try {
            this.isUrgent |= isUrgent && !isRefreshing;
            long awaited = isRefreshing ? begun : begun + 1;
            isRequested |= !isRefreshing;
            wake();
            long leftNs = deadline.waitNs();
            while (ended < awaited && !isClosed && leftNs > 0) {
                changed.awaitNanos(Math.min(leftNs, TimeUnit.HOURS.toNanos(1)));
                leftNs = deadline.waitNs();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // The next exchange reports the interrupt.
        } finally {
            lock.unlock();
        }
    }

    /** Why the last refresh failed; while one is running, what has failed in it so far. */
    final RefreshFailure failure() {
        lock.lock();
        try {
            return isClosed
                    ? new RefreshFailure(Message.CLIENT_CLOSED.what(), ErrorKind.NODE_DOWN)
                    : isRefreshing ? soFar() : failure;
        } finally {
            lock.unlock();
        }
    }

    private boolean isRunning() {
        return thread != null && thread.isAlive();
    }

    private void wake() {
        if (!isRunning() && !isClosed) {
            Thread next = new Thread(this::run, threadName);
            next.setDaemon(true);
            notBeforeNs = Clock.nowNs();
            begunNs = notBeforeNs - TimeUnit.MILLISECONDS.toNanos(Timings.FAILOVER_CHECK_MS);
            anywayNs = notBeforeNs + orLaterNs(anywayMs);
            next.start();
            // The thread waits for the lock. If it could not start, the next call tries again.
            thread = next;
        }
        changed.signalAll();
    }

    /**
     * This time plus a random part of it, up to a quarter. So clients that started together do not
     * ask together.
     */
    private static long orLaterNs(int ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms + ThreadLocalRandom.current().nextInt(ms / 4));
    }

    /**
     * A refresh that is running still ends. Its result is not adopted, because the snapshots are
     * closed, too.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /* ---- The thread ---- */

    private void run() {
        lock.lock();
        try {
            while (!isClosed) {
                turn();
            }
        } catch (InterruptedException end) {
            LOG.log(
                    Level.WARNING,
                    "the thread \""
                            + threadName
                            + "\" was interrupted; the next call begins another one");
        } finally {
            thread = null;
            try {
                ended();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits, or refreshes. Whatever is thrown, such as an OutOfMemoryError, ends only this turn.
     */
    private void turn() throws InterruptedException {
        try {
            long now = Clock.nowNs();
            long waitNs = (isRequested ? soonNs() : anywayNs) - now;
            if (waitNs > 0) {
                changed.awaitNanos(waitNs);
            } else {
                refreshOnce(now);
            }
        } catch (InterruptedException end) {
            throw end;
        } catch (Throwable unexpected) {
            lock.unlock();
            try {
                LockSupport.parkNanos(PAUSE_NS);
            } finally {
                lock.lock();
            }
        }
    }

    private long soonNs() {
        long urgentNs = begunNs + TimeUnit.MILLISECONDS.toNanos(Timings.FAILOVER_CHECK_MS);
        return isUrgent ? Math.min(urgentNs, notBeforeNs) : notBeforeNs;
    }

    private void refreshOnce(long now) throws InterruptedException {
        notBeforeNs = now + orLaterNs(everyMs);
        anywayNs = now + orLaterNs(anywayMs);
        boolean isAwaited = isRequested;
        isRequested = false;
        isUrgent = false;
        isRefreshing = true;
        begunNs = now;
        begun++;
        lock.unlock();
        RefreshFailure problem = GIVEN_UP;
        try {
            problem = refresh(isAwaited);
        } catch (InterruptedException end) {
            throw end;
        } catch (Throwable unexpected) {
            problem = new RefreshFailure(Shown.of(unexpected.toString()), ErrorKind.NODE_DOWN);
        } finally {
            lock.lock();
            isRefreshing = false;
            ended = begun;
            failure = problem == null ? failure : problem;
            changed.signalAll();
        }
        anywayNs = isUnsettled() ? notBeforeNs : anywayNs;
        if (!isClosed) {
            tell(problem);
        }
    }
}
