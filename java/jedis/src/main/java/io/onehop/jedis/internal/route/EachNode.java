package io.onehop.jedis.internal.route;

import io.onehop.core.Node;
import io.onehop.core.base.Message;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.Preface;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.route.CallObserver.BatchName;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Sends a command to nodes that the caller names. In this way a caller can send commands that the
 * client otherwise refuses.
 *
 * <p>In: a command, and the nodes. Out: a reply for each. Only commands that change their
 * connection are refused, because other callers will use that connection. After a command that the
 * table lacks, the connection is closed. Any thread. Implements spec/route/route.md, "onEachNode"
 * and "State".
 */
public final class EachNode {
    private final Route route;
    private final BatchRunner runner;
    private final Intake intake;
    private final Snapshot snapshot;
    private final String pool;

    public EachNode(Route route) {
        this.route = route;
        this.runner = route.runner();
        this.intake = route.intake();
        this.snapshot = route.snapshot();
        this.pool = snapshot.pool().name();
    }

    /** The index of the node with that name. */
    public int index(String node) {
        Node found = snapshot.topology().find(node);
        if (found != null) {
            return found.index();
        }
        String names =
                Arrays.stream(everyNode())
                        .limit(3)
                        .mapToObj(this::name)
                        .map(Shown::of)
                        .collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                "there is no node "
                        + Shown.of(node)
                        + ", server pool "
                        + Shown.of(pool)
                        + ": the command was not sent; its nodes are "
                        + names
                        + (everyNode().length > 3 ? ", ..." : ""));
    }

    private String name(int node) {
        return snapshot.pools()[node].endpoint().name();
    }

    /** One node's reply. */
    public <T> T one(int node, CommandObject<T> command) {
        return asked(command, new int[] {node}).values().iterator().next().get();
    }

    /** Every node's reply, in node order. Throws the first error that a node answered. */
    public <T> Map<String, T> all(CommandObject<T> command) {
        return byName(asked(command, everyNode()), Reply::get);
    }

    /** Every node's reply to a command in words, in node order. An error reply is an element. */
    public Map<String, Object> raw(CommandArguments arguments) {
        return byName(
                asked(new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT), everyNode()),
                Reply::outcome);
    }

    /** One node's replies to these commands, sent in one write. An error reply is an element. */
    public List<Object> several(String node, List<CommandArguments> commands) {
        int index = index(node);
        Batch batch = runner.begin();
        List<Reply<Object>> replies = new ArrayList<>();
        for (CommandArguments each : commands) {
            CommandObject<Object> command = new CommandObject<>(each, BuilderFactory.RAW_OBJECT);
            replies.add(append(command, index, batch));
            batch.waits(waitMs(each)); // These commands run one after another.
        }
        BatchName name = new BatchName("PIPELINE");
        commands.forEach(name::add);
        return route.observed(
                name.toString(),
                commands.size(),
                () -> {
                    runner.run(batch);
                    batch.failures().values().forEach(EachNode::fail);
                    return replies.stream().map(Reply::outcome).toList();
                });
    }

    private static void fail(OneHopException failure) {
        throw failure;
    }

    private int[] everyNode() {
        return Arrays.stream(snapshot.keys().everywhere()).map(snapshot.keys()::nodeAt).toArray();
    }

    private <T, R> Map<String, R> byName(
            Map<Integer, Reply<T>> replies, Function<Reply<T>, R> shown) {
        Map<String, R> answers = new LinkedHashMap<>();
        replies.forEach((node, reply) -> answers.put(name(node), shown.apply(reply)));
        return answers;
    }

    /** Asks these nodes. Every reply has its value or the error that its node answered. */
    private <T> Map<Integer, Reply<T>> asked(CommandObject<T> command, int[] nodes) {
        return route.observed(Commands.name(command.getArguments()), 1, () -> ask(command, nodes));
    }

    private <T> Map<Integer, Reply<T>> ask(CommandObject<T> command, int[] nodes) {
        Batch batch = runner.begin();
        Map<Integer, Reply<T>> replies = new LinkedHashMap<>();
        for (int node : nodes) {
            replies.put(node, append(command, node, batch));
        }
        batch.waits(waitMs(command.getArguments()));
        runner.run(batch);
        requireAll(batch, replies);
        return replies;
    }

    private <T> Reply<T> append(CommandObject<T> command, int node, Batch batch) {
        CommandArguments arguments = command.getArguments();
        Command entry = Commands.known(arguments);
        refuse(entry, arguments);
        intake.check(command);
        Reply<T> reply = new Reply<>(command.getBuilder());
        BatchExchange exchange = batch.ofNode(node);
        if (entry == null) {
            exchange.closeAfter();
        } else {
            Preface.append(entry, arguments, runner.scripts(), exchange);
        }
        exchange.append(arguments, entry != null && entry.isRetryable(), reply);
        return reply;
    }

    private static long waitMs(CommandArguments arguments) {
        Command entry = Commands.known(arguments);
        return entry == null ? Blocking.NOT : Intake.waitMs(entry, arguments);
    }

    private <T> void requireAll(Batch batch, Map<Integer, Reply<T>> replies) {
        Map<String, OneHopException> failures = batch.failures();
        if (!failures.isEmpty()) {
            List<Object> outcomes = new ArrayList<>();
            replies.values().forEach(reply -> outcomes.add(reply.outcome()));
            throw Failure.ofBatch(failures, failures.size() < replies.size(), pool, outcomes);
        }
    }

    private void refuse(@Nullable Command entry, CommandArguments arguments) {
        Commands.refuseHooks(arguments, "batch", pool);
        if (entry != null && entry.state() != null && !Preface.isOfWrites(entry)) {
            throw Commands.unsupported(
                    entry.shown(),
                    entry.reason() != null ? entry.reason() : Message.EACH_SHARED.what(),
                    pool);
        }
    }
}
