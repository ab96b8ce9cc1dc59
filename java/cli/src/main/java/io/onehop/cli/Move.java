package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.base.Clock;
import io.onehop.core.topology.PoolTopology;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * What all old owners share while their keys are moved: the nodes, the limits, and what was done.
 * The move ends if the placement changes. Any thread.
 */
final class Move implements Pace.Time, AutoCloseable {
    private static final long CHECK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AskedNodes nodes;
    private final PoolTopology first;
    private final double bytesPerSecond;
    private final int blockMs;
    private final long beganNs = Clock.nowNs();
    private final ExecutorService threads = Executors.newCachedThreadPool(Move::thread);
    private final MoveTally tally = new MoveTally();
    private final Map<Integer, String> runIds = new HashMap<>(); // By index of the node.

    Move(AskedNodes nodes, double bytesPerSecond, int blockMs) throws Refusal {
        this.nodes = nodes;
        this.first = nodes.topology();
        this.bytesPerSecond = bytesPerSecond;
        this.blockMs = blockMs;
        for (Node node : first.nodes()) {
            runIds.put(node.index(), runId(node));
        }
    }

    private String runId(Node node) throws Refusal {
        try {
            return NodeInfo.of(nodes.text(node, Command.INFO, "server")).text("run_id");
        } catch (JedisException refused) {
            return ""; // INFO is refused, or the node is lost. A lost node shows later.
        }
    }

    /** How much is moved in a second, as text for the progress bar. */
    String speed() {
        double seconds = (Clock.nowNs() - beganNs) / 1e9;
        Moves.Sum moved = tally.moved().all();
        return isLimited()
                ? ", " + Screen.bytes(moved.bytes() / seconds) + "/s"
                : ", " + Screen.count(moved.keys() / seconds) + " keys/s";
    }

    /** Threads for the old owners, each of which also reads its next step of SCAN ahead. */
    ExecutorService threads() {
        return threads;
    }

    /** A thread that does not keep the process alive. */
    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "onehop-move");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    AskedNodes nodes() {
        return nodes;
    }

    MoveTally tally() {
        return tally;
    }

    double bytesPerSecond() {
        return bytesPerSecond;
    }

    boolean isLimited() {
        return bytesPerSecond != Pace.UNLIMITED;
    }

    int blockMs() {
        return blockMs;
    }

    @Override
    public long nowNs() {
        return Clock.nowNs();
    }

    /** A long wait of an old owner. If the placement changes meanwhile, the wait ends. */
    @Override
    public void sleep(long ns) throws Refusal {
        for (long leftNs = ns; leftNs > 0; leftNs -= CHECK_NS) {
            topology();
            Pace.sleep(Math.min(leftNs, CHECK_NS));
        }
    }

    /** True if a key that was found on this old owner is to be brought to its owner. */
    boolean isLeftAt(PoolTopology topology, Node node, byte[] key, int owner) {
        return !isAtHome(node, owner) && topology.oldOwner(key, owner) == node.index();
    }

    /** True if the owner of a key is this node, perhaps with another address. */
    boolean isAtHome(Node node, int owner) {
        return node.index() == owner || isOneServer(node.index(), owner);
    }

    /**
     * True if two nodes are one server with two addresses, so that keys need not move between them.
     */
    private boolean isOneServer(int node, int other) {
        String id = runIds.getOrDefault(node, "");
        return !id.isEmpty() && id.equals(runIds.get(other));
    }

    /**
     * The node of the new ring that is the same server as this old owner; {@code null} if none is.
     */
    @Nullable Node sameServer(Node old) {
        return first.nodes().stream()
                .filter(each -> each.index() < first.pool().servers().size())
                .filter(each -> isOneServer(each.index(), old.index()))
                .findFirst()
                .orElse(null);
    }

    /** The topology, perhaps with another password. If the placement has changed, the move ends. */
    PoolTopology topology() throws Refusal {
        PoolTopology now = nodes.topology();
        if (!now.fingerprint().equals(first.fingerprint())) {
            throw Refusal.ofUsage(
                    "the configuration has changed meanwhile: keys were moved to their places by"
                            + " the earlier one; run it again");
        }
        return now;
    }
}
