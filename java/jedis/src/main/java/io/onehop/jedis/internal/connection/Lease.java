package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Clock;

import org.jspecify.annotations.Nullable;

/**
 * What to remember of the current lease of a connection: when it began, its deadline, and the
 * node's health before the lease.
 *
 * <p>Each connection has one object, which every lease uses again, so a call allocates nothing. For
 * the thread that leased the connection.
 */
public final class Lease {
    private Deadline deadline = Deadline.NONE;
    private long calledNs;
    private long sinceNs;
    private long health;
    private boolean isUnwell;
    private boolean isRefused;
    private @Nullable String denied; // Belongs to this lease only if isRefused.
    private long steppedNs; // When the last step of opening ended.
    private boolean hasStepped;
    private long tookNs; // How long that step took.
    private boolean isReadyLate;
    private long sent;
    private long received;
    private long receivedBefore;

    /** Begins a call with this deadline. */
    void begin(Deadline by) {
        deadline = by;
        calledNs = by.isBounded() ? by.beganNs() : Clock.nowNs();
        sinceNs = calledNs;
        isUnwell = false;
        isRefused = false;
        hasStepped = false;
        isReadyLate = false;
        receivedBefore = received;
    }

    /** Replaces the deadline by a later one. */
    void until(Deadline by) {
        deadline = by;
    }

    /** Notes that the call began long ago, but that the node gets it only now. */
    public void beginsLate() {
        sinceNs = Clock.nowNs();
    }

    /** The node's health when it was asked: a birth. */
    public void ask(long birth) {
        health = birth;
    }

    public long health() {
        return health;
    }

    /**
     * Notes that the node returned an error. {@code isOfUnwell}: the node cannot serve now. {@code
     * command}: the node does not have this command; {@code null}: the error is about something
     * else.
     */
    void refused(boolean isOfUnwell, @Nullable String command) {
        denied = command == null && isRefused ? denied : command;
        isRefused = true;
        isUnwell |= isOfUnwell;
    }

    /** The last command that the node, by its own words, does not have; {@code null}: none. */
    public @Nullable String denied() {
        return isRefused ? denied : null;
    }

    public boolean isRefused() {
        return isRefused;
    }

    public boolean isUnwell() {
        return isUnwell;
    }

    /** How long the call has taken so far. */
    public long ns() {
        return ns(Clock.nowNs());
    }

    /** How long the call had taken at this instant of the clock. */
    public long ns(long nowNs) {
        return nowNs - calledNs;
    }

    /** True if the duration of the call depends on the node, and not on a blocking timeout. */
    public boolean isTimed(int timeoutMs) {
        return deadline.hasLength(timeoutMs);
    }

    /**
     * True if a missed deadline says something about the node: the node had at least half of the
     * time, and this process was running when the deadline passed.
     */
    public boolean hadTime(int pauseMs) {
        return deadline.leavesHalf(sinceNs) && !deadline.hasPassedBy(pauseMs);
    }

    /** When the node got the call. */
    public long sinceNs() {
        return sinceNs;
    }

    /* ---- Opening slowly: spec/wire, section 7 ---- */

    /** A step of opening has ended: the node has answered. */
    void stepped() {
        long beganNs = hasStepped ? steppedNs : Math.max(steppedNs, sinceNs);
        hasStepped = true;
        steppedNs = Clock.nowNs();
        tookNs = steppedNs - beganNs;
    }

    /** When the last step ended. */
    long steppedNs() {
        return steppedNs;
    }

    /** True if a step of opening has ended since the lease began. */
    boolean hasStepped() {
        return hasStepped;
    }

    /**
     * Notes that the connection is open. Bytes that came before are not an answer. {@code
     * isOfSlow}: an earlier call had opened its own connection to this node, and was late.
     */
    void opened(long all, boolean isOfSlow) {
        receivedBefore = all;
        long leftNs = deadline.waitNs();
        isReadyLate = leftNs == 0 || isOfSlow && tookNs > leftNs;
    }

    /** True if this lease has opened the connection, and has too little time left for an answer. */
    public boolean isReadyLate() {
        return isReadyLate;
    }

    /** True if bytes of an answer have come. {@code all}: bytes received in all. */
    boolean hasHeard(long all) {
        return all > receivedBefore;
    }

    /** Bytes sent since the last call. {@code all}: bytes sent in all. */
    public long newlySent(long all) {
        long before = sent;
        sent = all;
        return all - before;
    }

    /** Bytes received since the last call. {@code all}: bytes received in all. */
    public long newlyReceived(long all) {
        long before = received;
        received = all;
        return all - before;
    }
}
