package io.onehop.jedis.internal.pool;

import io.onehop.core.ErrorKind;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.health.Health;
import io.onehop.core.health.Health.Answer;
import io.onehop.core.health.Health.Cause;
import io.onehop.core.health.Health.Edge;
import io.onehop.core.health.Health.Told;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NoDescriptor;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.NodeName;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether one node may be asked: the circuit breaker that all threads of a client share.
 *
 * <p>The pool asks before each lease. The caller reports how the exchange ended. A node that is
 * down rests: calls for its keys fail immediately, and one caller at a time probes whether it is
 * back. If the pool ejects nodes, an ejected node is asked all the same, and placement learns of
 * the ejection. While a node is up, asking and reporting cost one read each. Any thread. Implements
 * spec/health: {@link Health} has the rules; this class decides what counts as an answer or as a
 * failure.
 */
public final class NodeHealth {
    /** The birth of a lease that has not asked yet. */
    public static final long NOT_ASKED = -1;

    private static final long NS_PER_MS = 1_000_000;
    private static final long BEGIN_NS = Clock.nowNs();

    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final NodeName node;
    private final Health rules;
    // Null for a node that is asked in passing, without log.
    private final @Nullable AtomicLong ejections;
    private final AtomicLong state;
    private final AtomicLong heardMs; // When it last answered any call.
    private final AtomicLong told; // What was logged last.
    private volatile @Nullable OneHopException last;

    /**
     * {@code ejections} counts ejections, for placement; {@code null} if no placement needs it.
     * {@code before} is the health of the same node under the previous configuration, which both
     * share from now on; {@code null} if there is none.
     */
    NodeHealth(NodeName node, @Nullable AtomicLong ejections, @Nullable NodeHealth before) {
        ServerPool pool = node.pool();
        NodeHealth known =
                before != null && before.rules.ejects() == pool.autoEjectHosts() ? before : null;
        this.state = known != null ? known.state : new AtomicLong();
        this.heardMs = known != null ? known.heardMs : new AtomicLong();
        this.told = known != null ? known.told : new AtomicLong();
        this.last = known != null ? known.last : null;
        this.node = node;
        this.ejections = ejections;
        this.rules =
                new Health(
                        pool.autoEjectHosts(),
                        pool.serverFailureLimit(),
                        pool.serverRetryTimeoutMs());
    }

    /** Milliseconds of the monotonic clock since the program began, from 1. */
    public static long nowMs() {
        return ms(Clock.nowNs());
    }

    /** The same for an instant of the clock. */
    static long ms(long nowNs) {
        return (nowNs - BEGIN_NS) / NS_PER_MS + 1;
    }

    public long state() {
        return state.get();
    }

    /** True if it is asked normally. If the pool ejects nodes, also if it may return. */
    public boolean isUp(long nowMs) {
        long until = Health.until(state.get());
        return until == 0 || rules.ejects() && until <= nowMs;
    }

    /** True if its keys move to other nodes while it is down. */
    public boolean ejects() {
        return rules.ejects();
    }

    /** Its last failure, or {@code null} while it is up. */
    public @Nullable String reason(long nowMs) {
        OneHopException failure = last;
        return failure == null || isUp(nowMs) ? null : Failure.what(failure, node);
    }

    /** True if it should not be asked now. */
    public boolean isResting(long nowMs) {
        return Health.until(state.get()) > nowMs;
    }

    /** Until when a new placement leaves the node out; 0: it takes part. Adds log lines to news. */
    public long rebuilt(long nowMs, List<Runnable> news) {
        long before = state.get();
        long after = Health.rebuilt(before, nowMs);
        while (after != before && !state.compareAndSet(before, after)) {
            before = state.get();
            after = Health.rebuilt(before, nowMs);
        }
        if (after != before) {
            long from = before;
            long to = after;
            news.add(() -> log(from, to, null));
        }
        return Health.isLive(before, nowMs) ? 0 : Health.until(before);
    }

    /* ---- Asking ---- */

    /** Throws if the node rests. The caller does not become its probe. */
    void requireNotResting() {
        long now = state.get();
        if (Health.until(now) != 0) {
            long nowMs = nowMs();
            if (rules.answer(now, nowMs) == Answer.REFUSE) {
                throw resting(now, nowMs);
            }
        }
    }

    /**
     * Returns the birth of an attempt, which a failed attempt passes back. Throws if the node
     * rests.
     */
    long ask(Deadline deadline) {
        long before = state.get();
        while (Health.until(before) != 0) {
            long nowMs = nowMs();
            if (rules.answer(before, nowMs) == Answer.REFUSE) {
                throw resting(before, nowMs);
            }
            long after = rules.asked(before, nowMs, patienceMs(deadline));
            if (state.compareAndSet(before, after)) {
                return Health.birth(after, heardMs.getOpaque());
            }
            before = state.get();
        }
        return Health.birth(before, heardMs.getOpaque());
    }

    private static int patienceMs(Deadline deadline) {
        return (int) Math.min(deadline.selectMs(), Integer.MAX_VALUE);
    }

    private OneHopException resting(long now, long nowMs) {
        return Failure.resting(node, Health.failures(now), Health.until(now) - nowMs, last);
    }

    /* ---- Reporting ---- */

    /** A whole reply has arrived. */
    void answered(long nowMs) {
        if (heardMs.getOpaque() != nowMs) { // At most once in a millisecond.
            heardMs.setOpaque(nowMs);
        }
        long before = state.get();
        long after = rules.answered(before);
        while (after != before && !state.compareAndSet(before, after)) {
            before = state.get();
            after = rules.answered(before);
        }
        log(before, after, null);
    }

    /**
     * The node answered that it cannot serve now. That is a failure if the pool ejects nodes,
     * otherwise it has no effect.
     */
    void answeredUnwell(NodeConnection connection) {
        if (rules.ejects()) {
            failed(Cause.EXCHANGE, connection.lease().health(), null);
        }
    }

    /** A call failed. Notes what that means for the node. */
    void failed(OneHopException failure, NodeConnection connection) {
        Cause cause = cause(failure, connection);
        if (cause != null) {
            last = failure;
            failed(cause, connection.lease().health(), failure);
        }
    }

    private void failed(Cause cause, long born, @Nullable OneHopException failure) {
        int chance = ThreadLocalRandom.current().nextInt();
        long nowMs = nowMs();
        long heard = heardMs.getOpaque();
        long before = state.get();
        long after = rules.failed(before, heard, cause, born, nowMs, chance);
        while (after != before && !state.compareAndSet(before, after)) {
            before = state.get();
            after = rules.failed(before, heard, cause, born, nowMs, chance);
        }
        if (rules.ejects()
                && ejections != null
                && Health.generation(after) != Health.generation(before)) {
            ejections.incrementAndGet();
        }
        log(before, after, failure);
    }

    /** Only for the thread that made the change. */
    private void log(long before, long after, @Nullable OneHopException failure) {
        Edge edge = Health.edge(before, after);
        if (edge == Edge.NONE || ejections == null) {
            return;
        }
        long word = told.get();
        Told next = Told.after(word, edge, nowMs());
        while (!told.compareAndSet(word, next.word())) {
            word = told.get();
            next = Told.after(word, edge, nowMs());
        }
        if (next.isDue()) {
            LOG.log(edge == Edge.BACK ? Level.INFO : Level.WARNING, line(edge, next, failure));
        }
    }

    private String line(Edge edge, Told news, @Nullable OneHopException failure) {
        String label = node.label();
        String times =
                news.times() == 0
                        ? ""
                        : " (it went down "
                                + news.times()
                                + " more times since this was last told)";
        if (edge == Edge.BACK) {
            return rules.ejects()
                    ? label + " is in again after " + seconds(news.ms()) + ", and its keys with it"
                    : label + " is back after " + seconds(news.ms());
        }
        String why = failure == null ? Message.UNWELL.what() : Failure.what(failure, node);
        return rules.ejects()
                ? label
                        + " is ejected: "
                        + why
                        + "; its keys move to other nodes for "
                        + seconds(rules.retryMs())
                        + times
                : label + " is down: " + why + "; its keys fail until it answers again" + times;
    }

    private static String seconds(long ms) {
        return ms / 1000 + "." + ms % 1000 / 100 + " s";
    }

    /**
     * Returns {@code null} if the failure says nothing about the node. A failure without a cause
     * was the node's own answer, or never reached the node.
     */
    private static @Nullable Cause cause(OneHopException failure, NodeConnection connection) {
        boolean isLate = failure.getKind() == ErrorKind.DEADLINE_EXCEEDED;
        if (failure.getCause() == null || failure.getKind() == ErrorKind.CONFIG_INVALID) {
            return null;
        }
        Throwable root = Failure.root(failure.getCause());
        if (isLate
                ? !(root instanceof SocketTimeoutException)
                        || !connection.lease().hadTime(Timings.CLOCK_PAUSE_MS)
                : isOurs(root)) {
            return null;
        }
        return connection.wasConnected() ? Cause.EXCHANGE : Cause.CONNECT;
    }

    private static boolean isOurs(Throwable root) {
        return root instanceof NoDescriptor || root instanceof BindException;
    }
}
