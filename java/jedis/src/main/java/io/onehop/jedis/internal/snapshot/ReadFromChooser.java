package io.onehop.jedis.internal.snapshot;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.base.Limits;
import io.onehop.core.cluster.Fastest;
import io.onehop.core.command.Command;
import io.onehop.core.topology.DirectiveValue.ReadFrom;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Chooses the node that answers a read, the master or one of its replicas, by the server pool's
 * {@code read_from}.
 *
 * <p>A replica may not have the data yet that its master has just acknowledged. A configuration
 * with {@code read_from} accepts that. Writes, transactions and blocking commands always go to the
 * master. Any thread. Implements spec/config, {@code read_from}, and spec/topology/cluster.md,
 * section 7.
 */
public final class ReadFromChooser {
    private final Pool[] pools;
    private final ReadFrom from;
    // For each master the indexes of the nodes that may answer its reads, in order.
    private final int[][] lists;
    private final boolean[] isFailing; // For each node, as the map reports it.
    private final AtomicLong reads; // Reads of this client that went to the fastest node.
    private volatile int last; // The fastest node at the last choice.
    // For each master, how many of its reads went to nodes in turn.
    private final AtomicIntegerArray turns;

    /** {@code before} is the chooser of the previous snapshot, or {@code null}. */
    ReadFromChooser(PoolTopology topology, Pool[] pools, @Nullable ReadFromChooser before) {
        this.pools = pools;
        this.from = topology.pool().readFrom();
        this.lists = new int[pools.length][0];
        this.isFailing = new boolean[pools.length];
        if (from != ReadFrom.MASTER) {
            list(topology);
        }
        this.reads = before == null ? new AtomicLong() : before.reads;
        this.last = before == null ? 0 : before.last;
        this.turns = turns(before == null ? new AtomicIntegerArray(0) : before.turns, pools.length);
    }

    /**
     * Makes the lists, once for each map, so that the cost of a read does not depend on the number
     * of nodes.
     */
    private void list(PoolTopology topology) {
        topology.nodes().forEach(node -> isFailing[node.index()] = node.failing());
        Map<Integer, List<Node>> shards =
                topology.nodes().stream()
                        .collect(
                                Collectors.groupingBy(
                                        node ->
                                                node.role() == Role.REPLICA
                                                        ? node.master()
                                                        : node.index()));
        shards.forEach(
                (master, shard) -> {
                    int[] near = from == ReadFrom.SAME_ZONE ? list(shard, true) : new int[0];
                    lists[master] = near.length > 0 ? near : list(shard, false);
                });
    }

    private int[] list(List<Node> shard, boolean isNear) {
        return shard.stream()
                .filter(node -> mayAnswer(node, isNear))
                .mapToInt(Node::index)
                .sorted()
                .toArray();
    }

    private boolean mayAnswer(Node node, boolean isNear) {
        boolean isReplica = node.role() == Role.REPLICA;
        if (isReplica && node.failing()) {
            return false;
        }
        return isNear ? node.near() : isReplica || from == ReadFrom.LOWEST_LATENCY;
    }

    private static AtomicIntegerArray turns(AtomicIntegerArray before, int count) {
        AtomicIntegerArray turns =
                before.length() >= count ? before : new AtomicIntegerArray(count);
        for (int i = 0; i < before.length() && turns != before; i++) {
            turns.set(i, before.get(i));
        }
        return turns;
    }

    /** True if another node than the master may answer a command. */
    public boolean mayAnswer(Command command) {
        return from != ReadFrom.MASTER
                && !command.isWrite()
                && command.isRetryable()
                && command.blocking() == null
                && Scripts.isNoScript(command);
    }

    /**
     * The node that answers a read of this master. Several nodes take turns. -1 if no node may
     * answer.
     */
    public int of(int master) {
        if (from == ReadFrom.LOWEST_LATENCY) {
            return fastest(master);
        }
        if (from == ReadFrom.PREFER_MASTER) {
            int other = isWell(master) ? master : next(master, master, turn(master));
            return other < 0 ? master : other;
        }
        int[] list = lists[master];
        if (list.length == 0) {
            return from == ReadFrom.REPLICA ? -1 : master;
        }
        return list[Integer.remainderUnsigned(turn(master), list.length)];
    }

    private int turn(int master) {
        return turns.getAndIncrement(master);
    }

    /**
     * A healthy node of this master's list other than {@code without}, chosen by the turn; -1:
     * none.
     */
    private int next(int master, int without, int turn) {
        int[] list = lists[master];
        for (int i = 0; i < list.length; i++) {
            int node = list[Integer.remainderUnsigned(turn + i, list.length)];
            if (node != without && isWell(node)) {
                return node;
            }
        }
        return -1;
    }

    private boolean isWell(int node) {
        NodeHealth health = pools[node].health();
        return !isFailing[node] && (!health.mayRest() || !health.isResting(NodeHealth.nowMs()));
    }

    /** The node with the lowest latency among those that do not rest. */
    private int fastest(int master) {
        long nowMs = NodeHealth.nowMs();
        int[] awake =
                Arrays.stream(lists[master])
                        .filter(node -> !pools[node].health().isResting(nowMs))
                        .limit(Limits.FASTEST_NODES_MAX)
                        .toArray();
        if (awake.length == 0) {
            return master;
        }
        long[] smoothedNs =
                Arrays.stream(awake).mapToLong(node -> pools[node].meter().smoothedNs()).toArray();
        int chosen = Fastest.choose(awake, smoothedNs, reads.getAndIncrement(), last);
        last = chosen;
        return chosen;
    }

    /** True if masters answer as long as they are well. */
    public boolean prefersMaster() {
        return from == ReadFrom.PREFER_MASTER;
    }

    /** True if reads of this master go to it, and it is well. */
    public boolean asksMaster(int master) {
        return prefersMaster() && isWell(master);
    }

    /** The node that answers a read of this master if {@code asked} does not; -1: none. */
    public int fallback(int master, int asked) {
        return prefersMaster()
                ? preferred(master, asked, turn(master))
                : hasFallback(master, asked) ? master : -1;
    }

    /** True if {@link #fallback} would return a node now. */
    public boolean hasFallback(int master, int asked) {
        return switch (from) {
            case MASTER, REPLICA -> false;
            case PREFER_MASTER -> preferred(master, asked, turns.get(master)) >= 0;
            default -> asked != master;
        };
    }

    private int preferred(int master, int without, int turn) {
        return without != master && isWell(master) ? master : next(master, without, turn);
    }
}
