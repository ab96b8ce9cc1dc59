package io.onehop.jedis;

import io.onehop.core.ServerPool;
import io.onehop.core.Topology;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.core.command.MergeRule;
import io.onehop.core.command.Spread;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * The road of a command: is it covered, where does it go.
 *
 * <p>In: every command of the client, as Jedis built it. Out: its reply, or the error the node answered, or one failure
 * that says whether it may have run. Commands of one node go on to an {@link Exchange}, those whose keys are on several
 * nodes to {@link Scatter}. It goes by one snapshot from beginning to end; which one is for {@link CurrentRoute} to
 * say. Any number of threads.
 */
final class Route {
    private final Snapshot snapshot;
    private final ServerPool pool;
    private final Pool[] pools;
    private final Keys keys;
    private final RetryBudget budget;
    private final Scripts scripts;
    private final AnyNode anyNode = new AnyNode(this);

    Route(Snapshot snapshot) {
        this(snapshot, new RetryBudget(), new Scripts());
    }

    private Route(Snapshot snapshot, RetryBudget budget, Scripts scripts) {
        this.snapshot = snapshot;
        this.pool = snapshot.pool();
        this.pools = snapshot.pools();
        this.keys = snapshot.keys();
        this.budget = budget;
        this.scripts = scripts;
    }

    /** The same client's route over another snapshot: what it has learned it keeps. */
    Route over(Snapshot other) {
        return new Route(other, budget, scripts);
    }

    Snapshot snapshot() {
        return snapshot;
    }

    Topology topology() {
        return snapshot.topology();
    }

    Pool[] pools() {
        return pools;
    }

    <T> T executeCommand(CommandObject<T> command) {
        check(command);
        Plan plan = plan(command.getArguments());
        if (plan.command().merge() == MergeRule.SCAN && plan.node() < 0) {
            return new Scan(this).run(command);
        }
        long waitMs = waitMs(plan.command(), command.getArguments());
        return switch (plan.spread()) {
            case ONE_NODE -> Prelude.isOfWrites(plan.command()) || pool.ssdb() ? batch(command, plan)
                    : exchange(command, plan, waitMs);
            case ANY_NODE -> anyNode.run(command, plan);
            case SPLIT -> waitMs == Blocking.NOT ? batch(command, plan) : streams(command, plan, waitMs);
            default -> batch(command, plan);
        };
    }

    private <T> T batch(CommandObject<T> command, Plan plan) {
        Lanes lanes = new Lanes(pools);
        Reply<T> reply = append(command, plan, lanes);
        run(lanes);
        return reply.get();
    }

    private <T> T streams(CommandObject<T> command, Plan plan, long waitMs) {
        Reply<T> reply = new Reply<>(command.getBuilder());
        StreamsWait wait = new StreamsWait(pool.timeoutMs(), waitMs);
        new Merge(command, plan, pool.name(), reply).scatter(wait, pools);
        wait.run();
        return reply.get();
    }

    private <T> T exchange(CommandObject<T> command, Plan plan, long waitMs) {
        Deadline deadline = deadline();
        try {
            return new Exchange<>(pools[plan.node()], command, plan.command().isRetryable(), waitMs, budget).run();
        } catch (JedisNoScriptException lost) {
            String digest = Scripts.digest(plan.command(), command.getArguments());
            if (digest == null || scripts.load(digest) == null) {
                throw lost;
            }
            return ask(plan.node(), command, plan.command(), deadline); // It has not run; now its script goes first.
        }
    }

    /** One command for one node, by the deadline. */
    <T> T ask(int node, CommandObject<T> command, Command entry, Deadline deadline) {
        Lanes lanes = new Lanes(pools);
        Reply<T> reply = append(command, entry, lanes.of(node));
        Scatter.run(lanes.used(), deadline, budget);
        return reply.get();
    }

    Scripts scripts() {
        return scripts;
    }

    /** When a call that begins now must be over. */
    Deadline deadline() {
        return Deadline.in(pool.timeoutMs());
    }

    /** How long a command waits on its node by its own wish. */
    static long waitMs(Command command, CommandArguments arguments) {
        if (command.blocking() == null) {
            return arguments.isBlocking() && !command.isKnown() ? Blocking.FOR_EVER : Blocking.NOT;
        }
        return command.blocking().waitMs(new ArgumentWords(arguments));
    }

    /* ---- Where it goes ---- */

    /** Refuses what the nodes are not made for, before anything of it is put anywhere. */
    void check(CommandObject<?> command) {
        if (pool.ssdb()) {
            SsdbCommand.check(command, pool.name());
        }
    }

    /** The table's entry; of what only another kind of node has this throws. */
    private Command entry(CommandArguments arguments) {
        Command command = Commands.of(arguments, pool.name());
        if (command.isSsdb() && !pool.ssdb()) {
            throw Commands.unsupported(command.shown(), "only SSDB has it, and these nodes are redis", pool.name());
        }
        return command;
    }

    /** Where a command goes that is sent for itself, outside of transactions and subscriptions. */
    Plan plan(CommandArguments arguments) {
        Command command = entry(arguments);
        String refusal = refusal(command);
        if (refusal != null) {
            throw Commands.unsupported(command.shown(), refusal, pool.name());
        }
        Plan plan = Plan.of(command, arguments, keys);
        scripts.saw(command, arguments);
        return plan;
    }

    private static String refusal(Command command) {
        return command.state() == null || Prelude.isOfWrites(command) ? null
                : "it needs a connection of its own: use a connection to the node itself";
    }

    /* ---- Several nodes ---- */

    /** Adds a command to the lanes of its node or nodes. */
    <T> Reply<T> append(CommandObject<T> command, Lanes lanes) {
        check(command);
        CommandArguments arguments = command.getArguments();
        Command entry = entry(arguments);
        int node = entry.blocking() == null ? keys.onlyNode(entry, arguments) : -1;
        if (node < 0) {
            return append(command, plan(arguments), lanes);
        }
        Reply<T> reply = new Reply<>(command.getBuilder());
        lanes.of(node).append(arguments, entry.isRetryable(), reply);
        return reply;
    }

    private <T> Reply<T> append(CommandObject<T> command, Plan plan, Lanes lanes) {
        long waitMs = waitMs(plan.command(), command.getArguments());
        if (plan.spread() == Spread.SPLIT && waitMs != Blocking.NOT) {
            throw Commands.unsupported(plan.command().shown(),
                    "in a pipeline it can not wait on several nodes: call it by itself", pool.name());
        }
        lanes.waits(waitMs);
        if (plan.node() >= 0) {
            return append(command, plan.command(), lanes.of(plan.node()));
        }
        if (plan.command().merge() == MergeRule.SCAN) {
            throw Commands.unsupported("SCAN in a pipeline",
                    "the next node is known only when the reply is there: call it by itself", pool.name());
        }
        if (plan.parts() == null) {
            return append(command, plan.command(), lanes.of(anyNode.preferred()));
        }
        Reply<T> reply = new Reply<>(command.getBuilder());
        new Merge(command, plan, pool.name(), reply).scatter(lanes, scripts);
        return reply;
    }

    private <T> Reply<T> append(CommandObject<T> command, Command entry, Lane lane) {
        Reply<T> reply = new Reply<>(command.getBuilder());
        Prelude.append(entry, command.getArguments(), scripts, lane);
        lane.append(command.getArguments(), entry.isRetryable(), reply);
        return reply;
    }

    /** Sends what is in the lanes and tells every reply. */
    void run(Lanes lanes) {
        Scatter.run(lanes.used(), deadline().later(lanes.waitMs()), budget);
    }

    /* ---- Transactions ---- */

    /**
     * Where a transaction is after one more command: where it was, or the node of its first key; {@code null} if it has
     * had none yet.
     */
    Binding bind(Binding before, CommandArguments arguments) {
        Command command = entry(arguments);
        if (pool.ssdb()) {
            throw Commands.unsupported("a transaction", "SSDB has none", pool.name());
        }
        Commands.refuseHooks(arguments, "transaction", pool.name());
        boolean isWatch = arguments.getCommand() == Protocol.Command.WATCH;
        Plan plan = command.state() == null || isWatch ? Plan.together(command, arguments, keys) : null;
        if (plan == null || plan.spread() == Spread.ALL_NODES) {
            throw Commands.unsupported(command.shown(), "it can not be a part of a transaction, which is on one node",
                    pool.name());
        }
        if (plan.node() < 0 || before != null && keys.isRandom()) {
            return before;
        }
        byte[] key = Plan.firstKey(command, arguments);
        if (before != null && before.index() != plan.node()) {
            throw keys.crossNode("a transaction", before.key(), before.index(), key, plan.node());
        }
        return before != null ? before : new Binding(pools[plan.node()], plan.node(), key);
    }

    /** Whether all keys of a command are on the node where a transaction is. */
    boolean isOn(Binding binding, CommandArguments arguments) {
        return plan(arguments).node() == binding.index();
    }
}
