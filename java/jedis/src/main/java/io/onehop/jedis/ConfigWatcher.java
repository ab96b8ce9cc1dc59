package io.onehop.jedis;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Timings;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.failure.ConfigRefused;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.nodes.Cluster;
import io.onehop.jedis.internal.nodes.Sentinels;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Checks once a second whether the configuration, or the password file that it names, has changed.
 * If so, new calls use the new configuration.
 *
 * <p>In: a {@link ConfigSource}. Out: topologies for {@link Snapshots}. Each new topology is first
 * announced to the log and to the client's listener. A bad configuration never replaces a good one,
 * and is read again at each check; the log says once what is wrong with it. A daemon thread of the
 * client runs from build to close, unless nothing can change. Implements spec/topology, "A
 * configuration that changes".
 */
final class ConfigWatcher implements AutoCloseable {
    /*
     * The watcher compares bytes, not times. A configuration is small, and so even a file that
     * was replaced twice within one tick of its clock is noticed. A file that is being written in
     * place may be empty or incomplete. So a difference counts only after two readings, a moment
     * apart, were equal.
     */
    private static final int CHECK_EVERY_MS = Timings.CONFIG_CHECK_EVERY_MS;
    private static final int SETTLE_MS = 10;
    private static final int SETTLE_TRIES = 3;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final ConfigSource source;
    private final Snapshots snapshots;
    private final Consumer<TopologyChange> listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private byte @Nullable [] seen; // Null: what was read last was refused.
    // The problem that was logged last; null: none since the last success.
    private @Nullable String logged;
    private volatile ConfigStatus status = ConfigStatus.used(Clock.unixMs());

    /** {@code seen} are the bytes that the first topology was made from. */
    ConfigWatcher(
            ConfigSource source,
            byte[] seen,
            Snapshots snapshots,
            Consumer<TopologyChange> listener) {
        this.source = source;
        this.seen = seen;
        this.snapshots = snapshots;
        this.listener = listener;
    }

    void start() {
        if (source.mayChange(snapshots.newest().pool())) {
            Thread thread = new Thread(this::run, "onehop-config");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** The result of the last check. Any thread. */
    ConfigStatus status() {
        return status;
    }

    /**
     * A check that is running still ends. Its result is not adopted, because the snapshots are also
     * closed.
     */
    @Override
    public void close() {
        closed.countDown();
    }

    private void run() {
        boolean isOver = false;
        while (!isOver) {
            isOver = hasTurned();
        }
    }

    /** Waits, then checks. True once the client is closed. */
    private boolean hasTurned() {
        try {
            boolean isClosed = closed.await(CHECK_EVERY_MS, TimeUnit.MILLISECONDS);
            if (!isClosed) {
                check();
            }
            return isClosed;
        } catch (InterruptedException end) {
            LOG.log(
                    Level.WARNING,
                    source
                            + " is no longer watched: the thread \"onehop-config\" was"
                            + " interrupted");
            return true;
        } catch (Throwable unexpected) {
            // Without memory this thread can neither log nor wait. The next check logs the
            // problem.
            LockSupport.parkNanos(PAUSE_NS);
            return false;
        }
    }

    /** One check. */
    void check() throws InterruptedException {
        try {
            byte[] bytes = source.bytes();
            boolean isOther = !Arrays.equals(bytes, seen);
            if (isOther) {
                bytes = settled(bytes);
            }
            if (isOther || hasOtherPassword()) {
                ServerPool pool = source.pool(bytes);
                adopt(pool);
                source.warn(pool);
                seen = bytes;
                logged = null;
                status = ConfigStatus.used(Clock.unixMs());
            }
        } catch (ConfigRefused refused) {
            complain(refused.reason());
        } catch (RuntimeException | Error unexpected) {
            complain(source + ", " + Shown.of(unexpected.toString()));
        }
    }

    /**
     * True if the password file has another password than the one in use, and has not changed for a
     * moment.
     */
    private boolean hasOtherPassword() throws ConfigRefused, InterruptedException {
        ServerPool pool = snapshots.newest().pool();
        String password = source.passwordOf(pool);
        if (password == null) {
            return false;
        }
        String before = pool.redisAuth();
        for (int i = 0; i < SETTLE_TRIES && !Objects.equals(password, before); i++) {
            before = password;
            closed.await(SETTLE_MS, TimeUnit.MILLISECONDS);
            password = source.passwordOf(pool);
        }
        return !Objects.equals(password, pool.redisAuth());
    }

    private byte[] settled(byte[] first) throws ConfigRefused, InterruptedException {
        byte[] before = first;
        for (int i = 0; i < SETTLE_TRIES; i++) {
            closed.await(SETTLE_MS, TimeUnit.MILLISECONDS);
            byte[] after = source.bytes();
            if (Arrays.equals(before, after)) {
                break;
            }
            before = after;
        }
        return before;
    }

    /**
     * The topology of a pool. A Redis Cluster must first return its map; a configuration without a
     * map is not used.
     */
    private PoolTopology topologyOf(ServerPool pool, PoolTopology before)
            throws ConfigRefused, InterruptedException {
        if (pool.cluster()) {
            return Cluster.of(pool, snapshots.newest().tls(), before);
        }
        return pool.sentinels().isEmpty() ? PoolTopology.of(pool) : Sentinels.of(pool, before);
    }

    /**
     * Logs why a configuration was refused. The configuration is read again at the next check, even
     * if it has not changed: its password file may appear later, or its cluster may answer later.
     */
    private void complain(String what) {
        seen = null;
        if (!what.equals(logged)) {
            LOG.log(Level.WARNING, what + "; the configuration read before stays in use");
            logged = what;
            status = ConfigStatus.refused(Clock.unixMs(), what);
        }
    }

    private void adopt(ServerPool pool) throws ConfigRefused, InterruptedException {
        Snapshot before = snapshots.newest();
        PoolTopology after = topologyOf(pool, before.topology());
        if (before.isLike(after)) {
            return;
        }
        TopologyChange change =
                new TopologyChange(
                        before.topology(),
                        after,
                        before.topology().moved(after),
                        before.generation() + 1);
        LOG.log(
                Level.INFO,
                source
                        + " changed: "
                        + change.moved() / 10
                        + "."
                        + change.moved() % 10
                        + " % of the keys of server pool "
                        + Shown.of(after.pool().name())
                        + " move (generation "
                        + change.generation()
                        + ")");
        try {
            listener.accept(change);
        } catch (Throwable theirs) { // A listener in another language may throw any exception.
            LOG.log(
                    Level.WARNING,
                    "the listener to changes failed; the changed configuration is used all the"
                            + " same",
                    theirs);
        }
        // A master may have moved while the listener ran.
        snapshots.adopt(now -> pool.sentinels().isEmpty() ? after : Sentinels.of(pool, now));
    }
}
