package io.onehop.jedis.internal.batch;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.MergeRule;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.Split;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.failure.Failure;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Builder;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisBroadcastException;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One command over several nodes, either split by the homes of its keys or sent to all as it is.
 * Its replies become one.
 *
 * <p>In: the command and its {@link Plan}. Out: a part in each node's {@link BatchExchange}. Then
 * one reply, as one node would have answered ({@link MergeRules}), or the error of a node, or a
 * failure. For one thread.
 */
public final class Merge {
    private final CommandArguments arguments;
    private final Builder<?> builder;
    private final Command command;
    private final Split.Part[] parts;
    private final String pool;
    private final boolean isBroadcast;
    private final boolean isOfOneNode; // The reply is that of one node, not a map by node.
    private final ReplySink whole;
    private final Object[] replies;
    private final String[] nodes;
    private int missing;

    /** {@code whole} gets the merged reply as soon as the last part has arrived or failed. */
    public Merge(CommandObject<?> command, Plan plan, ServerPool pool, ReplySink whole) {
        this.arguments = command.getArguments();
        this.builder = command.getBuilder();
        this.command = plan.command();
        this.parts = plan.parts();
        this.pool = pool.name();
        this.isBroadcast = pool.cluster() && plan.spread() == Spread.ALL_NODES;
        this.whole = whole;
        this.replies = new Object[parts.length];
        this.nodes = new String[parts.length];
        this.isOfOneNode = parts.length == 1 && isTyped();
        if (parts.length > 1 && isTyped()) {
            throw Commands.unsupported(this.command.shown(), Message.PER_NODE.what(), this.pool);
        }
    }

    /** True if the type of the reply has no room for the answer of each node. */
    private boolean isTyped() {
        return command.merge() == MergeRule.PER_NODE && builder != BuilderFactory.RAW_OBJECT;
    }

    /** Chooses the sink that gets the reply to a part, in place of the merging one. */
    public interface Listening {
        ReplySink to(Split.Part part, ReplySink merging);
    }

    /** Appends each node's part to its exchange. */
    public void scatter(Batch batch, Scripts scripts) {
        scatter(batch, scripts, (part, merging) -> merging);
    }

    /**
     * Appends each node's part to its exchange. {@code listening} gets the reply to each part
     * first.
     */
    public void scatter(Batch batch, Scripts scripts, Listening listening) {
        // If an argument cannot be encoded, this throws before any part is appended.
        arguments.forEach(Rawable::getRaw);
        missing = parts.length;
        for (int i = 0; i < parts.length; i++) {
            BatchExchange exchange =
                    parts[i].isWhole()
                            ? batch.of(parts[i].node())
                            : batch.of(parts[i].node(), command);
            nodes[i] = exchange.pool().endpoint().name();
            Preface.append(command, arguments, scripts, exchange);
            if (command.isUnshared()) {
                exchange.closeAfter();
            }
            ReplySink sink = listening.to(parts[i], new Part(i));
            if (parts[i].isWhole()) {
                exchange.append(arguments, command.isRetryable(), sink);
            } else {
                exchange.append(arguments, parts[i], command.isRetryable(), sink);
            }
        }
    }

    /** The part of one node. */
    private final class Part implements ReplySink {
        private final int number;
        private final int elements;

        Part(int number) {
            this.number = number;
            this.elements = parts[number].count() * command.mergeWidth();
        }

        @Override
        public boolean take(@Nullable Object reply) {
            if (!(reply instanceof JedisDataException)
                    && !MergeRules.fits(command.merge(), elements, reply)) {
                return false;
            }
            end(reply);
            return true;
        }

        @Override
        public void fail(OneHopException failure) {
            end(failure);
        }

        private void end(@Nullable Object reply) {
            replies[number] = reply;
            missing--;
            if (missing == 0) {
                finish();
            }
        }
    }

    private void finish() {
        // The failed part of each node, by its index.
        Map<Integer, Integer> failed = new TreeMap<>();
        boolean isAnswered = false;
        for (int i = 0; i < replies.length; i++) {
            if (replies[i] instanceof OneHopException) {
                failed.put(parts[i].node(), i);
            }
            isAnswered |= !(replies[i] instanceof Exception);
        }
        if (failed.isEmpty() || isAnswered && command.merge() == MergeRule.ONE_OK) {
            finish(
                    isOfOneNode
                            ? replies[0]
                            : MergeRules.merged(
                                    command,
                                    parts,
                                    Arrays.asList(replies),
                                    order(),
                                    List.of(nodes)));
            return;
        }
        Map<String, OneHopException> failures = new LinkedHashMap<>();
        failed.values().forEach(part -> failures.put(nodes[part], (OneHopException) replies[part]));
        whole.fail(Failure.ofBatch(failures, failed.size() < replies.length, pool, partial()));
    }

    private void finish(@Nullable Object merged) {
        if (merged == MergeRules.DIFFERENT) {
            whole.fail(Failure.ofPool(Message.NODES_DIFFER, pool, Outcome.ANSWERED));
        } else {
            whole.take(isBroadcast && merged instanceof JedisDataException ? broadcast() : merged);
        }
    }

    /**
     * The error of a command for all nodes of a Redis Cluster, as Jedis' cluster client throws it.
     */
    private JedisBroadcastException broadcast() {
        JedisBroadcastException error = new JedisBroadcastException();
        for (int i = 0; i < replies.length; i++) {
            error.addReply(
                    HostAndPort.from(nodes[i]),
                    replies[i] instanceof Exception ? replies[i] : built(replies[i]));
        }
        return error.prepareToThrow();
    }

    /** The keys in the caller's order, for the one rule that needs them. */
    private List<byte[]> order() {
        if (command.merge() != MergeRule.STREAMS) {
            return List.of();
        }
        byte[][] order = new byte[parts[0].all()][];
        for (Split.Part part : parts) {
            int first = part.words() - 2 * part.count();
            for (int i = 0; i < part.count(); i++) {
                order[part.key(i)] = arguments.get(part.word(first + i)).getRaw();
            }
        }
        return List.of(order);
    }

    /** The replies and failures as {@code PartialBatch} lists them. */
    private List<Object> partial() {
        boolean isOfKeys = !parts[0].isWhole();
        if (command.merge() == MergeRule.SUM) {
            return List.of(sum());
        }
        if (!isOfKeys || command.merge() == MergeRule.STREAMS) {
            return Arrays.stream(replies)
                    .map(reply -> reply instanceof Exception ? reply : built(reply))
                    .toList();
        }
        int width = command.mergeWidth();
        Object[] elements = new Object[width * parts[0].all()];
        for (int i = 0; i < parts.length; i++) {
            for (int number = 0; number < parts[i].count() * width; number++) {
                elements[parts[i].key(number / width) * width + number % width] =
                        element(replies[i], number);
            }
        }
        return new ArrayList<>(Arrays.asList(elements));
    }

    private Object sum() {
        long sum = 0;
        for (Object reply : replies) {
            if (reply instanceof JedisDataException error) {
                return error;
            }
            sum += reply instanceof Long count ? count : 0;
        }
        return sum;
    }

    /**
     * One element of a part's reply, built by the command's builder. A reply that is not a list
     * counts as one element.
     */
    private @Nullable Object element(@Nullable Object reply, int number) {
        if (reply instanceof Exception || !(reply instanceof List<?> list)) {
            return reply instanceof Exception ? reply : built(reply);
        }
        Object shown = built(Collections.singletonList(list.get(number)));
        return shown instanceof List<?> one && one.size() == 1 ? one.get(0) : shown;
    }

    /** The reply as the command's builder makes it, or as it came if the builder cannot use it. */
    private @Nullable Object built(@Nullable Object reply) {
        try {
            return reply == null ? null : builder.build(reply);
        } catch (RuntimeException strange) {
            return reply;
        }
    }
}
