package io.onehop.jedis.internal.route;

import io.onehop.core.base.Message;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.Spread;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Keys;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/**
 * Binds a transaction to the node of its first key, and in a Redis Cluster to the slot.
 *
 * @param home the node's index, or the slot
 * @param key the first key
 */
public record TransactionBinding(Pool pool, int home, byte[] key) {

    /**
     * The binding after one more command. It is the same as before; or if there was none, the
     * binding to the first key of the command. {@code null} if there was no key yet. {@code held}:
     * the transaction has leased a connection of this pool.
     */
    public static @Nullable TransactionBinding next(
            @Nullable TransactionBinding before,
            CommandArguments arguments,
            Snapshot snapshot,
            Intake intake,
            @Nullable Pool held) {
        String pool = snapshot.pool().name();
        Commands.requireFits(arguments, pool);
        Command command = intake.entry(arguments, held);
        if (snapshot.pool().ssdb()) {
            throw Commands.unsupported("MULTI", Message.SSDB_TRANSACTIONS.what(), pool);
        }
        Commands.refuseHooks(arguments, "transaction", pool);
        Commands.refuseUnknown(command, arguments, "transaction", pool);
        Keys keys = snapshot.keys();
        int only = command.state() == null ? keys.onlyHome(command, arguments) : -1;
        if (only >= 0 && before != null && before.home() == only) {
            return before; // The usual case.
        }
        boolean isWatch = arguments.getCommand() == Protocol.Command.WATCH;
        Plan plan =
                command.state() == null || isWatch ? Plan.together(command, arguments, keys) : null;
        if (plan == null || plan.spread() == Spread.ALL_NODES) {
            throw Commands.unsupported(command.shown(), Message.ONE_NODE_ONLY.what(), pool);
        }
        if (plan.home() < 0 || before != null && keys.isRandom()) {
            return before;
        }
        byte[] key = Plan.firstKey(command, arguments);
        if (before != null && before.home() != plan.home()) {
            throw keys.bound(before.key(), before.home(), key, plan.home());
        }
        return before != null
                ? before
                : new TransactionBinding(snapshot.poolAt(plan.home()), plan.home(), key);
    }
}
