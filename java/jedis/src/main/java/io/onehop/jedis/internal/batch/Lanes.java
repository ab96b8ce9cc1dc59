package io.onehop.jedis.internal.batch;

import io.onehop.core.command.Command;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.snapshot.Snapshot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The lanes of one batch, one for each node that has something to do, in node order. For one
 * thread.
 */
public final class Lanes {
    private final Snapshot snapshot;
    private final Lane[] lanes;
    private final Forwarding forwarding;
    private final boolean isFirst;
    // By master: who answers reads of this batch, and one more; null: nobody has read yet.
    private int[] readers;
    private long waitMs;

    private Lanes(Snapshot snapshot, Forwarding forwarding, boolean isFirst) {
        this.snapshot = snapshot;
        this.lanes = new Lane[snapshot.pools().length];
        this.forwarding = forwarding;
        this.isFirst = isFirst;
    }

    /**
     * Those of a batch. {@code forwarding}: that of the batch; {@code null} where nodes do not
     * redirect.
     */
    public static Lanes of(Snapshot snapshot, Forwarding forwarding) {
        return new Lanes(snapshot, forwarding, true);
    }

    /** Those of what is sent on. */
    public static Lanes ofSentOn(Snapshot snapshot, Forwarding forwarding) {
        return new Lanes(snapshot, forwarding, false);
    }

    /** How many nodes there are. */
    int size() {
        return lanes.length;
    }

    /**
     * One of the commands waits so long by its own wish; those of one node wait one after another.
     */
    public void waits(long ms) {
        waitMs = waitMs + ms < 0 ? Deadline.FOR_EVER_MS : waitMs + ms;
    }

    public long waitMs() {
        return waitMs;
    }

    /** The lane of the node that has a place; what is put into it next is of that place. */
    public Lane of(int place) {
        return lane(snapshot.keys().nodeAt(place)).at(place);
    }

    /** The same for this command: what only reads may be answered elsewhere. */
    public Lane of(int place, Command command) {
        if (!snapshot.readers().mayAnswer(command)) {
            return of(place);
        }
        int master = snapshot.keys().nodeAt(place);
        readers = readers == null ? new int[lanes.length] : readers;
        if (readers[master] == 0) { // One for each master, which gets one write.
            readers[master] = reader(master) + 1;
        }
        Lane lane = lane(readers[master] - 1);
        boolean isRescued = readers[master] - 1 != master && snapshot.readers().mayAskMaster();
        return (isRescued ? lane.rescued() : lane).at(place);
    }

    private int reader(int master) {
        int reader = snapshot.readers().of(master);
        if (reader < 0) {
            throw Failure.withoutReplica(snapshot.pools()[master].endpoint().nodeName());
        }
        return reader;
    }

    /** The lane of a node that the caller has chosen: it has the last word. */
    public Lane ofNode(int node) {
        return lane(node).at(Owed.NOWHERE);
    }

    private Lane lane(int node) {
        if (lanes[node] == null) {
            lanes[node] = new Lane(snapshot.pools()[node], forwarding, isFirst);
        }
        return lanes[node];
    }

    public List<Lane> used() {
        List<Lane> used = new ArrayList<>(lanes.length);
        for (Lane lane : lanes) {
            if (lane != null && lane.hasWork()) {
                used.add(lane);
            }
        }
        return used;
    }

    /** Sends on what other nodes are to execute; afterwards every taker was told. */
    public void follow(Deadline deadline) {
        if (forwarding != null) {
            forwarding.follow(deadline);
        }
    }

    /* ---- How it ended ---- */

    /** The failures by the names of the nodes, where commands were sent on to, too. */
    public Map<String, OneHopException> failures() {
        if (isWell()) {
            return Map.of();
        }
        Map<String, OneHopException> failures = new LinkedHashMap<>();
        for (Lane lane : used()) {
            if (lane.failure() != null) {
                failures.put(lane.pool().endpoint().name(), lane.failure());
            }
        }
        if (forwarding != null) {
            forwarding.failures().forEach(failures::putIfAbsent);
        }
        return failures;
    }

    private boolean isWell() {
        boolean isWell = forwarding == null || forwarding.failures().isEmpty();
        for (Lane lane : lanes) {
            isWell &= lane == null || lane.failure() == null;
        }
        return isWell;
    }

    /** Whether any command has its reply. */
    public boolean hasArrived() {
        return used().stream().anyMatch(Lane::hasArrived)
                || forwarding != null && forwarding.hasArrived();
    }
}
