package io.onehop.jedis.internal.nodes;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.cluster.ClusterException;
import io.onehop.core.cluster.ClusterMap;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.core.topology.Zone;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Failure.RefreshFailure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One refresh of a Redis Cluster's map. It asks nodes for CLUSTER INFO and CLUSTER SHARDS, or SLOTS
 * if a server is older than 7.0: two nodes in parallel, and further nodes if these fail or are
 * silent.
 *
 * <p>In: the pools of nodes. Out: the better of their maps, as {@link ClusterMap} judges, or why
 * there is none. A refresh uses connections of the nodes' pools, if necessary beyond the size of
 * the pools. Each node has its own thread, because a node that hangs must not delay the answers of
 * the others. Implements spec/topology/cluster.md, section 1.
 */
final class ClusterRefresh {
    private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(Timings.REFRESH_GRACE_MS);

    /* A message names this many nodes, then counts the rest. */
    private static final int NAMES_MAX = 8;

    private static final CommandArguments INFO = new CommandArguments(Command.CLUSTER).add("INFO");
    private static final CommandArguments SHARDS =
            new CommandArguments(Command.CLUSTER).add("SHARDS");
    private static final CommandArguments SLOTS =
            new CommandArguments(Command.CLUSTER).add("SLOTS");

    /** A node's map, or why there is none. */
    private record Answer(Pool node, @Nullable ClusterMap map, RefreshFailure failure) {}

    // The map is good. This counts as a failure only for a call whose time ends before the map is
    // in use.
    private static final RefreshFailure FITS =
            new RefreshFailure(Message.MAP_TOO_LATE.what(), ErrorKind.DEADLINE_EXCEEDED);
    private static final RefreshFailure LATE =
            new RefreshFailure(Message.MAP_LATE.what(), ErrorKind.DEADLINE_EXCEEDED);

    private final Zone zone;
    private final int timeoutMs;
    // By the name of the node that was asked. Guarded by its own monitor.
    private final Map<String, RefreshFailure> failures = new LinkedHashMap<>();

    private volatile boolean hasNoShards; // Nodes of this cluster are older than 7.0.
    // All answers say so; as long as there is none, those of the previous refresh did.
    private volatile boolean isDown;

    /** {@code before}: the previous refresh of this cluster, or {@code null}. */
    ClusterRefresh(ServerPool pool, @Nullable ClusterRefresh before) {
        this.hasNoShards = before != null && before.hasNoShards;
        this.isDown = before != null && before.isDown;
        this.zone = pool.zone();
        this.timeoutMs = pool.timeoutMs() == 0 ? Timings.REFRESH_MS_DEFAULT : pool.timeoutMs();
    }

    /**
     * The map that is to replace {@code current}, which may be {@code null}. Returns {@code null}
     * if there is none.
     */
    @Nullable ClusterMap ask(List<Pool> nodes, @Nullable PoolTopology current)
            throws InterruptedException {
        return ask(nodes, current, false);
    }

    /**
     * The map that is to replace {@code current}. {@code onlyKnown}: a map without any node of
     * {@code current} is not an answer.
     */
    @Nullable ClusterMap ask(List<Pool> nodes, @Nullable PoolTopology current, boolean onlyKnown)
            throws InterruptedException {
        BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(nodes.size());
        long stepNs = TimeUnit.MILLISECONDS.toNanos(Deadline.stepMs(timeoutMs, nodes.size()));
        long timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        long beganNs = Clock.nowNs();
        long waitNs = stepNs;
        ClusterMap first = null;
        ClusterMap second = null;
        int begun = 0;
        int ended = 0;
        while (second == null) {
            while (first == null && begun < nodes.size() && begun - ended < 2) {
                begin(nodes.get(begun++), answers);
            }
            if (first == null) {
                waitNs = begun < nodes.size() ? stepNs : 2 * timeoutNs;
            }
            Answer answer = ended == begun ? null : answers.poll(waitNs, TimeUnit.NANOSECONDS);
            if (answer == null && first == null && begun < nodes.size()) {
                begin(nodes.get(begun++), answers); // It is asked beside the silent nodes.
                continue;
            }
            if (answer == null) {
                break;
            }
            ended++;
            note(answer.node(), answer.failure());
            boolean isIgnored =
                    onlyKnown && answer.map() != null && answer.map().isForeign(current);
            if (isIgnored) {
                continue;
            }
            if (first != null) {
                second = answer.map();
            } else if (answer.map() != null) {
                first = answer.map();
                // Another node gets as much time again.
                waitNs = Math.max(Clock.nowNs() - beganNs, GRACE_NS);
            }
        }
        if (first == null) {
            return null;
        }
        isDown = first.isDown() && (second == null || second.isDown());
        try {
            return ClusterMap.choose(current, first, second);
        } catch (ClusterException unfit) {
            synchronized (failures) {
                failures.replaceAll((node, why) -> why == FITS ? ofMap(unfit) : why);
            }
            return null;
        }
    }

    private void begin(Pool node, BlockingQueue<Answer> answers) {
        note(node, LATE);
        Thread thread = new Thread(() -> answers.add(asked(node)), "onehop-refresh");
        thread.setDaemon(true);
        thread.start();
    }

    private void note(Pool node, RefreshFailure why) {
        synchronized (failures) {
            failures.put(node.endpoint().name(), why);
        }
    }

    /**
     * The failures node by node, if they are not too many. Their kind is that of the first node
     * that answered, if any did. Any thread.
     */
    RefreshFailure failure() {
        synchronized (failures) {
            String each =
                    failures.entrySet().stream()
                            .limit(NAMES_MAX)
                            .map(why -> Shown.of(why.getKey()) + ": " + why.getValue().reason())
                            .collect(Collectors.joining("; "));
            int more = failures.size() - NAMES_MAX;
            RefreshFailure worst =
                    failures.values().stream()
                            .filter(RefreshFailure::isAnswer)
                            .findFirst()
                            .orElseGet(
                                    () ->
                                            failures.isEmpty()
                                                    ? LATE
                                                    : failures.values().iterator().next());
            return new RefreshFailure(
                    more > 0 ? Message.MORE_NODES.what(each, more) : each, worst.kind());
        }
    }

    /** True if the cluster serves nothing, as far as is known. Any thread. */
    boolean isDown() {
        return isDown;
    }

    private Answer asked(Pool node) {
        try {
            return new Answer(node, map(node), FITS);
        } catch (ClusterException unfit) {
            return new Answer(node, null, ofMap(unfit));
        } catch (RuntimeException failed) {
            return new Answer(
                    node,
                    null,
                    new RefreshFailure(
                            Failure.what(failed, node.endpoint().nodeName()),
                            failed instanceof OneHopException known
                                    ? known.getKind()
                                    : ErrorKind.NODE_DOWN));
        } catch (Throwable unexpected) { // The thread that waits for an answer must get one.
            String what = Shown.of(unexpected.toString());
            return new Answer(node, null, new RefreshFailure(what, ErrorKind.NODE_DOWN));
        }
    }

    private static RefreshFailure ofMap(ClusterException unfit) {
        return new RefreshFailure(
                Message.MAP_REFUSED.what(Shown.of(unfit.reason())), ErrorKind.PROTOCOL_VIOLATION);
    }

    private ClusterMap map(Pool node) throws ClusterException {
        List<Object> replies = NodeQuestion.ask(node, timeoutMs, asked -> infoAndMap(asked, node));
        if (replies.get(1) instanceof JedisDataException error) {
            throw Failure.of(
                    Message.MAP_ERROR,
                    node.endpoint().nodeName(),
                    Outcome.NOT_SENT,
                    null,
                    Shown.of(error.getMessage()));
        }
        byte[] info = NodeQuestion.wire(replies.get(0));
        byte[] map = NodeQuestion.wire(replies.get(1));
        return ClusterMap.read(map, info, node.endpoint().host(), zone);
    }

    private List<Object> infoAndMap(NodeQuestion asked, Pool node) throws IOException {
        boolean isByRanges = hasNoShards || node.endpoint().isEncrypted();
        asked.send(INFO);
        asked.send(isByRanges ? SLOTS : SHARDS);
        List<Object> replies = asked.replies(2);
        if (replies.get(1) instanceof JedisDataException && !isByRanges) {
            asked.send(SLOTS);
            Object reply = asked.replies(1).get(0);
            hasNoShards = !(reply instanceof JedisDataException);
            return Arrays.asList(replies.get(0), reply);
        }
        return replies;
    }
}
