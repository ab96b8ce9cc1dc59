package io.onehop.jedis;

import io.onehop.core.Node;
import io.onehop.core.ServerPool;
import io.onehop.core.Topology;
import java.util.Arrays;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.executors.CommandExecutor;

/**
 * The road of a command: is it covered, where does it go.
 *
 * <p>In: every command of the client, as Jedis built it. Out: its reply, or the error the node answered, or one failure
 * that says whether it may have run. Commands of one node go on to an {@link Exchange}, those whose keys are on several
 * nodes to {@link Scatter}. Any number of threads.
 */
final class Route implements CommandExecutor {
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
        return new Exchange<>(node, command, traits.isReadOnly(), 0, budget).run();
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

    /* ---- Transactions ---- */

    /** Where a transaction is after one more command: where it was, or the node of its first key. */
    Binding bind(Binding before, CommandArguments arguments) {
        Commands.Traits traits = Commands.inTransaction(arguments, pool.name());
        Binding found = keys.binding(arguments, traits, pools);
        if (before == null || keys.isRandom()) {
            return before == null ? found : before;
        }
        if (before.index() != found.index()) {
            throw keys.crossNode("a transaction", before.key(), before.index(), found.key(), found.index());
        }
        return before;
    }

    /** Whether all keys of a command are on the node where a transaction is. */
    boolean isOn(Binding binding, CommandArguments arguments) {
        return !arguments.isKeyless() && Arrays.stream(keys.nodes(arguments)).allMatch(node -> node == binding.index());
    }

    @Override
    public void close() {
        for (Pool each : pools) {
            each.close();
        }
    }
}
