package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Clock;

/**
 * What is to be remembered of the lease a connection is under: since when, by when, what was known
 * of the node's health.
 *
 * <p>Each connection has one, which begins anew with every lease, so that nothing is made for a
 * call. For the thread that leased the connection.
 */
public final class Lease {
    private Deadline deadline = Deadline.NONE;
    private long calledNs;
    private long sinceNs;
    private long health;
    private boolean isUnwell;
    private boolean isRefused;
    private long sent;
    private long received;

    /** A call begins, by this deadline. */
    void begin(Deadline by) {
        deadline = by;
        calledNs = by.isBounded() ? by.beganNs() : Clock.nowNs();
        sinceNs = calledNs;
        isUnwell = false;
        isRefused = false;
    }

    /** The deadline moves: what is waited for takes longer. */
    void until(Deadline by) {
        deadline = by;
    }

    /** The call began long ago, but the node has it only from now on. */
    public void beginsLate() {
        sinceNs = Clock.nowNs();
    }

    /** What was known of the node when it was asked (a birth of its health). */
    public void ask(long birth) {
        health = birth;
    }

    public long health() {
        return health;
    }

    /** The node answered an error; perhaps that it cannot serve now. */
    void refused(boolean isOfUnwell) {
        isRefused = true;
        isUnwell |= isOfUnwell;
    }

    public boolean isRefused() {
        return isRefused;
    }

    public boolean isUnwell() {
        return isUnwell;
    }

    /** How long the call has taken until now. */
    public long ns() {
        return Clock.nowNs() - calledNs;
    }

    /** Whether its time is the node's doing, and not a wish to wait. */
    public boolean isTimed(int timeoutMs) {
        return deadline.hasLength(timeoutMs);
    }

    /**
     * Whether a deadline that has passed says something about the node: it had most of the time,
     * and this process was awake to see it pass.
     */
    public boolean hadTime(int pauseMs) {
        return deadline.leavesHalf(sinceNs) && !deadline.hasPassedBy(pauseMs);
    }

    /** How much of so many bytes in all was sent since this was asked last. */
    public long newlySent(long all) {
        long before = sent;
        sent = all;
        return all - before;
    }

    /** The same of what was received. */
    public long newlyReceived(long all) {
        long before = received;
        received = all;
        return all - before;
    }
}
