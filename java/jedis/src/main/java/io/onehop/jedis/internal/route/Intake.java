package io.onehop.jedis.internal.route;

import io.onehop.core.base.Message;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.batch.Preface;
import io.onehop.jedis.internal.batch.SsdbCommand;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Keys;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.request.ArgumentWords;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;

/**
 * Checks every command before any part of it is queued: whether it is supported, what the table
 * says about it, and where it goes.
 *
 * <p>In: a command as Jedis built it. Out: its entry, its home or its plan, or the refusal. Any
 * thread.
 */
public final class Intake {
    private final ServerPool pool;
    private final Keys keys;
    private final Scripts scripts;

    Intake(ServerPool pool, Keys keys, Scripts scripts) {
        this.pool = pool;
        this.keys = keys;
        this.scripts = scripts;
    }

    /** Refuses commands that the nodes do not support, before any part is queued. */
    public void check(CommandObject<?> command) {
        Commands.requireFits(command.getArguments(), pool.name());
        if (pool.ssdb()) {
            SsdbCommand.check(command, pool.name());
        }
    }

    /** The table's entry. Throws if only another kind of node has the command. */
    Command entry(CommandArguments arguments) {
        Command command = Commands.of(arguments, pool.name());
        if (command.isSsdb() && !pool.ssdb()) {
            throw Commands.unsupported(command.shown(), Message.SSDB_ONLY.what(), pool.name());
        }
        return command;
    }

    /** The plan of a command outside of transactions and subscriptions. */
    Plan plan(CommandArguments arguments) {
        return plan(entry(arguments), arguments);
    }

    /** The same for a command whose entry is known. */
    Plan plan(Command command, CommandArguments arguments) {
        String refusal = refusal(command);
        if (refusal != null) {
            throw Commands.unsupported(command.shown(), refusal, pool.name());
        }
        Plan plan = Plan.of(command, arguments, keys);
        scripts.saw(command, arguments);
        return plan;
    }

    /** The home of a command with one key that does not block; -1: it needs a plan. */
    int onlyHome(Command entry, CommandArguments arguments) {
        return entry.blocking() == null ? keys.onlyHome(entry, arguments) : -1;
    }

    /** The timeout of a blocking command, in milliseconds. */
    static long waitMs(Command command, CommandArguments arguments) {
        if (command.blocking() == null) {
            return arguments.isBlocking() && !command.isKnown() ? Blocking.FOR_EVER : Blocking.NOT;
        }
        return command.blocking().waitMs(new ArgumentWords(arguments));
    }

    private @Nullable String refusal(Command command) {
        if (pool.cluster() && Preface.isOfWrites(command)) {
            return Message.WAIT_IN_CLUSTER.what();
        }
        if (command.state() == null || Preface.isOfWrites(command)) {
            return null;
        }
        return switch (command.state()) {
            case "transaction", "watch" -> Message.OWN_TRANSACTION.what();
            case "subscription" -> Message.OWN_SUBSCRIPTION.what();
            default -> Message.OWN_CONNECTION.what();
        };
    }
}
