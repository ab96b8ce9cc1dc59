package io.onehop.cli;

import io.onehop.cli.BatchLimit.Batch;
import io.onehop.core.Node;
import io.onehop.core.base.Clock;
import io.onehop.core.topology.PoolTopology;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Moves the keys that are left on one old owner: it finds them by SCAN, and brings them in batches.
 *
 * <p>It moves only keys that the old ring places here and that belong elsewhere now. All others are
 * left alone. For one thread.
 */
final class OldOwner {
    private static final String COUNT = "1000"; // The COUNT of each SCAN.
    private static final int STEPS_PER_SECOND = 1000;
    private static final int REFUSED_MAX = 100;

    /* If a batch takes too long, no key that is smaller than this is blamed. */
    private static final long LARGE_BYTES = 64 << 10;

    private final Move move;
    private final AskedNodes nodes;
    private final Node node;
    private final BatchLimit limit;
    private final BatchBringer bringer;
    private final Pace steps = new Pace(STEPS_PER_SECOND);
    private final Pace bytes;
    private int refused; // How many keys in a row were refused.

    OldOwner(Move move, Node node) {
        this.move = move;
        this.nodes = move.nodes();
        this.node = node;
        this.limit = new BatchLimit(move.blockMs());
        this.bringer = new BatchBringer(nodes, node);
        this.bytes = new Pace(move.bytesPerSecond(), move);
    }

    long size() throws Refusal {
        return nodes.number(node, Command.DBSIZE);
    }

    /** Moves every key that is here now. A failure is noted in the tally. */
    void pass(Progress progress) {
        try {
            walk(progress);
        } catch (Refusal | JedisException failure) {
            move.tally().lost(node, Screen.plain(failure.getMessage()));
        }
    }

    /** What a step of SCAN has found: the keys that move, by their owners. */
    private record Step(String cursor, int seen, Map<Integer, List<SeenKey>> moving) {}

    private void walk(Progress progress) throws Refusal {
        Map<Integer, List<SeenKey>> waiting = new HashMap<>(); // By owner, until a batch is full.
        Step step = read("0");
        boolean isLast = false;
        while (!isLast) {
            isLast = step.cursor.equals("0");
            Step now = step;
            Future<Step> next = isLast ? null : move.threads().submit(() -> read(now.cursor));
            step.moving.forEach(
                    (owner, keys) ->
                            waiting.computeIfAbsent(owner, some -> new ArrayList<>()).addAll(keys));
            for (Map.Entry<Integer, List<SeenKey>> each : waiting.entrySet()) {
                bring(each.getKey(), each.getValue(), isLast);
            }
            progress.step(step.seen);
            step = next == null ? step : ended(next);
        }
    }

    /**
     * Waits for the next step, which was read while the keys of the step before it were brought.
     */
    private static Step ended(Future<Step> next) throws Refusal {
        try {
            return next.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Refusal refusal) {
                throw refusal;
            }
            if (failed.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Refusal(ExitStatus.NO_ANSWER, "interrupted");
        }
    }

    private Step read(String cursor) throws Refusal {
        steps.await();
        List<?> reply = nodes.ask(node, List.class, Command.SCAN, cursor, "COUNT", COUNT);
        List<byte[]> keys = new ArrayList<>();
        String next = SampledKeys.understood(node, reply, keys);
        return new Step(next, keys.size(), moving(keys));
    }

    /** The keys among these that move, by their owners. */
    private Map<Integer, List<SeenKey>> moving(List<byte[]> keys) throws Refusal {
        PoolTopology topology = move.topology();
        Map<Integer, List<byte[]>> moving = new HashMap<>();
        long found = 0;
        long others = 0;
        for (byte[] key : keys) {
            int owner = topology.locateIndex(key, 0, key.length);
            if (move.isLeftAt(topology, node, key, owner)) {
                moving.computeIfAbsent(owner, some -> new ArrayList<>()).add(key);
                found++;
            } else if (!move.isAtHome(node, owner)) {
                others++;
            }
        }
        move.tally().found(found);
        move.tally().leave(node, others);
        Map<Integer, List<SeenKey>> sized = new HashMap<>();
        for (Map.Entry<Integer, List<byte[]>> each : moving.entrySet()) {
            sized.put(each.getKey(), sized(each.getValue()));
        }
        return sized;
    }

    /**
     * These keys with their memory. Without a rate the memory is not asked for, because to ask
     * takes a node about as long as to bring a small key. With a rate, a key that is gone is left
     * out.
     */
    private List<SeenKey> sized(List<byte[]> keys) throws Refusal {
        List<SeenKey> sized = new ArrayList<>();
        if (!move.isLimited()) {
            keys.forEach(key -> sized.add(new SeenKey(key, 1, 0, node)));
            return sized;
        }
        List<Object> replies = memoryOf(node, keys);
        for (int i = 0; i < replies.size(); i++) {
            if (replies.get(i) instanceof JedisDataException refused) {
                throw new Refusal(
                        ExitStatus.NO_ANSWER,
                        "node "
                                + node.name()
                                + " refuses MEMORY USAGE, so --rate cannot be kept (--rate 0 needs"
                                + " none): "
                                + refused.getMessage());
            }
            if (replies.get(i) instanceof Long memory) {
                sized.add(new SeenKey(keys.get(i), 1, memory, node));
            }
        }
        return sized;
    }

    private List<Object> memoryOf(Node asked, List<byte[]> keys) throws Refusal {
        List<CommandArguments> commands = new ArrayList<>();
        for (byte[] key : keys) {
            commands.add(new CommandArguments(Command.MEMORY).add("USAGE").add(key));
        }
        return nodes.askAll(asked, commands, 0);
    }

    private void bring(int ownerIndex, List<SeenKey> waiting, boolean isLast) throws Refusal {
        while (!waiting.isEmpty() && (isLast || isFull(waiting))) {
            Batch batch = limit.take(waiting);
            bytes.await(batch.bytes());
            PoolTopology topology = move.topology(); // As it is after the wait.
            Node owner = topology.byIndex().get(ownerIndex);
            if (move.tally().isLost(owner)) {
                waiting.clear();
                return;
            }
            long beganNs = Clock.nowNs();
            BatchBringer.Result result =
                    bringer.bring(topology, owner, batch.keys(), batch.bytes());
            double ms = (Clock.nowNs() - beganNs) / 1e6;
            limit.took(batch.keys().size(), batch.bytes(), ms);
            move.tally().brought(node, owner, batch, result);
            require(result, batch.keys().size());
            if (ms <= move.blockMs() || result.lost() != null || !noteLarge(owner, batch, ms)) {
                move.tally().took(ms);
            }
        }
    }

    private boolean isFull(List<SeenKey> waiting) {
        double memory = waiting.stream().mapToDouble(SeenKey::bytes).sum();
        return limit.isFull(waiting.size(), memory, 0);
    }

    /** Ends the pass if the old owner has failed, or if too many keys in a row were refused. */
    private void require(BatchBringer.Result result, int keys) throws Refusal {
        if (result.lost() != null && result.lost().node() == node) {
            throw new Refusal(ExitStatus.NO_ANSWER, result.lost().why());
        }
        refused = result.refused().size() < keys ? 0 : refused + keys;
        if (refused > REFUSED_MAX) {
            throw new Refusal(
                    ExitStatus.NO_ANSWER,
                    refused
                            + " keys in a row were refused; the last one is "
                            + result.refused().get(0));
        }
    }

    /**
     * Notes the largest key of a batch that took too long. False if that key is too small to be the
     * cause.
     */
    private boolean noteLarge(Node owner, Batch batch, double ms) {
        byte[] largest = {};
        long most = 0;
        List<Object> sizes = sizes(owner, batch);
        for (int i = 0; i < sizes.size(); i++) {
            if (sizes.get(i) instanceof Long bytes && bytes > most) {
                largest = batch.keys().get(i);
                most = bytes;
            }
        }
        if (most < LARGE_BYTES) {
            return false;
        }
        move.tally().large(node, largest, most, ms);
        return true;
    }

    /** The sizes of the batch's keys, which are on the owner by now; empty if the owner fails. */
    private List<Object> sizes(Node owner, Batch batch) {
        try {
            return memoryOf(owner, batch.keys());
        } catch (Refusal | JedisException unknown) {
            return List.of();
        }
    }
}
