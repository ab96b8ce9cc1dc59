package io.onehop.jedis;

import io.onehop.jedis.Commands.MergePolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Builder;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One command whose keys are on several nodes: split by node, and its replies put together again in the caller's order.
 *
 * <p>In: the command and the node of each of its keys. Out: a part in each node's {@link Lane}, then one reply, as if
 * one node had answered; or the error a node answered; or the failure. Every key is asked for once and in the caller's
 * order within its node, duplicates included.
 */
final class Merge {
    private final CommandArguments arguments;
    private final Builder<?> builder;
    private final Commands.Traits traits;
    private final String pool;
    private final Taker whole;
    private final Object[] values;
    private final Map<String, OneHopException> failures = new LinkedHashMap<>();
    private JedisDataException error;
    private long sum;
    private boolean hasArrived;
    private int missing;

    /** A merge that tells {@code whole} as soon as the last part has arrived or failed. */
    Merge(CommandObject<?> command, Commands.Traits traits, String pool, Taker whole) {
        this.arguments = command.getArguments();
        this.builder = command.getBuilder();
        this.traits = traits;
        this.pool = pool;
        this.whole = whole;
        this.values = new Object[traits.merge() == MergePolicy.SUM ? 0 : arguments.getKeys().size()];
    }

    /** Whether a command is split: of a kind that can be, more than one key, and every argument belongs to a key. */
    static boolean applies(CommandArguments arguments, Commands.Traits traits) {
        if (traits.merge() == MergePolicy.NONE) {
            return false;
        }
        int keys = arguments.getKeys().size();
        return keys > 1 && arguments.size() == 1 + keys * traits.step();
    }

    /** Puts the part of each node into its lane; {@code nodes} tells the node of each key. */
    void scatter(int[] nodes, Lanes lanes) {
        arguments.forEach(Rawable::getRaw); // If one can not be encoded, no part is added.
        int[][] positions = byNode(nodes, lanes.size());
        for (int[] part : positions) {
            missing += part.length == 0 ? 0 : 1;
        }
        for (int node = 0; node < positions.length; node++) {
            if (positions[node].length > 0) {
                Lane lane = lanes.of(node);
                lane.append(arguments, positions[node], traits.step(), traits.isReadOnly(),
                        new Part(positions[node], lane));
            }
        }
    }

    private static int[][] byNode(int[] nodes, int nodesCount) {
        int[] counts = new int[nodesCount];
        for (int node : nodes) {
            counts[node]++;
        }
        int[][] positions = new int[nodesCount][];
        Arrays.setAll(positions, node -> new int[counts[node]]);
        for (int i = nodes.length - 1; i >= 0; i--) {
            positions[nodes[i]][--counts[nodes[i]]] = i;
        }
        return positions;
    }

    /** What one node was asked for. */
    private final class Part implements Taker {
        private final int[] positions;
        private final Lane lane;

        Part(int[] positions, Lane lane) {
            this.positions = positions;
            this.lane = lane;
        }

        @Override
        public boolean take(Object reply) {
            if (reply instanceof JedisDataException answer) {
                error = error == null ? answer : error;
                fill(answer);
            } else if (!accept(reply)) {
                return false;
            }
            hasArrived = true;
            end();
            return true;
        }

        private boolean accept(Object reply) {
            switch (traits.merge()) {
                case LIST:
                    return reply instanceof List<?> list && list.size() == positions.length && put(list);
                case SUM:
                    sum += reply instanceof Long count ? count : 0;
                    return reply instanceof Long;
                default:
                    fill(reply);
                    return reply instanceof byte[];
            }
        }

        private boolean put(List<?> list) {
            for (int i = 0; i < positions.length; i++) {
                values[positions[i]] = list.get(i);
            }
            return true;
        }

        @Override
        public void fail(OneHopException failure) {
            failures.putIfAbsent(lane.pool().endpoint().name(), failure);
            fill(failure);
            end();
        }

        /** The same at the place of each key. */
        private void fill(Object value) {
            if (traits.merge() != MergePolicy.SUM) {
                for (int position : positions) {
                    values[position] = value;
                }
            }
        }
    }

    private void end() {
        missing--;
        if (missing > 0) {
            return;
        }
        if (!failures.isEmpty()) {
            whole.fail(Failure.ofBatch(failures, hasArrived, pool, partial()));
        } else {
            whole.take(error != null ? error : merged());
        }
    }

    private Object merged() {
        return switch (traits.merge()) {
            case LIST -> Arrays.asList(values);
            case SUM -> sum;
            default -> values[0];
        };
    }

    /** What arrived, as {@link PartialBatch} tells it. */
    private List<Object> partial() {
        if (traits.merge() == MergePolicy.SUM) {
            return error != null ? List.of(error) : List.of(sum);
        }
        List<Object> replies = new ArrayList<>(Arrays.asList(values));
        for (int i = 0; i < replies.size(); i++) {
            Object reply = replies.get(i);
            replies.set(i, reply instanceof Exception ? reply : built(reply));
        }
        return replies;
    }

    /** One element as the command's own builder shows it. */
    private Object built(Object reply) {
        Object shown = builder.build(traits.merge() == MergePolicy.LIST ? Collections.singletonList(reply) : reply);
        return traits.merge() == MergePolicy.LIST && shown instanceof List<?> list
                && list.size() == 1 ? list.get(0) : shown;
    }
}
