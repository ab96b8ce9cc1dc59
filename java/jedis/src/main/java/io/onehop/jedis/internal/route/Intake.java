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
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;

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
    private final Inquiry inquiry;

    Intake(ServerPool pool, Keys keys, Scripts scripts, Inquiry inquiry) {
        this.pool = pool;
        this.keys = keys;
        this.scripts = scripts;
        this.inquiry = inquiry;
    }

    /** Refuses commands that the nodes do not support, before any part is queued. */
    public void check(CommandObject<?> command) {
        Commands.requireFits(command.getArguments(), pool.name());
        if (pool.ssdb()) {
            SsdbCommand.check(command, pool.name());
        }
    }

    /**
     * The entry of a command, by the table or by what nodes have said of it; {@code null} if a node
     * has to be asked first. Throws if the command has no destination.
     */
    @Nullable Command known(CommandArguments arguments) {
        Command command = Commands.find(arguments, pool.name(), !pool.ssdb());
        Command known = command == null ? inquiry.recall(arguments) : command;
        return known == null ? null : served(known);
    }

    /**
     * The entry of a command, after a node was asked. {@code held}: the caller has a connection of
     * this pool.
     */
    Command asked(CommandArguments arguments, @Nullable Pool held) {
        return served(inquiry.ask(arguments, held));
    }

    /** The entry of a command, for which a node is asked if nothing else is known of it. */
    Command entry(CommandArguments arguments, @Nullable Pool held) {
        Command known = known(arguments);
        return known == null ? asked(arguments, held) : known;
    }

    /** Throws if only another kind of node has the command, or if no node takes it. */
    private Command served(Command command) {
        Commands.served(command, pool.name());
        if (command.isSsdb() && !pool.ssdb()) {
            throw Commands.unsupported(command.shown(), Message.SSDB_ONLY.what(), pool.name());
        }
        return command;
    }

    /** The plan of a command outside of transactions and subscriptions. */
    Plan plan(Command command, CommandArguments arguments) {
        String refusal = refusal(command);
        if (refusal != null) {
            throw Commands.unsupported(command.shown(), refusal, pool.name());
        }
        Plan plan = Plan.of(command, arguments, keys);
        scripts.saw(command, arguments);
        return plan;
    }

    /** The home of a command that has one key and does not block; -1: it needs a plan. */
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
