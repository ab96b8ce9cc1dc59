package io.onehop.jedis.internal.batch;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Role;
import io.onehop.core.base.Message;
import io.onehop.core.command.Command;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One batch: an exchange for each node that has commands, in node order. For one thread. */
public final class Batch {
    private final Snapshot snapshot;
    private final BatchExchange[] exchanges;
    private final @Nullable Forwarding forwarding;
    private final boolean isFirst;
    // By index of a master: 1 + the index of the node that answers its reads in this batch; 0:
    // none is chosen yet. Null before the first read.
    private int @Nullable [] readers;
    private long waitMs;

    private Batch(Snapshot snapshot, @Nullable Forwarding forwarding, boolean isFirst) {
        this.snapshot = snapshot;
        this.exchanges = new BatchExchange[snapshot.pools().length];
        this.forwarding = forwarding;
        this.isFirst = isFirst;
    }

    /**
     * A batch of a caller. {@code forwarding} follows the redirects of this batch; it is {@code
     * null} where nodes do not redirect.
     */
    public static Batch of(Snapshot snapshot, @Nullable Forwarding forwarding) {
        return new Batch(snapshot, forwarding, true);
    }

    /** A batch of redirected commands. */
    public static Batch ofSentOn(Snapshot snapshot, Forwarding forwarding) {
        return new Batch(snapshot, forwarding, false);
    }

    /** Follows the redirects of this batch; {@code null}: its nodes do not redirect. */
    public @Nullable Forwarding forwarding() {
        return forwarding;
    }

    /**
     * Adds the timeout of a blocking command. Commands of one node run one after another, so their
     * timeouts add up.
     */
    public void waits(long ms) {
        waitMs = waitMs + ms < 0 ? Deadline.FOR_EVER_MS : waitMs + ms;
    }

    public long waitMs() {
        return waitMs;
    }

    /**
     * The exchange of the node at this home. Commands that are appended next belong to this home.
     */
    public BatchExchange of(int home) {
        return exchange(snapshot.keys().nodeAt(home)).mixed().at(home);
    }

    /** The exchange for one command of this home. A read may go to another node than the master. */
    public BatchExchange of(int home, Command command) {
        if (!snapshot.readFrom().mayAnswer(command)) {
            return of(home);
        }
        int master = snapshot.keys().nodeAt(home);
        if (isBehindOthers(master)) {
            return exchanges[master].at(home);
        }
        readers = readers == null ? new int[exchanges.length] : readers;
        // One node answers all reads of a master, so they are sent in one write.
        if (readers[master] == 0) {
            readers[master] = reader(master) + 1;
        }
        return exchange(readers[master] - 1).at(home);
    }

    /**
     * True if reads of this master are sent to it, in order after its other commands:
     * spec/topology/cluster.md, section 7.
     */
    private boolean isBehindOthers(int master) {
        return snapshot.readFrom().prefersMaster()
                && exchanges[master] != null
                && exchanges[master].isMixed();
    }

    private int reader(int master) {
        int reader = snapshot.readFrom().of(master);
        if (reader < 0) {
            throw Failure.of(
                    Message.NO_REPLICA,
                    snapshot.pools()[master].endpoint().nodeName(),
                    Outcome.NOT_SENT,
                    null);
        }
        return reader;
    }

    /** The exchange of another node that answers reads of this home. */
    public BatchExchange of(int home, int node) {
        return exchange(node).mixed().at(home);
    }

    /** The exchange of a node that the caller has chosen. A redirect is not followed there. */
    public BatchExchange ofNode(int node) {
        return exchange(node).mixed().at(PendingReplies.NO_SLOT);
    }

    private BatchExchange exchange(int node) {
        if (exchanges[node] == null) {
            boolean isOfReplica = snapshot.topology().byIndex().get(node).role() == Role.REPLICA;
            exchanges[node] =
                    new BatchExchange(snapshot.pools()[node], isOfReplica, forwarding, isFirst);
        }
        return exchanges[node];
    }

    public List<BatchExchange> used() {
        List<BatchExchange> used = new ArrayList<>(exchanges.length);
        for (BatchExchange exchange : exchanges) {
            if (exchange != null && exchange.hasWork()) {
                used.add(exchange);
            }
        }
        return used;
    }

    /** Sends the redirected commands. Afterwards every sink has its reply or failure. */
    public void follow(Deadline deadline) {
        if (forwarding != null) {
            forwarding.follow(deadline);
        }
    }

    /* ---- How it ended ---- */

    /** The failures by node name, also of the nodes to which redirected commands were sent. */
    public Map<String, OneHopException> failures() {
        if (isWell()) {
            return Map.of();
        }
        Map<String, OneHopException> failures = new LinkedHashMap<>();
        for (BatchExchange exchange : used()) {
            if (exchange.failure() != null) {
                failures.put(exchange.pool().endpoint().name(), exchange.failure());
            }
        }
        if (forwarding != null) {
            forwarding.failures().forEach(failures::putIfAbsent);
        }
        return failures;
    }

    private boolean isWell() {
        boolean isWell = forwarding == null || forwarding.failures().isEmpty();
        for (BatchExchange exchange : exchanges) {
            isWell &= exchange == null || exchange.failure() == null;
        }
        return isWell;
    }

    /** True if any command has its reply. */
    public boolean hasArrived() {
        return used().stream().anyMatch(BatchExchange::hasArrived)
                || forwarding != null && forwarding.hasArrived();
    }
}
