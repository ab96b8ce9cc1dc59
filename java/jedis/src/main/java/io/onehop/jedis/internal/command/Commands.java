package io.onehop.jedis.internal.command;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.core.command.CommandIndex;
import io.onehop.core.command.Spread;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.Unsupported;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.request.ArgumentWords;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.SafeEncoder;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds a command's entry in the command table.
 *
 * <p>In: a command's arguments as Jedis built them. Out: its entry, or {@link Unsupported} before a
 * byte is sent. A command that the table lacks also gets an entry if Jedis marked its keys; nothing
 * else says which of its words are keys. Any thread. Implements spec/route/route.md, "Finding the
 * entry" and "Unknown commands".
 */
public final class Commands {
    private static final Command[] JEDIS =
            Arrays.stream(Protocol.Command.values())
                    .map(command -> CommandIndex.named(command.getRaw()))
                    .toArray(Command[]::new);

    /*
     * Only for commands of Jedis' modules: commands that callers make on the spot would pile up
     * here.
     */
    private static final Map<ProtocolCommand, Command> UNKNOWN = new ConcurrentHashMap<>();

    private Commands() {}

    /** The entry of a command that has a destination. Throws {@link Unsupported} for any other. */
    public static Command of(CommandArguments arguments, String pool) {
        Command command = named(arguments.getCommand());
        if (command == null) {
            return unknown(arguments, pool);
        }
        if (command.isContainer()) {
            command = subcommand(command, arguments, pool);
        }
        if (command.spread() == Spread.REFUSED) {
            String reason = Objects.requireNonNull(command.reason(), "the table gives a reason");
            throw unsupported(command.shown(), reason, pool);
        }
        return command;
    }

    /** Refuses a command that sends another one of Jedis' own first, to prepare its connection. */
    public static void refuseHooks(CommandArguments arguments, String where, String pool) {
        if (arguments.getCommand() == Protocol.Command.HIMPORT) {
            throw unsupported("HIMPORT", Message.PREPARES.what(where), pool);
        }
    }

    /**
     * True if the effect of a command on its connection is unknown: it is neither in the table nor
     * in Jedis, which has methods for the commands of modules. It may be SELECT under another name.
     */
    public static boolean isUnknown(Command entry, CommandArguments arguments) {
        return !entry.isKnown() && !isOfJedis(arguments.getCommand());
    }

    private static boolean isOfJedis(ProtocolCommand command) {
        return command instanceof Enum<?> made
                && made.getDeclaringClass()
                        .getPackageName()
                        .startsWith(Protocol.class.getPackageName());
    }

    /** Refuses such a command where others would follow it on its connection. */
    public static void refuseUnknown(
            Command entry, CommandArguments arguments, String where, String pool) {
        if (isUnknown(entry, arguments)) {
            throw unsupported(entry.shown(), Message.UNKNOWN_EFFECT.what(where), pool);
        }
    }

    /**
     * The entry of a command, with or without a destination; {@code null} if the table lacks it.
     */
    public static @Nullable Command known(CommandArguments arguments) {
        Command command = named(arguments.getCommand());
        return command == null || !command.isContainer()
                ? command
                : command.resolve(new ArgumentWords(arguments));
    }

    /**
     * A blocking command whose wait ends at this instant, as it is sent now: its timeout is what is
     * left, at least 1 ms. A command that does not block stays as it is.
     */
    public static CommandArguments waitingUntil(
            long instantNs, @Nullable Command entry, CommandArguments arguments) {
        Blocking blocking = entry == null ? null : entry.blocking();
        int position = blocking == null ? 0 : blocking.position(new ArgumentWords(arguments));
        if (blocking == null || position == 0) {
            return arguments;
        }
        long leftMs = Math.max(1, (instantNs - Clock.nowNs()) / 1_000_000);
        CommandArguments shortened = new CommandArguments(arguments.getCommand());
        for (int i = 1; i < arguments.size(); i++) {
            shortened.add(
                    i == position
                            ? SafeEncoder.encode(blocking.word(leftMs))
                            : arguments.get(i).getRaw());
        }
        return shortened;
    }

    /** The name of a command, with that of its subcommand: {@code GET}, {@code SLOWLOG LEN}. */
    public static String name(CommandArguments arguments) {
        Command known = known(arguments);
        return known != null ? known.shown() : SafeEncoder.encode(arguments.getCommand().getRaw());
    }

    private static @Nullable Command named(ProtocolCommand command) {
        return command instanceof Protocol.Command known
                ? JEDIS[known.ordinal()]
                : CommandIndex.named(command.getRaw());
    }

    /**
     * Refuses an unknown subcommand, even if its key is marked: its effect on the connection is
     * unknown.
     */
    private static Command subcommand(Command container, CommandArguments arguments, String pool) {
        Command command = container.resolve(new ArgumentWords(arguments));
        if (command != null) {
            return command;
        }
        String name =
                arguments.size() < 2 ? "" : " " + SafeEncoder.encode(arguments.get(1).getRaw());
        throw unsupported(container.shown() + name, Message.UNKNOWN_SUBCOMMAND.what(), pool);
    }

    private static Command unknown(CommandArguments arguments, String pool) {
        ProtocolCommand command = arguments.getCommand();
        Command unknown =
                isOfJedis(command)
                        ? UNKNOWN.computeIfAbsent(command, made -> Command.unknown(made.getRaw()))
                        : Command.unknown(command.getRaw());
        if (arguments.isKeyless()) {
            throw unsupported(unknown.shown(), Message.UNKNOWN_KEYS.what(), pool);
        }
        if (unknown.shown().startsWith("FT.") && !unknown.shown().startsWith("FT.SUG")) {
            throw unsupported(unknown.shown(), Message.INDEX_NAME.what(), pool);
        }
        return unknown;
    }

    /**
     * Refuses a command so large that every node would close the connection. That would look as if
     * the node were down.
     */
    public static void requireFits(CommandArguments arguments, String pool) {
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).getRaw().length > Limits.WIRE_BULK_BYTES_MAX) {
                throw Failure.ofPool(
                        Message.VALUE_TOO_LARGE,
                        pool,
                        Outcome.NOT_SENT,
                        Limits.WIRE_BULK_BYTES_MAX >> 20);
            }
        }
    }

    /** A refusal. {@code why} is its advice. */
    public static OneHopException unsupported(String command, String why, String pool) {
        return Failure.ofPool(Message.UNSUPPORTED, why, pool, Outcome.NOT_SENT, Shown.of(command));
    }

    /** The refusal of a command whose words contradict the table. */
    public static OneHopException malformed(String command, String reason, String pool) {
        return unsupported(command, Message.MALFORMED.what(reason), pool);
    }
}
