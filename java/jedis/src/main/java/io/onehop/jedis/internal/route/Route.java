package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Words;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.MergeRule;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.Forwarding;
import io.onehop.jedis.internal.batch.Forwarding.SentCommand;
import io.onehop.jedis.internal.batch.Merge;
import io.onehop.jedis.internal.batch.Preface;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.resend.Redirects;
import io.onehop.jedis.internal.route.CallObserver.BatchName;
import io.onehop.jedis.internal.snapshot.ReadFromChooser;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs commands: finds the node, and chooses the kind of exchange.
 *
 * <p>In: every command of the client, as Jedis built it. Out: its reply, the error that the node
 * answered, or one failure that says whether the command may have run. A {@link CommandExchange}
 * runs a command of one node, {@code Scatter} a command whose keys are on several. From beginning
 * to end a route uses one snapshot, which {@link CurrentRoute} chose. Any number of threads.
 */
public class Route {
    private final Snapshot snapshot;
    private final ServerPool pool;
    private final ClientState client;
    private final Intake intake;
    private final BatchRunner runner;
    private final AnyNode anyNode;

    Route(Snapshot snapshot, ClientState client) {
        this(snapshot, client, null, null, BatchRunner::new);
    }

    /** A route of the same client over a snapshot, perhaps with another kind of runner. */
    Route(Route before, Snapshot snapshot, @Nullable Deadline begun, Runners runners) {
        this(
                snapshot,
                before.client,
                begun,
                before.snapshot == snapshot ? before.anyNode : null,
                runners);
    }

    /** Makes the runner of a route. */
    interface Runners {
        BatchRunner of(Snapshot snapshot, ClientState client, @Nullable Deadline begun);
    }

    private Route(
            Snapshot snapshot,
            ClientState client,
            @Nullable Deadline begun,
            @Nullable AnyNode same,
            Runners runners) {
        this.snapshot = snapshot;
        this.pool = snapshot.pool();
        this.client = client;
        this.runner = runners.of(snapshot, client, begun);
        this.anyNode = same == null ? new AnyNode(runner) : same.by(runner);
        this.intake =
                new Intake(
                        pool,
                        snapshot.keys(),
                        client.scripts(),
                        new Inquiry(anyNode, snapshot.commands(), pool.name()));
    }

    /**
     * A route of the same client over another snapshot. The new route keeps what this route has
     * learned.
     */
    Route over(Snapshot other) {
        return new Route(this, other, null, BatchRunner::new);
    }

    /** This route for one call that began before, and ends by this deadline. */
    Route by(Deadline deadline) {
        return new Route(this, snapshot, deadline, BatchRunner::new);
    }

    public Snapshot snapshot() {
        return snapshot;
    }

    public PoolTopology topology() {
        return snapshot.topology();
    }

    public Pool[] pools() {
        return snapshot.pools();
    }

    public Intake intake() {
        return intake;
    }

    public BatchRunner runner() {
        return runner;
    }

    /* ---- Observing ---- */

    /** Runs a call. If the client has an observer, the observer sees it. */
    public <T> T observed(String operation, int commands, Supplier<T> call) {
        CallObserver observer = client.observer();
        return observer == null
                ? call.get()
                : observer.observe(snapshot, operation, commands, call);
    }

    /** The name of a batch that begins; {@code null} if it will not be observed. */
    public @Nullable BatchName batchName(String kind) {
        return client.observer() == null ? null : new BatchName(kind);
    }

    /** Tells the observer that a call asks this node. */
    public void asks(Pool node) {
        CallObserver observer = client.observer();
        if (observer != null) {
            observer.asks(node, 1);
        }
    }

    /* ---- One command ---- */

    public <T> @Nullable T executeCommand(CommandObject<T> command) {
        CallObserver observer = client.observer();
        return observer == null
                ? execute(command)
                : observer.observe(
                        snapshot, Commands.name(command.getArguments()), 1, () -> execute(command));
    }

    private <T> @Nullable T execute(CommandObject<T> command) {
        intake.check(command);
        CommandArguments arguments = command.getArguments();
        Command entry = intake.known(arguments);
        // Questions before the command count towards the deadline of this call.
        if (entry == null) {
            Route begun = by(runner.deadline());
            return begun.execute(command, begun.intake.asked(arguments, null));
        }
        return execute(command, entry);
    }

    <T> @Nullable T execute(CommandObject<T> command, Command entry) {
        CommandArguments arguments = command.getArguments();
        int home = intake.onlyHome(entry, arguments);
        if (home >= 0 && !isOfBatches(entry, home)) {
            return exchange(command, entry, home, Blocking.NOT);
        }
        Plan plan = intake.plan(entry, arguments);
        if (plan.command().merge() == MergeRule.SCAN && plan.home() < 0) {
            return new Scan(runner, client.cursors()).run(command, plan.command());
        }
        long waitMs = Intake.waitMs(entry, arguments);
        return switch (plan.spread()) {
            case ONE_NODE ->
                    isOfBatches(entry, plan.home()) || Commands.isUnknown(entry, arguments)
                            ? batch(command, plan)
                            : waitMs == Blocking.NOT
                                    ? exchange(command, entry, plan.home(), waitMs)
                                    : waiting(command, entry, plan.home(), waitMs);
            case ANY_NODE -> anyNode.run(command, plan);
            default -> batch(command, plan);
        };
    }

    /**
     * True for a command that a {@link CommandExchange} cannot run. Such an exchange has no
     * preface, does not speak SSDB's dialect, asks masters only, and does not close its connection
     * after an unknown command.
     */
    private boolean isOfBatches(Command command, int home) {
        ReadFromChooser readFrom = snapshot.readFrom();
        return Preface.isOfWrites(command)
                || pool.ssdb()
                || readFrom.mayAnswer(command)
                        && !readFrom.asksMaster(snapshot.keys().nodeAt(home));
    }

    private <T> T batch(CommandObject<T> command, Plan plan) {
        Batch batch = runner.begin();
        Reply<T> reply = append(command, plan, batch);
        runner.run(batch);
        return reply.get();
    }

    /**
     * Runs a blocking command. If CLIENT UNBLOCK ends its wait, that is a failure, not an answer.
     */
    private <T> T waiting(CommandObject<T> command, Command entry, int home, long waitMs) {
        try {
            return exchange(command, entry, home, waitMs);
        } catch (JedisDataException answer) {
            if (!String.valueOf(answer.getMessage()).startsWith(Words.UNBLOCKED_BY_CLIENT)) {
                throw answer;
            }
            throw Failure.of(
                    Message.UNBLOCKED,
                    snapshot.poolAt(home).endpoint().nodeName(),
                    Outcome.ANSWERED,
                    answer,
                    Shown.of(answer.getMessage()));
        }
    }

    private <T> T exchange(CommandObject<T> command, Command entry, int home, long waitMs) {
        return exchange(command, entry, home, waitMs, snapshot.poolAt(home), runner.deadline());
    }

    private <T> T exchange(
            CommandObject<T> command,
            Command entry,
            int home,
            long waitMs,
            Pool node,
            Deadline deadline) {
        long begunNs = Clock.nowNs();
        // Other commands that another node may answer are batches.
        boolean mayFallBack = snapshot.readFrom().mayAnswer(entry);
        asks(node);
        try {
            return new CommandExchange<>(
                            node,
                            home,
                            command,
                            entry.isRetryable(),
                            mayFallBack,
                            deadline,
                            waitMs,
                            runner)
                    .run();
        } catch (JedisNoScriptException lost) {
            String digest = Scripts.digest(entry, command.getArguments());
            if (digest == null || client.scripts().load(digest) == null) {
                throw lost;
            }
            // The command has not run. Now its script is sent before it.
            return runner.ask(home, command, entry, deadline);
        } catch (JedisDataException answer) {
            Forwarding forwarding = runner.forwarding();
            Reply<T> reply = new Reply<>(command.getBuilder());
            if (forwarding == null
                    || !forwarding.noteRefused(
                            new SentCommand(node, home, command::getArguments, reply),
                            answer,
                            mayFallBack)) {
                throw answer;
            }
            return sentOn(forwarding, reply, deadline, waitMs, begunNs);
        } catch (OneHopException failure) {
            Pool successor =
                    Failure.isLeft(failure) ? runner.successor(node, home, deadline) : null;
            if (successor != null) {
                try {
                    return exchange(command, entry, home, waitMs, successor, deadline);
                } catch (OneHopException next) { // The first node may have executed it, too.
                    throw Failure.worse(next, failure);
                }
            }
            runner.failed(failure);
            Forwarding forwarding = runner.forwarding();
            Reply<T> reply = new Reply<>(command.getBuilder());
            if (forwarding == null
                    || !forwarding.noteFailed(
                            new SentCommand(node, home, command::getArguments, reply),
                            failure,
                            entry.isRetryable(),
                            mayFallBack && forwarding.hasFallback(node, home))) {
                throw failure;
            }
            return sentOn(forwarding, reply, deadline, waitMs, begunNs);
        }
    }

    /**
     * The reply to a command that another node is to execute. The time for which a blocking command
     * has waited at its first node does not count towards the deadline.
     */
    private <T> T sentOn(
            Forwarding forwarding, Reply<T> reply, Deadline deadline, long waitMs, long begunNs) {
        if (waitMs == Blocking.NOT || waitMs == Blocking.FOR_EVER) {
            forwarding.follow(waitMs == 0 ? deadline : runner.deadline().later(waitMs));
            return reply.get();
        }
        long endNs = begunNs + TimeUnit.MILLISECONDS.toNanos(waitMs);
        forwarding.waitsUntil(endNs);
        long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - Clock.nowNs());
        forwarding.follow(runner.deadline().later(Math.max(1, leftMs)));
        return reply.get();
    }

    /* ---- Several ---- */

    /** Appends a command of a pipeline to the exchange of each of its nodes. */
    public <T> Reply<T> append(CommandObject<T> command, Batch batch) {
        intake.check(command);
        CommandArguments arguments = command.getArguments();
        Command entry = intake.entry(arguments, null);
        Commands.refuseUnknown(entry, arguments, "pipeline", pool.name());
        int home = intake.onlyHome(entry, arguments);
        if (home < 0) {
            return append(command, intake.plan(entry, arguments), batch);
        }
        Reply<T> reply = new Reply<>(command.getBuilder());
        batch.of(home, entry).append(arguments, entry.isRetryable(), reply);
        return reply;
    }

    private <T> Reply<T> append(CommandObject<T> command, Plan plan, Batch batch) {
        return append(command, plan, batch, new Reply<>(command.getBuilder()));
    }

    final <T> Reply<T> append(CommandObject<T> command, Plan plan, Batch batch, Reply<T> reply) {
        long waitMs = Intake.waitMs(plan.command(), command.getArguments());
        batch.waits(waitMs);
        if (plan.home() >= 0) {
            return runner.append(
                    command, plan.command(), batch.of(plan.home(), plan.command()), reply);
        }
        if (plan.command().merge() == MergeRule.SCAN) {
            throw Commands.unsupported(
                    plan.command().shown(), Message.CALL_ITERATED.what(), pool.name());
        }
        if (plan.parts().length == 0) {
            return runner.append(command, plan.command(), batch.of(anyNode.preferred()), reply);
        }
        new Merge(command, plan, pool, reply).scatter(batch, client.scripts());
        return reply;
    }

    /* ---- Keys that move ---- */

    /** These keys, and also those keys of the command that move to this pool from another ring. */
    public List<byte[]> withMoving(CommandArguments arguments, List<byte[]> moving) {
        return moving; // No key moves.
    }

    /**
     * Brings these keys to their owners by the deadline. Throws if one of them cannot be brought.
     * The caller may have leased a connection of {@code held}, perhaps the only one of that pool.
     */
    public void bring(List<byte[]> moving, @Nullable Pool held, Deadline deadline) {
        // No key moves.
    }

    /* ---- Dedicated connections ---- */

    /** The node of a transaction that names no key. */
    public Pool anyPool() {
        return snapshot.poolAt(anyNode.preferred());
    }

    /**
     * The failure of a transaction whose node has redirected it; {@code null} if the error is the
     * answer.
     */
    public @Nullable OneHopException redirected(JedisDataException answer, Pool asked) {
        return pool.cluster() ? Redirects.ofHeld(answer, asked, snapshot, client.cluster()) : null;
    }

    /**
     * The exception that ends a subscription that a node has refused. The channel may belong to
     * another node by now.
     */
    public RuntimeException subscriptionFailure(JedisDataException answer, Pool asked) {
        return redirected(answer, asked) == null
                ? answer
                : Failure.of(
                        Message.SUBSCRIPTION_REDIRECTED,
                        asked.endpoint().nodeName(),
                        Outcome.ANSWERED,
                        null,
                        Shown.of(answer.getMessage()));
    }

    /** Notes that a dedicated connection has failed. */
    public void failed(OneHopException failure) {
        runner.failed(failure);
    }

    /**
     * True if all keys of a command are on the transaction's node. Refuses an unknown command,
     * which could change the state of the connection that watches.
     */
    public boolean isOn(TransactionBinding binding, CommandArguments arguments) {
        Command entry = intake.entry(arguments, binding.pool());
        if (intake.plan(entry, arguments).home() != binding.home()) {
            return false;
        }
        Commands.refuseUnknown(entry, arguments, "transaction", pool.name());
        return true;
    }
}
