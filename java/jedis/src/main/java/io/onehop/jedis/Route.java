package io.onehop.jedis;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.ServerPool;
import io.onehop.core.Topology;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.executors.CommandExecutor;

/**
 * The road of a command: is it covered, where does it go, lease, exchange, settle; and what becomes of it if that
 * fails.
 *
 * <p>In: every command of the client, as Jedis built it. Out: its reply, or the error the node answered, or one failure
 * that says whether it may have run. Commands whose keys are on several nodes go on to {@link Scatter}. Any number of
 * threads.
 */
final class Route implements CommandExecutor {
    /*
     * Sent once more by itself is a command only if its connection had been lying idle and turned out to be closed, if
     * it was not sent or only reads, if the deadline allows, and if the budget does. Nothing else is ever repeated: a
     * write that may have executed is the caller's to judge.
     */
    private final Topology topology;
    private final ServerPool pool;
    private final Pool[] pools;
    private final Keys keys;
    private final RetryBudget budget = new RetryBudget();

    Route(Topology topology) {
        this.topology = topology;
        this.pool = topology.pool();
        this.pools = topology.nodes().stream().map(this::pool).toArray(Pool[]::new);
        this.keys = new Keys(topology);
    }

    private Pool pool(Node node) {
        return new Pool(node, pool);
    }

    Topology topology() {
        return topology;
    }

    Pool[] pools() {
        return pools;
    }

    @Override
    public <T> T executeCommand(CommandObject<T> command) {
        CommandArguments arguments = command.getArguments();
        Commands.Traits traits = Commands.covered(arguments, pool.name());
        if (Merge.applies(arguments, traits)) {
            return scatter(command, traits);
        }
        Pool node = pools[keys.node(arguments, traits)];
        return exchange(node, command, traits.isReadOnly(), Deadline.in(pool.timeoutMs()), null);
    }

    /* ---- Several nodes ---- */

    private <T> T scatter(CommandObject<T> command, Commands.Traits traits) {
        Lanes lanes = new Lanes(pools);
        Reply<T> reply = append(command, traits, lanes);
        run(lanes);
        return reply.get();
    }

    /** Adds a command to the lanes of its node or nodes. */
    <T> Reply<T> append(CommandObject<T> command, Commands.Traits traits, Lanes lanes) {
        CommandArguments arguments = command.getArguments();
        Reply<T> reply = new Reply<>(command.getBuilder());
        if (Merge.applies(arguments, traits)) {
            new Merge(command, traits, pool.name(), reply).scatter(keys.nodes(arguments), lanes);
        } else {
            lanes.of(keys.node(arguments, traits)).append(arguments, traits.isReadOnly(), reply);
        }
        return reply;
    }

    /** Sends what is in the lanes and tells every reply. */
    void run(Lanes lanes) {
        Scatter.run(lanes.used(), Deadline.in(pool.timeoutMs()), budget);
    }

    /* ---- One node ---- */

    /** One exchange by the deadline, {@code before} being the failure that made us try again, or {@code null}. */
    private <T> T exchange(Pool node, CommandObject<T> command, boolean isReadOnly, Deadline deadline,
            OneHopException before) {
        NodeConnection connection = lease(node, deadline, before);
        long written = connection.written();
        OneHopException failure;
        try {
            T reply = connection.executeCommand(command);
            budget.earn();
            return reply;
        } catch (JedisDataException answer) {
            throw answer; // Jedis read it whole; whether the connection is clean is for settle to say.
        } catch (Throwable thrown) {
            failure = failure(thrown, node, connection, connection.written() > written);
        } finally {
            node.settle(connection);
        }
        if (before != null || !isStale(connection, failure) || !(isReadOnly || !failure.mayHaveExecuted())
                || !budget.spend()) {
            throw failure;
        }
        node.purge();
        return exchange(node, command, isReadOnly, deadline, failure);
    }

    private static NodeConnection lease(Pool node, Deadline deadline, OneHopException before) {
        try {
            return node.lease(deadline);
        } catch (OneHopException failure) {
            if (before == null || !before.mayHaveExecuted()) {
                throw failure;
            }
            before.addSuppressed(failure); // Nothing was sent now, but something was before.
            throw before;
        }
    }

    private static boolean isStale(NodeConnection connection, OneHopException failure) {
        return failure instanceof NodeDown && connection.isReused();
    }

    /**
     * The failure of an exchange. What was not the node's doing is thrown as it is: an argument that can not be
     * encoded, a reply the command's own builder can not make sense of, an Error. Either way the connection is not used
     * again.
     */
    private static OneHopException failure(Throwable thrown, Pool node, NodeConnection connection, boolean isWritten) {
        boolean isOfTheNode = connection.isBroken() && (thrown instanceof JedisException || isWritten);
        boolean isAnswered = connection.isAnswered();
        connection.disconnect();
        if (thrown instanceof Error error) {
            throw error;
        }
        if (!isOfTheNode && thrown instanceof RuntimeException foreign) {
            throw foreign;
        }
        return Failure.of(thrown, node.endpoint(),
                !isWritten ? Outcome.NOT_SENT : isAnswered ? Outcome.ANSWERED : Outcome.MAYBE_EXECUTED);
    }

    @Override
    public void close() {
        for (Pool each : pools) {
            each.close();
        }
    }
}
