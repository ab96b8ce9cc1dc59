package io.onehop.core.health;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Timings;
import io.onehop.core.base.Words;

/**
 * Is it worth asking this node? A pure state machine over one {@code long}, to be kept in an atomic
 * field: the methods take a state and an event and give the next state, and the caller compares and
 * swaps. 0 is a node nobody has complained about.
 *
 * <p>A node that rests fails fast until one caller probes it, each pause twice the one before; a
 * node that is ejected leaves placement and returns by time alone, as nutcracker has it. Instants
 * are milliseconds of a monotonic clock and, like chance, given by the caller. Stateless, for any
 * number of threads. Implements spec/health.
 *
 * @param ejects {@code auto_eject_hosts}: a node that fails leaves placement instead of resting
 * @param failureLimit {@code server_failure_limit}; 0 counts as 2, or as 1 where nodes are ejected
 * @param retryMs {@code server_retry_timeout} in milliseconds; only where nodes are ejected
 */
public record Health(boolean ejects, int failureLimit, int retryMs) {
    private static final long UNTIL_MAX = (1L << 40) - 1;
    private static final int FAILURES_MAX = 0x3fff;
    private static final int STEP_MAX = 15;
    private static final int GENERATIONS = 64;

    /** What a caller is told who wants to go to a node. */
    public enum Answer {
        GO,
        /** Go, and everybody else waits for what becomes of it. */
        PROBE,
        /** It rests: fail at once, nothing was sent. */
        REFUSE
    }

    /** Where an attempt failed: before there was a connection, or on it. */
    public enum Cause {
        CONNECT,
        EXCHANGE
    }

    /* ---- The fields of a state ---- */

    /** The instant until which the node is down; 0: it is up. */
    public static long until(long state) {
        return state & UNTIL_MAX;
    }

    /** Failures in a row. */
    public static int failures(long state) {
        return (int) (state >>> 40) & FAILURES_MAX;
    }

    /** How often the node has rested in a row. */
    public static int step(long state) {
        return (int) (state >>> 54) & STEP_MAX;
    }

    /** How often the node went down or came back, modulo 64. */
    public static int generation(long state) {
        return (int) (state >>> 58);
    }

    /**
     * What an attempt must remember when it begins, and give back as {@code born} if it fails: the
     * generation, and when the node last answered anybody.
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

    /** 0 stands for "up", so no instant is 0. */
    private static long instant(long ms) {
        return Math.max(1, Math.min(ms, UNTIL_MAX));
    }

    /* ---- Events ---- */

    /** What to tell somebody who wants to go there. */
    public Answer answer(long state, long nowMs) {
        long until = until(state);
        if (ejects || until == 0) {
            return Answer.GO;
        }
        return nowMs < until && until - nowMs <= Timings.REST_AHEAD_MS_MAX
                ? Answer.REFUSE
                : Answer.PROBE;
    }

    /** The state after telling him, who has {@code patienceMs} for it (0: no end). */
    public long asked(long state, long nowMs, int patienceMs) {
        if (answer(state, nowMs) != Answer.PROBE) {
            return state;
        }
        int claimMs =
                patienceMs == 0
                        ? Timings.PROBE_MS_DEFAULT
                        : Math.min(patienceMs, Timings.PROBE_MS_MAX);
        return state(instant(nowMs + claimMs), failures(state), step(state), generation(state));
    }

    /**
     * The state after an attempt failed for a reason that is the node's.
     *
     * @param heardMs when the node last answered anybody
     * @param born the {@link #birth} of the attempt: old news, and news of one connection only,
     *     change nothing
     * @param chance any number, read as unsigned
     */
    public long failed(long state, long heardMs, Cause cause, long born, long nowMs, int chance) {
        if (saysNothing(state, heardMs, born)) {
            return state;
        }
        int failures = Math.min(failures(state) + 1, FAILURES_MAX);
        boolean isOver = failures >= limit();
        if (ejects && isOver) {
            return state(instant(nowMs + retryMs), 0, 0, generation(state) + 1);
        }
        if (!ejects && (isOver || cause == Cause.CONNECT)) {
            return rest(state, failures, nowMs, chance);
        }
        return state(until(state), failures, step(state), generation(state));
    }

    private boolean saysNothing(long state, long heardMs, long born) {
        long known = birth(state, heardMs);
        return ejects ? born % GENERATIONS != known % GENERATIONS : born != known;
    }

    private int limit() {
        int limit = failureLimit != 0 ? failureLimit : ejects ? 1 : Limits.NODE_FAILURES_DEFAULT;
        return Math.min(limit, FAILURES_MAX);
    }

    private static long rest(long state, int failures, long nowMs, int chance) {
        int step = step(state);
        int pauseMs = (int) Math.min((long) Timings.REST_MS_FIRST << step, Timings.REST_MS_MAX);
        return state(
                instant(nowMs + pauseMs + Integer.remainderUnsigned(chance, pauseMs / 4)),
                failures,
                Math.min(step + 1, STEP_MAX),
                generation(state) + 1);
    }

    /** The state after a reply arrived, which the caller notes as heard; usually the same. */
    public long answered(long state) {
        boolean wasDown = until(state) != 0;
        if (failures(state) == 0 && (ejects || !wasDown)) {
            return state;
        }
        return state(0, 0, 0, generation(state) + (wasDown ? 1 : 0));
    }

    /* ---- What the log is told ---- */

    /** The kind of a change of state. Only the caller that made the change writes it to the log. */
    public enum Edge {
        /** No news. */
        NONE,
        DOWN,
        /** It was tried again, in vain. */
        STILL,
        BACK
    }

    /** What a change of state is. */
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
     * What the log was told of a node, after an edge: a word to keep, 0 at first, and whether to
     * write a line.
     *
     * @param word to be kept
     * @param isDue whether a line is to be written
     * @param times how often the node went down besides, since the last line that says so
     * @param ms of a node that is back: since that line
     */
    public record Told(long word, boolean isDue, int times, long ms) {
        /**
         * The instant of the last line that it is down; how often it has gone down since; whether
         * that is now.
         */
        private static long word(long lineMs, int downs, boolean isTold) {
            return lineMs | (long) Math.min(downs, FAILURES_MAX) << 40 | (isTold ? 1L << 54 : 0);
        }

        /** The word and the line after an edge. */
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

    /** Whether the node belongs into the ring that is built now. */
    public static boolean isLive(long state, long nowMs) {
        return until(state) <= nowMs;
    }

    /** The state of a node after such a building. */
    public static long rebuilt(long state, long nowMs) {
        if (until(state) == 0 || !isLive(state, nowMs)) {
            return state;
        }
        return state(0, failures(state), 0, generation(state) + 1);
    }

    /**
     * Whether placement must be built anew, {@code dueMs} being the smallest instant of the nodes
     * that are out.
     */
    public static boolean isRebuildDue(long dueMs, long nowMs) {
        return dueMs != 0 && nowMs > dueMs;
    }

    /**
     * Whether an error that a node answered says that it cannot serve now: by its whole first word.
     */
    public static boolean isUnwell(String answer) {
        int end = answer.indexOf(' ');
        return Words.UNWELL.contains(end < 0 ? answer : answer.substring(0, end));
    }
}
