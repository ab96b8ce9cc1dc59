package io.onehop.jedis.internal.pool;

import io.onehop.jedis.internal.connection.NodeConnection;

import org.apache.commons.pool2.impl.DefaultPooledObjectInfo;
import org.apache.commons.pool2.impl.GenericObjectPoolMXBean;

import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * The MBean of a node's connections, with the attributes of a pool of Apache Commons Pool.
 *
 * <p>If a client was never closed, its MBeans do not prevent the garbage collection of its
 * connections. Any thread.
 */
final class PoolBean implements GenericObjectPoolMXBean {
    private static final long NOT_MEASURED = -1;

    private final WeakReference<Pool> pool;
    private final PoolSettings settings;
    private final int maxTotal;

    PoolBean(Pool pool, PoolSettings settings) {
        this.pool = new WeakReference<>(pool);
        this.settings = settings;
        this.maxTotal = pool.endpoint().poolSize();
    }

    /** A number of the pool; 0 once the pool was garbage collected. */
    private long number(ToLongFunction<Pool> of) {
        Pool open = pool.get();
        return open == null ? 0 : of.applyAsLong(open);
    }

    /* ---- Counts ---- */

    @Override
    public int getNumActive() {
        return (int) number(Pool::getNumActive);
    }

    @Override
    public int getNumIdle() {
        return (int) number(Pool::getNumIdle);
    }

    @Override
    public int getNumWaiters() {
        return (int) number(open -> open.seats().waiting());
    }

    @Override
    public long getBorrowedCount() {
        return number(open -> open.meter().leases());
    }

    @Override
    public long getReturnedCount() {
        return number(open -> open.meter().leases() - open.inUse());
    }

    @Override
    public long getCreatedCount() {
        return number(open -> open.seats().made());
    }

    @Override
    public long getDestroyedCount() {
        return number(open -> open.seats().made() - open.seats().begun());
    }

    @Override
    public long getDestroyedByEvictorCount() {
        return number(open -> open.seats().evicted());
    }

    @Override
    public long getDestroyedByBorrowValidationCount() {
        return number(open -> open.seats().refused());
    }

    @Override
    public long getMaxBorrowWaitTimeMillis() {
        return TimeUnit.NANOSECONDS.toMillis(number(open -> open.meter().longestWaitNs()));
    }

    @Override
    public long getMeanBorrowWaitTimeMillis() {
        return TimeUnit.NANOSECONDS.toMillis(number(open -> open.meter().meanWaitNs()));
    }

    @Override
    public long getMeanActiveTimeMillis() {
        return NOT_MEASURED;
    }

    @Override
    public long getMeanIdleTimeMillis() {
        return NOT_MEASURED;
    }

    @Override
    public boolean isClosed() {
        return number(open -> open.isRetired() ? 0 : 1) == 0;
    }

    /* ---- Settings ---- */

    @Override
    public int getMaxTotal() {
        return maxTotal;
    }

    @Override
    public int getMaxIdle() {
        return Math.min(settings.maxIdle(), maxTotal);
    }

    @Override
    public int getMinIdle() {
        return settings.minIdle();
    }

    @Override
    public long getMaxWaitMillis() {
        return settings.maxWaitMs() == Long.MAX_VALUE ? -1 : settings.maxWaitMs();
    }

    @Override
    public boolean getBlockWhenExhausted() {
        return settings.maxWaitMs() != 0;
    }

    @Override
    public long getTimeBetweenEvictionRunsMillis() {
        return settings.checkEveryMs();
    }

    @Override
    public long getMinEvictableIdleTimeMillis() {
        return (long) settings.checkEveryMs() * settings.idleChecks();
    }

    @Override
    public int getNumTestsPerEvictionRun() {
        return -1; // A check looks at all connections.
    }

    @Override
    public boolean getFairness() {
        return true;
    }

    @Override
    public boolean getLifo() {
        return true;
    }

    @Override
    public boolean getTestOnCreate() {
        return true;
    }

    @Override
    public boolean getTestOnBorrow() {
        return true;
    }

    @Override
    public boolean getTestOnReturn() {
        return true;
    }

    @Override
    public boolean getTestWhileIdle() {
        return true;
    }

    /* ---- What this pool does not have ---- */

    @Override
    public boolean isAbandonedConfig() {
        return false;
    }

    @Override
    public boolean getLogAbandoned() {
        return false;
    }

    @Override
    public boolean getRemoveAbandonedOnBorrow() {
        return false;
    }

    @Override
    public boolean getRemoveAbandonedOnMaintenance() {
        return false;
    }

    @Override
    public int getRemoveAbandonedTimeout() {
        return Integer.MAX_VALUE;
    }

    @Override
    public String getCreationStackTrace() {
        return "";
    }

    @Override
    public String getFactoryType() {
        return NodeConnection.class.getName();
    }

    @Override
    public Set<DefaultPooledObjectInfo> listAllObjects() {
        throw new UnsupportedOperationException("Connections are not shown one by one");
    }
}
