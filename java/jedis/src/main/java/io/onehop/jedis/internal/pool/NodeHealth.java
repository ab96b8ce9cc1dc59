package io.onehop.jedis.internal.pool;

import io.onehop.core.ErrorKind;
import io.onehop.core.base.Clock;
import io.onehop.core.health.Health;
import io.onehop.core.health.Health.Answer;
import io.onehop.core.health.Health.Cause;
import io.onehop.core.health.Health.Edge;
import io.onehop.core.health.Health.Told;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NoDescriptor;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.NodeName;

import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether one node is worth asking, as all threads of a client have found out together.
 *
 * <p>The pool asks it before each lease; the user of the connection reports how the exchange ended.
 * A node that is down rests: its keys fail at once, and one caller at a time finds out whether it
 * is back. Where nodes are ejected, a node that is out is asked all the same, and placement learns
 * of the ejection. While a node is up, asking and reporting are one read each. Any thread.
 * Implements spec/health: {@link Health} has the rules; here is what counts as an answer or a
 * failure.
 */
public final class NodeHealth {
    /** In place of a birth: the lease has not asked yet. */
    public static final long NOT_ASKED = -1;

    private static final long NS_PER_MS = 1_000_000;
    private static final long BEGIN_NS = Clock.nowNs();

    private static final System.Logger LOG = System.getLogger("io.onehop");

    /* A deadline noticed so much too late passed while this process did not run. */
    private static final int PAUSE_MS = 200;

    private final NodeName node;
    private final Health rules;
    // Null: the node is asked in passing; the log says nothing of it.
    private final AtomicLong ejections;
    private final AtomicLong state;
    private final AtomicLong heardMs; // When it last answered anybody.
    private final AtomicLong told; // What the log was told.
    private volatile OneHopException last;

    /**
     * {@code ejections} counts ejections, for placement; {@code null}: nobody counts them. {@code
     * before}: the health of the same node under another configuration, from now on shared by both;
     * {@code null}: none.
     */
    NodeHealth(NodeName node, AtomicLong ejections, NodeHealth before) {
        ServerPool pool = node.pool();
        boolean isKnown = before != null && before.rules.ejects() == pool.autoEjectHosts();
        this.state = isKnown ? before.state : new AtomicLong();
        this.heardMs = isKnown ? before.heardMs : new AtomicLong();
        this.told = isKnown ? before.told : new AtomicLong();
        this.last = isKnown ? before.last : null;
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
        return (Clock.nowNs() - BEGIN_NS) / NS_PER_MS + 1;
    }

    public long state() {
        return state.get();
    }

    /** Whether it is asked like any other; where nodes are ejected, also if it may return. */
    public boolean isUp(long nowMs) {
        long until = Health.until(state.get());
        return until == 0 || rules.ejects() && until <= nowMs;
    }

    /** Whether its keys move to other nodes while it is down. */
    public boolean ejects() {
        return rules.ejects();
    }

    /** What it failed by last; {@code null} while it is up. */
    public String reason(long nowMs) {
        OneHopException failure = last;
        return failure == null || isUp(nowMs) ? null : Failure.reason(failure);
    }

    /** Whether it is better not asked now. */
    public boolean isResting(long nowMs) {
        return Health.until(state.get()) > nowMs;
    }

    /**
     * Until when the node is left out of a placement that is made now; 0: it takes part. Adds log
     * lines to news.
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
            news.add(() -> tell(from, to, null));
        }
        return Health.isLive(before, nowMs) ? 0 : Health.until(before);
    }

    /* ---- Asking ---- */

    /** Fails if the node rests; does not make the caller the one who finds out. */
    void requireNotResting() {
        long now = state.get();
        if (Health.until(now) != 0) {
            long nowMs = nowMs();
            if (rules.answer(now, nowMs) == Answer.REFUSE) {
                throw resting(now, nowMs);
            }
        }
    }

    /** The birth of an attempt, to be given back if the attempt fails. Fails if the node rests. */
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

    private NodeDown resting(long now, long nowMs) {
        return Failure.resting(node, Health.failures(now), Health.until(now) - nowMs, last);
    }

    /* ---- Telling ---- */

    /** A reply arrived whole. */
    void answered() {
        long nowMs = nowMs();
        if (heardMs.getOpaque() != nowMs) { // At most once in a millisecond.
            heardMs.setOpaque(nowMs);
        }
        long before = state.get();
        long after = rules.answered(before);
        while (after != before && !state.compareAndSet(before, after)) {
            before = state.get();
            after = rules.answered(before);
        }
        tell(before, after, null);
    }

    /**
     * The node answered that it cannot serve now: where nodes are ejected that is a failure,
     * elsewhere no sign.
     */
    void answeredUnwell(NodeConnection connection) {
        if (rules.ejects()) {
            failed(Cause.EXCHANGE, connection.lease().health(), null);
        }
    }

    /** A call failed; what that says of the node is noted. */
    void failed(OneHopException failure, NodeConnection connection) {
        Cause cause = cause(failure, connection);
        if (cause != null) {
            last = failure;
            failed(cause, connection.lease().health(), failure);
        }
    }

    private void failed(Cause cause, long born, OneHopException failure) {
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
        tell(before, after, failure);
    }

    /** To be called by the thread that made the change, and no other. */
    private void tell(long before, long after, OneHopException failure) {
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

    private String line(Edge edge, Told news, OneHopException failure) {
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
        String why = failure == null ? "it cannot serve now" : Failure.reason(failure);
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
     * {@code null}: nothing is said of the node. What has no cause was the node's own word, or
     * never came to it.
     */
    private static Cause cause(OneHopException failure, NodeConnection connection) {
        boolean isLate = failure.getKind() == ErrorKind.DEADLINE_EXCEEDED;
        if (failure.getCause() == null || failure.getKind() == ErrorKind.CONFIG_INVALID) {
            return null;
        }
        Throwable root = Failure.root(failure.getCause());
        if (isLate
                ? !(root instanceof SocketTimeoutException) || !connection.lease().hadTime(PAUSE_MS)
                : isOurs(root)) {
            return null;
        }
        return connection.wasConnected() ? Cause.EXCHANGE : Cause.CONNECT;
    }

    private static boolean isOurs(Throwable root) {
        return root instanceof NoDescriptor || root instanceof BindException;
    }
}
