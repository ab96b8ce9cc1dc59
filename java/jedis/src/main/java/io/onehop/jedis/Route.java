package io.onehop.jedis;

import io.onehop.core.ServerPool;
import io.onehop.core.Topology;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.core.command.MergeRule;
import io.onehop.core.command.Spread;
import java.util.List;
import java.util.Objects;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.exceptions.JedisDataException;
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
    private final Cluster cluster;
    private final AnyNode anyNode = new AnyNode(this);

    Route(Snapshot snapshot, Cluster cluster) {
        this(snapshot, cluster, new RetryBudget(), new Scripts());
    }

    private Route(Snapshot snapshot, Cluster cluster, RetryBudget budget, Scripts scripts) {
        this.snapshot = snapshot;
        this.pool = snapshot.pool();
        this.pools = snapshot.pools();
        this.cluster = cluster;
        this.keys = snapshot.keys();
        this.budget = budget;
        this.scripts = scripts;
    }

    /** The same client's route over another snapshot: what it has learned it keeps. */
    Route over(Snapshot other) {
        return new Route(other, cluster, budget, scripts);
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
        CommandArguments arguments = command.getArguments();
        Command entry = entry(arguments);
        int place = onlyPlace(entry, arguments);
        if (place >= 0 && !isOfBatches(entry)) {
            return exchange(command, entry, place, Blocking.NOT);
        }
        Plan plan = plan(entry, arguments);
        if (plan.command().merge() == MergeRule.SCAN && plan.place() < 0) {
            return new Scan(this).run(command);
        }
        long waitMs = waitMs(entry, arguments);
        return switch (plan.spread()) {
            case ONE_NODE -> isOfBatches(entry) || Commands.isStranger(entry, arguments) ? batch(command, plan)
                    : exchange(command, entry, plan.place(), waitMs);
            case ANY_NODE -> anyNode.run(command, plan);
            case SPLIT -> waitMs == Blocking.NOT ? batch(command, plan) : streams(command, plan, waitMs);
            default -> batch(command, plan);
        };
    }

    /**
     * What an exchange does not know: a prelude, SSDB's dialect, whom to ask when a replica has failed; nor does it
     * close a connection behind a stranger.
     */
    private boolean isOfBatches(Command command) {
        return Prelude.isOfWrites(command) || pool.ssdb() || snapshot.readers().mayAnswer(command);
    }

    private <T> T batch(CommandObject<T> command, Plan plan) {
        Lanes lanes = lanes();
        Reply<T> reply = append(command, plan, lanes);
        run(lanes);
        return reply.get();
    }

    private <T> T streams(CommandObject<T> command, Plan plan, long waitMs) {
        if (pool.cluster()) {
            throw Commands.unsupported(plan.command().shown() + " with BLOCK", "streams of several slots of a Redis "
                    + "Cluster cannot be waited for together: give them a common hash tag", pool.name());
        }
        Reply<T> reply = new Reply<>(command.getBuilder());
        StreamsWait wait = new StreamsWait(pool.timeoutMs(), waitMs);
        new Merge(command, plan, pool, reply).scatter(wait, snapshot);
        wait.run();
        return reply.get();
    }

    private <T> T exchange(CommandObject<T> command, Command entry, int place, long waitMs) {
        Deadline deadline = deadline();
        Pool node = snapshot.poolAt(place);
        try {
            return new Exchange<>(node, command, entry.isRetryable(), deadline, waitMs, budget).run();
        } catch (JedisNoScriptException lost) {
            String digest = Scripts.digest(entry, command.getArguments());
            if (digest == null || scripts.load(digest) == null) {
                throw lost;
            }
            return ask(place, command, entry, deadline); // It has not run; now its script goes first.
        } catch (JedisDataException answer) {
            if (!pool.cluster() || !Redirects.isOne(answer)) {
                throw answer;
            }
            return sentOn(command, place, node, answer, waitMs == 0 ? deadline : deadline().later(waitMs));
        } catch (OneHopException failure) {
            failed(failure);
            throw failure;
        }
    }

    /** A command that its node has not executed, because another one is to. */
    private <T> T sentOn(CommandObject<T> command, int slot, Pool asked, JedisDataException answer, Deadline deadline) {
        Reply<T> reply = new Reply<>(command.getBuilder());
        Redirects redirects = new Redirects(this, cluster);
        redirects.take(asked, slot, command.getArguments(), reply, answer);
        redirects.follow(deadline);
        return reply.get();
    }

    /** A node of a Redis Cluster that cannot be reached may be none any more. */
    void failed(OneHopException failure) {
        if (pool.cluster() && (failure instanceof NodeDown || failure instanceof DeadlineExceeded)) {
            cluster.want(null);
        }
    }

    /** One command for the node of one place, by the deadline. */
    <T> T ask(int place, CommandObject<T> command, Command entry, Deadline deadline) {
        Lanes lanes = lanes();
        Reply<T> reply = append(command, entry, lanes.of(place));
        run(lanes, deadline);
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
        Commands.requireFits(command.getArguments(), pool.name());
        if (pool.ssdb()) {
            SsdbCommand.check(command, pool.name());
        }
    }

    /** The table's entry; of what only another kind of node has this throws. */
    Command entry(CommandArguments arguments) {
        Command command = Commands.of(arguments, pool.name());
        if (command.isSsdb() && !pool.ssdb()) {
            throw Commands.unsupported(command.shown(), "only SSDB has it, and these nodes are redis", pool.name());
        }
        return command;
    }

    /** Where a command goes that is sent for itself, outside of transactions and subscriptions. */
    Plan plan(CommandArguments arguments) {
        return plan(entry(arguments), arguments);
    }

    private Plan plan(Command command, CommandArguments arguments) {
        String refusal = refusal(command);
        if (refusal != null) {
            throw Commands.unsupported(command.shown(), refusal, pool.name());
        }
        Plan plan = Plan.of(command, arguments, keys);
        scripts.saw(command, arguments);
        return plan;
    }

    /** Where a command goes that has one key and does not wait; -1: it needs a plan. */
    private int onlyPlace(Command entry, CommandArguments arguments) {
        return entry.blocking() == null ? keys.onlyPlace(entry, arguments) : -1;
    }

    private String refusal(Command command) {
        if (pool.cluster() && Prelude.isOfWrites(command)) {
            return "it would answer for the writes of one connection of a Redis Cluster, which is seldom the one that "
                    + "carried yours";
        }
        if (command.state() == null || Prelude.isOfWrites(command)) {
            return null;
        }
        return "it needs a connection of its own: " + switch (command.state()) {
            case "transaction", "watch" -> "call multi() or transaction()";
            case "subscription" -> "call subscribe(), psubscribe() or ssubscribe()";
            default -> "use a connection to the node itself";
        };
    }

    /* ---- Several nodes ---- */

    /** Adds a command of a pipeline to the lanes of its node or nodes. */
    <T> Reply<T> append(CommandObject<T> command, Lanes lanes) {
        check(command);
        CommandArguments arguments = command.getArguments();
        Command entry = entry(arguments);
        Commands.refuseStranger(entry, arguments, "pipeline", pool.name());
        int place = onlyPlace(entry, arguments);
        if (place < 0) {
            return append(command, plan(entry, arguments), lanes);
        }
        Reply<T> reply = new Reply<>(command.getBuilder());
        lanes.of(place, entry).append(arguments, entry.isRetryable(), reply);
        return reply;
    }

    private <T> Reply<T> append(CommandObject<T> command, Plan plan, Lanes lanes) {
        long waitMs = waitMs(plan.command(), command.getArguments());
        if (plan.spread() == Spread.SPLIT && waitMs != Blocking.NOT) {
            throw Commands.unsupported(plan.command().shown(),
                    "in a pipeline it cannot wait on several nodes: call it by itself", pool.name());
        }
        lanes.waits(waitMs);
        if (plan.place() >= 0) {
            return append(command, plan.command(), lanes.of(plan.place(), plan.command()));
        }
        if (plan.command().merge() == MergeRule.SCAN) {
            throw Commands.unsupported("SCAN in a pipeline",
                    "the next node is known only when the reply is there: call it by itself", pool.name());
        }
        if (plan.parts() == null) {
            return append(command, plan.command(), lanes.of(anyNode.preferred()));
        }
        Reply<T> reply = new Reply<>(command.getBuilder());
        new Merge(command, plan, pool, reply).scatter(lanes, scripts);
        return reply;
    }

    private <T> Reply<T> append(CommandObject<T> command, Command entry, Lane lane) {
        Reply<T> reply = new Reply<>(command.getBuilder());
        if (Commands.isStranger(entry, command.getArguments())) {
            lane.closeAfter();
        }
        Prelude.append(entry, command.getArguments(), scripts, lane);
        lane.append(command.getArguments(), entry.isRetryable(), reply);
        return reply;
    }

    /** The lanes of a batch that goes by this route. */
    Lanes lanes() {
        return new Lanes(snapshot, pool.cluster() ? new Redirects(this, cluster) : null);
    }

    /** Sends what is in the lanes and tells every reply. */
    void run(Lanes lanes) {
        run(lanes, deadline().later(lanes.waitMs()));
    }

    private void run(Lanes lanes, Deadline deadline) {
        run(lanes.used(), deadline);
        if (lanes.redirects() != null) {
            lanes.redirects().follow(deadline);
        }
    }

    /** Sends what is in the lanes; what redirects is noted. */
    void run(List<Lane> lanes, Deadline deadline) {
        Scatter.run(lanes, deadline, budget);
        if (pool.cluster()) {
            lanes.stream().map(Lane::failure).filter(Objects::nonNull).forEach(this::failed);
        }
    }

    /* ---- Transactions ---- */

    /** Where a transaction is that names no key. */
    Pool anyPool() {
        return snapshot.poolAt(anyNode.preferred());
    }

    /** The end of a transaction whose node is no longer the one; {@code null}: the error is the answer. */
    OneHopException refused(JedisDataException answer, Pool asked) {
        return pool.cluster() ? Redirects.ofHeld(answer, asked, this, cluster) : null;
    }

    /** What a subscription ends with that a node has refused: the channel may be another node's by now. */
    RuntimeException refusal(JedisDataException answer, Pool asked) {
        return refused(answer, asked) == null ? answer
                : Failure.redirected("subscribe again", answer.getMessage(), asked.endpoint());
    }

    /** Refuses a command that would spoil the connection that watches. */
    void refuseStranger(CommandArguments arguments) {
        Commands.refuseStranger(entry(arguments), arguments, "transaction", pool.name());
    }

    /** Whether all keys of a command are on the node where a transaction is. */
    boolean isOn(Binding binding, CommandArguments arguments) {
        return plan(arguments).place() == binding.place();
    }
}
