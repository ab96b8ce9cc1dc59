package io.onehop.jedis.internal.pool;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Timings;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.connection.Handshake;
import io.onehop.jedis.internal.failure.Shown;

import org.apache.commons.pool2.impl.BaseObjectPoolConfig;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How many connections of a node are kept, and for how long, as the builder's pool configuration of
 * Apache Commons Pool says; and the database of the connections, if the builder has chosen one.
 * Immutable.
 *
 * @param maxTotal the largest number of connections if the server pool has no {@code pool_size}; 0:
 *     not given
 * @param maxIdle a connection that is settled is closed if that many are idle
 * @param minIdle each check opens connections until that many are idle
 * @param maxWaitMs the longest wait for a connection that others use
 * @param checkEveryMs the time between two checks of idle connections
 * @param idleChecks how many checks may find a connection idle
 * @param beanBase how the names of MBeans begin; empty: there are none
 * @param beanPrefix how the last part of their names begins
 * @param database the database that the builder has chosen; {@link Handshake#OWN_DATABASE}: that of
 *     the server pool
 * @param unused settings that were changed, but have no effect here
 */
public record PoolSettings(
        int maxTotal,
        int maxIdle,
        int minIdle,
        long maxWaitMs,
        int checkEveryMs,
        int idleChecks,
        String beanBase,
        String beanPrefix,
        int database,
        List<String> unused) {
    private static final int IDLE_CHECKS = 2;
    private static final int CHECK_EVERY_MS = Timings.CONNECTION_IDLE_MS_MAX / IDLE_CHECKS;
    private static final String BEANS = "org.apache.commons.pool2:type=GenericObjectPool,name=";
    private static final System.Logger LOG = System.getLogger("io.onehop");

    /** The settings of a client whose builder was given none. */
    public static final PoolSettings STANDARD =
            new PoolSettings(
                    0,
                    Integer.MAX_VALUE,
                    0,
                    Long.MAX_VALUE,
                    CHECK_EVERY_MS,
                    IDLE_CHECKS,
                    "",
                    "",
                    Handshake.OWN_DATABASE,
                    List.of());

    /** The settings that this object has now. Later changes of the object have no effect. */
    public static PoolSettings of(GenericObjectPoolConfig<?> config) {
        int maxTotal = config.getMaxTotal();
        if (maxTotal < 1 || maxTotal > Limits.POOL_SIZE_MAX) {
            throw new IllegalArgumentException(
                    "maxTotal of the pool configuration is "
                            + maxTotal
                            + ", but must be between 1 and "
                            + Limits.POOL_SIZE_MAX);
        }
        int checkEveryMs =
                (int) positiveMs(config.getDurationBetweenEvictionRuns(), CHECK_EVERY_MS);
        long idleMs = positiveMs(config.getMinEvictableIdleDuration(), Integer.MAX_VALUE);
        boolean limitsIdle = config.getMaxIdle() >= 0 && config.getMaxIdle() < maxTotal;
        int maxIdle = limitsIdle ? config.getMaxIdle() : Integer.MAX_VALUE;
        return new PoolSettings(
                maxTotal,
                maxIdle,
                Math.min(config.getMinIdle(), maxIdle),
                maxWaitMs(config),
                checkEveryMs,
                (int) ((idleMs + checkEveryMs - 1) / checkEveryMs),
                config.getJmxEnabled()
                        ? Objects.requireNonNullElse(config.getJmxNameBase(), BEANS)
                        : "",
                config.getJmxNamePrefix(),
                Handshake.OWN_DATABASE,
                unused(config));
    }

    /** The same settings, with connections in this database. */
    public PoolSettings inDatabase(int number) {
        return new PoolSettings(
                maxTotal,
                maxIdle,
                minIdle,
                maxWaitMs,
                checkEveryMs,
                idleChecks,
                beanBase,
                beanPrefix,
                number,
                unused);
    }

    private static long maxWaitMs(GenericObjectPoolConfig<?> config) {
        if (!config.getBlockWhenExhausted()) {
            return 0;
        }
        Duration most = config.getMaxWaitDuration();
        return most.isNegative() ? Long.MAX_VALUE : Math.min(most.toMillis(), Integer.MAX_VALUE);
    }

    /** This time, up to 24 days; {@code otherwise} if it is not positive. */
    private static long positiveMs(Duration time, int otherwise) {
        return time.compareTo(Duration.ZERO) <= 0
                ? otherwise
                : Math.max(1, Math.min(time.toMillis(), Integer.MAX_VALUE));
    }

    private static List<String> unused(GenericObjectPoolConfig<?> config) {
        List<String> unused = new ArrayList<>();
        if (!config.getLifo()) {
            unused.add("lifo");
        }
        if (config.getEvictionPolicy() != null
                || !BaseObjectPoolConfig.DEFAULT_EVICTION_POLICY_CLASS_NAME.equals(
                        config.getEvictionPolicyClassName())) {
            unused.add("evictionPolicy");
        }
        if (!config.getSoftMinEvictableIdleDuration().isNegative()) {
            unused.add("softMinEvictableIdleDuration");
        }
        return unused;
    }

    /** Logs which of these settings have no effect on this server pool. */
    public void warn(ServerPool pool) {
        int timeoutMs = pool.timeoutMs();
        unused.forEach(each -> log(pool, each + " has no effect"));
        if (this != STANDARD && timeoutMs > 0 && maxWaitMs > timeoutMs) {
            log(pool, "maxWait has no effect, because each call ends after " + timeoutMs + " ms");
        }
        if (this != STANDARD && pool.poolSize() != maxTotal) {
            log(pool, "maxTotal has no effect, because pool_size is " + pool.poolSize());
        }
    }

    private static void log(ServerPool pool, String what) {
        String of = "the pool configuration of server pool " + Shown.of(pool.name()) + ": ";
        LOG.log(Level.INFO, of + what);
    }
}
