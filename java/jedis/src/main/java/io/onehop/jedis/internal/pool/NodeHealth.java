package io.onehop.jedis.internal.pool;

import io.onehop.core.ErrorKind;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.health.Absence;
import io.onehop.core.health.Health;
import io.onehop.core.health.Health.Answer;
import io.onehop.core.health.Health.Cause;
import io.onehop.core.health.Health.Edge;
import io.onehop.core.health.Health.Told;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.Handshake.TurnedAway;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Failure.NoDescriptor;
import io.onehop.jedis.internal.failure.NodeName;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether one node may be asked: the circuit breaker that all threads of a client share.
 *
 * <p>The pool asks before each lease. The caller reports how the exchange ended. A node that is
 * down rests: calls for its keys fail immediately, and one caller at a time probes whether it is
 * back. If the pool ejects nodes, an ejected node is still asked, but placement leaves it out.
 * While a node is up, asking and reporting cost one read each. Any thread. Implements spec/health:
 * {@link Health} has the rules; this class decides what counts as an answer or as a failure.
 */
public final class NodeHealth {
    /** The birth of a lease that has not asked yet. */
    public static final long NOT_ASKED = -1;

    private static final long NS_PER_MS = 1_000_000;
    private static final long BEGIN_NS = Clock.nowNs();

    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final NodeName node;
    private final Health rules;
    // Null for a node that is asked in passing, without a log.
    private final @Nullable ClientNodes nodes;
    private final AtomicLong state;
    private final ClientNodes.Times times;
    private final AtomicLong heardMs; // This is times.heardMs().
    private final AtomicLong told; // What was logged last.
    private final Absence absence;
    private volatile @Nullable OneHopException last;

    /**
     * {@code nodes} are those of the client; {@code null} for a node that is asked in passing.
     * {@code before} is the health of the same node under the previous configuration, which both
     * share from now on; {@code null} if there is none.
     */
    NodeHealth(NodeName node, @Nullable ClientNodes nodes, @Nullable NodeHealth before) {
        ServerPool pool = node.pool();
        NodeHealth known =
                before != null && before.rules.ejects() == pool.autoEjectHosts() ? before : null;
        this.state = known != null ? known.state : new AtomicLong();
        this.times = known != null ? known.times : new ClientNodes.Times();
        this.heardMs = times.heardMs();
        this.told = known != null ? known.told : new AtomicLong();
        this.absence = known != null ? known.absence : new Absence();
        this.last = known != null ? known.last : null;
        this.node = node;
        this.nodes = nodes;
        this.rules =
                new Health(
                        pool.autoEjectHosts(),
                        pool.number(Directive.SERVER_FAILURE_LIMIT),
                        pool.number(Directive.SERVER_RETRY_TIMEOUT));
    }

    /** Milliseconds of the monotonic clock since the program began, from 1. */
    public static long nowMs() {
        return ms(Clock.nowNs());
    }

    /** Milliseconds of that count for an instant of the clock. */
    static long ms(long nowNs) {
        return (nowNs - BEGIN_NS) / NS_PER_MS + 1;
    }

    public long state() {
        return state.get();
    }

    public ClientNodes.Times times() {
        return times;
    }

    /** False also for a node that has returned and has not answered since. */
    public boolean isUp() {
        return Health.isUp(state.get());
    }

    /** True if the keys of the node move to other nodes while it is down. */
    public boolean ejects() {
        return rules.ejects();
    }

    /** The last failure of the node, or {@code null} while it is up. */
    public @Nullable String reason() {
        OneHopException failure = last;
        return failure == null || isUp() ? null : Failure.what(failure, node);
    }

    /**
     * Notes that a call has failed at this master of a Redis Cluster. True if calls wait for a
     * replica to be promoted in its place. {@code hasHeir}: the newest map has a replica that may
     * be promoted.
     */
    public boolean awaitsHeir(boolean hasHeir, long nowMs) {
        return absence.awaitsHeir(hasHeir, heardMs.getOpaque(), nowMs);
    }

    /**
     * False as long as the node is in use. If true, {@link #isResting} says whether it rests at an
     * instant.
     */
    public boolean mayRest() {
        return Health.until(state.get()) != 0;
    }

    /** True if the node should not be asked now. */
    public boolean isResting(long nowMs) {
        return Health.until(state.get()) > nowMs;
    }

    /**
     * Notes that keys are placed again. Returns until when the new placement leaves the node out;
     * 0: the node takes part. Adds log lines to news.
     */
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

    /** Throws if the node rests. The caller does not become the probe. */
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
     * Returns the birth of an attempt. If the attempt fails, its birth is passed to the rules of
     * health. Throws if the node rests.
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

    /** Notes that a whole reply has arrived. */
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
     * Notes that the node answered that it cannot serve now. If the pool ejects nodes, that is a
     * failure; otherwise it has no effect.
     */
    void answeredUnwell(NodeConnection connection) {
        if (rules.ejects()) {
            failed(Cause.EXCHANGE, connection.lease().health(), null);
        }
    }

    /** Notes what a failed call means for the node. True if the node is down now. */
    boolean failed(OneHopException failure, NodeConnection connection) {
        Cause cause = cause(failure, connection);
        if (cause == null || isLate(failure, connection) && isLateTogether(connection)) {
            return false;
        }
        last = failure;
        return failed(cause, connection.lease().health(), failure);
    }

    /** True if a deadline ended the call, and that says something about the node. */
    static boolean isLate(OneHopException failure, NodeConnection connection) {
        return failure.getKind() == ErrorKind.DEADLINE_EXCEEDED
                && cause(failure, connection) != null;
    }

    /** Notes a passed deadline, if it says something about the node ({@code Lease.hadTime}). */
    void noteLate(NodeConnection connection) {
        if (connection.lease().hadTime(Timings.CLOCK_PAUSE_MS)) {
            times.lateMs().setOpaque(nowMs());
        }
    }

    /** True if other nodes were late together with this node. */
    private boolean isLateTogether(NodeConnection connection) {
        long nowMs = nowMs();
        noteLate(connection);
        return nodes != null
                && !rules.ejects()
                && nodes.wereLateTogether(times, ms(connection.lease().sinceNs()), nowMs);
    }

    private boolean failed(Cause cause, long born, @Nullable OneHopException failure) {
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
                && nodes != null
                && Health.generation(after) != Health.generation(before)) {
            nodes.ejected();
        }
        log(before, after, failure);
        return Health.until(after) != 0;
    }

    /** Logs a change of state. Only the thread that made the change calls this. */
    private void log(long before, long after, @Nullable OneHopException failure) {
        Edge edge = Health.edge(before, after);
        if (edge == Edge.NONE || nodes == null) {
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
                : saysNothing(root)) {
            return null;
        }
        return isLate || connection.wasConnected() || root instanceof UnknownHostException
                ? Cause.EXCHANGE
                : Cause.REFUSED;
    }

    /**
     * True if the failure does not mean that the node is gone: the node has answered, or this
     * process could not ask it.
     */
    public static boolean saysNothing(OneHopException failure) {
        return failure.getCause() != null && saysNothing(Failure.root(failure.getCause()));
    }

    private static boolean saysNothing(Throwable root) {
        return root instanceof NoDescriptor
                || root instanceof BindException
                || root instanceof TurnedAway;
    }
}
