package io.onehop.core.health;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Timings;
import io.onehop.core.base.Words;

/**
 * The circuit breaker of one node: a pure state machine over one {@code long}, which the caller
 * keeps in an atomic field. Each method takes a state and an event and returns the next state; the
 * caller compares and swaps. 0 is a node without failures.
 *
 * <p>Calls to a node that rests fail fast until one caller probes it. Each pause is twice as long
 * as the pause before, up to a limit. An ejected node leaves placement, and returns after a fixed
 * time, as in nutcracker. Instants are milliseconds of a monotonic clock. The caller passes these
 * instants and random numbers. Stateless, for any number of threads. Implements spec/health.
 *
 * @param ejects {@code auto_eject_hosts}: a node that fails leaves placement instead of resting
 * @param failureLimit {@code server_failure_limit}; 0 counts as 2, or as 1 if nodes are ejected
 * @param retryMs {@code server_retry_timeout} in milliseconds; only if nodes are ejected
 */
public record Health(boolean ejects, int failureLimit, int retryMs) {
    private static final long UNTIL_MAX = (1L << 40) - 1;
    private static final int FAILURES_MAX = 0x3fff;
    private static final int STEP_MAX = 15;
    private static final int GENERATIONS = 64;

    /** What a caller that wants to use a node may do. */
    public enum Answer {
        GO,
        /** Use it. Until the result is known, all other callers get REFUSE. */
        PROBE,
        /** Fail immediately and send nothing: the node rests. */
        REFUSE
    }

    /** How an attempt failed. */
    public enum Cause {
        /** The connection was refused, immediately. */
        REFUSED,
        /** Everything else. */
        EXCHANGE
    }

    /* ---- The fields of a state ---- */

    /** The instant until which the node is down; 0: it is in use. */
    public static long until(long state) {
        return state & UNTIL_MAX;
    }

    /** Failures in a row. */
    public static int failures(long state) {
        return (int) (state >>> 40) & FAILURES_MAX;
    }

    /**
     * How many pauses in a row. Where nodes are ejected: 1 from the return of the node until it
     * answers, otherwise 0.
     */
    public static int step(long state) {
        return (int) (state >>> 54) & STEP_MAX;
    }

    /**
     * False also for a node whose ejection is over and that has not answered since: nobody knows
     * how it is.
     */
    public static boolean isUp(long state) {
        return until(state) == 0 && step(state) == 0;
    }

    /** How often the node went down or came back, modulo 64. */
    public static int generation(long state) {
        return (int) (state >>> 58);
    }

    /**
     * What an attempt remembers when it begins, and passes as {@code born} if it fails: the
     * generation, and when the node last answered any call.
     */
    public static long birth(long state, long heardMs) {
        return heardMs << 6 | generation(state);
    }

    private static long state(long until, int failures, int step, int generation) {
        return until
                | (long) failures << 40
                | (long) step << 54
                | (long) (generation % GENERATIONS) << 58;
    }

    /** 0 means "up", so no instant is 0. */
    private static long instant(long ms) {
        return Math.max(1, Math.min(ms, UNTIL_MAX));
    }

    /* ---- Events ---- */

    /** Whether a caller may use the node now. */
    public Answer answer(long state, long nowMs) {
        long until = until(state);
        if (ejects || until == 0) {
            return Answer.GO;
        }
        return nowMs < until && until - nowMs <= Timings.REST_AHEAD_MS_MAX
                ? Answer.REFUSE
                : Answer.PROBE;
    }

    /**
     * The state after {@link #answer}. The caller has {@code patienceMs} for its attempt (0: no
     * limit).
     */
    public long asked(long state, long nowMs, int patienceMs) {
        if (answer(state, nowMs) != Answer.PROBE) {
            return state;
        }
        int claimMs =
                patienceMs == 0
                        ? Timings.PROBE_MS_DEFAULT
                        : Math.min(patienceMs, Timings.PROBE_MS_MAX);
        // The probe must report before the instant that is set here. A later report does not
        // count.
        return state(
                instant(nowMs + claimMs + Timings.CLOCK_PAUSE_MS),
                failures(state),
                step(state),
                generation(state));
    }

    /**
     * The state after an attempt that failed because of the node.
     *
     * @param heardMs when the node last answered any call
     * @param born the {@link #birth} of the attempt: if the state has changed since the attempt
     *     began, or (without ejection) the node has answered another call, the failure changes
     *     nothing
     * @param chance any number, read as unsigned
     */
    public long failed(long state, long heardMs, Cause cause, long born, long nowMs, int chance) {
        if (isIrrelevant(state, heardMs, born)) {
            return state;
        }
        int failures = Math.min(failures(state) + 1, FAILURES_MAX);
        boolean isOver = failures >= limit();
        if (ejects && isOver) {
            return state(instant(nowMs + retryMs), 0, 0, generation(state) + 1);
        }
        boolean isDown = until(state) != 0;
        if (!ejects && (isOver || isDown || cause == Cause.REFUSED)) {
            return rest(state, failures, cause, nowMs, chance);
        }
        // From now on, failures of attempts that began before this failure change nothing.
        return state(until(state), failures, step(state), generation(state) + (ejects ? 0 : 1));
    }

    private boolean isIrrelevant(long state, long heardMs, long born) {
        long known = birth(state, heardMs);
        return ejects ? born % GENERATIONS != known % GENERATIONS : born != known;
    }

    private int limit() {
        int limit = failureLimit != 0 ? failureLimit : ejects ? 1 : Limits.NODE_FAILURES_DEFAULT;
        return Math.min(limit, FAILURES_MAX);
    }

    private static long rest(long state, int failures, Cause cause, long nowMs, int chance) {
        int step = step(state);
        int pauseMsMax = cause == Cause.REFUSED ? Timings.REST_REFUSED_MS_MAX : Timings.REST_MS_MAX;
        int pauseMs = Math.min(Timings.REST_MS_FIRST << step, pauseMsMax);
        pauseMs += Integer.remainderUnsigned(chance, pauseMs / 4);
        return state(
                instant(nowMs + Math.min(pauseMs, pauseMsMax)),
                failures,
                Math.min(step + 1, STEP_MAX),
                generation(state) + 1);
    }

    /**
     * The state after a reply, which the caller notes as heard. Usually the state does not change.
     */
    public long answered(long state) {
        boolean wasDown = until(state) != 0;
        if (failures(state) == 0 && step(state) == 0 && (ejects || !wasDown)) {
            return state;
        }
        return state(0, 0, 0, generation(state) + (wasDown ? 1 : 0));
    }

    /* ---- Late together ---- */

    /**
     * True if a passed deadline says nothing about its node, because several were late together.
     *
     * @param node the index of the node
     * @param heardMs when each node last answered; 0: never
     * @param lateMs when a deadline last passed for each node
     * @param beganMs when the call began
     */
    public static boolean isLateTogether(
            int node, long[] heardMs, long[] lateMs, long beganMs, long nowMs) {
        long lastHeardMs = 0;
        boolean isOtherLate = false;
        for (int i = 0; i < heardMs.length; i++) {
            lastHeardMs = heardMs[i] <= nowMs ? Math.max(lastHeardMs, heardMs[i]) : lastHeardMs;
            isOtherLate |= i != node && lateMs[i] > beganMs && lateMs[i] <= nowMs;
        }
        return isOtherLate
                && lastHeardMs != 0
                && lastHeardMs <= beganMs
                && nowMs - lastHeardMs <= Timings.LATE_TOGETHER_MS_MAX;
    }

    /* ---- What is logged ---- */

    /** The kind of a change of state. Only the caller that made the change logs it. */
    public enum Edge {
        /** Nothing to log. */
        NONE,
        DOWN,
        /** A probe has failed. */
        STILL,
        BACK
    }

    /** The kind of a change of state. */
    public static Edge edge(long before, long after) {
        if (generation(before) == generation(after)) {
            return Edge.NONE;
        }
        boolean isDown = until(after) != 0;
        return until(before) == 0
                ? isDown ? Edge.DOWN : Edge.NONE
                : isDown ? Edge.STILL : Edge.BACK;
    }

    /**
     * What the log says about a node after a change: a word to keep, 0 at first, and whether to
     * write a line.
     *
     * @param word the word to keep
     * @param isDue whether to write a line
     * @param times how often the node also went down since the last line about it
     * @param ms for a node that is back: milliseconds since that line
     */
    public record Told(long word, boolean isDue, int times, long ms) {
        /**
         * The instant of the last line that says the node is down, and how often it went down
         * since. {@code isTold}: that line reported the present outage.
         */
        private static long word(long lineMs, int downs, boolean isTold) {
            return lineMs | (long) Math.min(downs, FAILURES_MAX) << 40 | (isTold ? 1L << 54 : 0);
        }

        /** The word and the line after a change. */
        public static Told after(long word, Edge edge, long nowMs) {
            long lineMs = word & UNTIL_MAX;
            int downs = ((int) (word >>> 40) & FAILURES_MAX) + (edge == Edge.DOWN ? 1 : 0);
            boolean isBad = lineMs > nowMs;
            boolean isTold = (word >>> 54 & 1) != 0 && !isBad;
            if (edge == Edge.NONE || edge == Edge.STILL && isTold) {
                return new Told(word, false, 0, 0);
            }
            if (edge == Edge.BACK) {
                return new Told(word(isBad ? 0 : lineMs, downs, false), isTold, 0, nowMs - lineMs);
            }
            if (lineMs != 0 && !isBad && nowMs - lineMs < Timings.NODE_LINE_EVERY_MS) {
                return new Told(word(lineMs, downs, false), false, 0, 0);
            }
            return new Told(word(instant(nowMs), 0, true), true, Math.max(downs - 1, 0), 0);
        }
    }

    /* ---- Where nodes are ejected ---- */

    /** True if the node takes part in a placement that is made now. */
    public static boolean isLive(long state, long nowMs) {
        return until(state) <= nowMs;
    }

    /** The state of a node after a placement that is made now. */
    public static long rebuilt(long state, long nowMs) {
        if (until(state) == 0 || !isLive(state, nowMs)) {
            return state;
        }
        return state(0, failures(state), 1, generation(state) + 1);
    }

    /**
     * True if keys must be placed again. {@code dueMs} is the first instant at which an ejected
     * node may return.
     */
    public static boolean isRebuildDue(long dueMs, long nowMs) {
        return dueMs != 0 && nowMs > dueMs;
    }

    /**
     * True if an error reply means that the node cannot serve now. Only its whole first word
     * counts.
     */
    public static boolean isUnwell(String answer) {
        int end = answer.indexOf(' ');
        return Words.UNWELL.contains(end < 0 ? answer : answer.substring(0, end));
    }
}
