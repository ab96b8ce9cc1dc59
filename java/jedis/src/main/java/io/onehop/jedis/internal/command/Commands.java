package io.onehop.jedis.internal.command;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.CommandIndex;
import io.onehop.core.command.KeptCommands;
import io.onehop.core.command.Learnt;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.Unsupported;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.SafeEncoder;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds a command's entry in the command table.
 *
 * <p>In: a command's arguments as Jedis built them. Out: its entry, or {@link Unsupported} before a
 * byte is sent. A command that the table lacks also gets an entry if Jedis marked its keys. For any
 * other command a node has to say what it does. Any thread. Implements spec/route/route.md,
 * "Finding the entry" and "Unknown commands".
 */
public final class Commands {
    private static final Command[] JEDIS =
            Arrays.stream(Protocol.Command.values())
                    .map(command -> CommandIndex.named(command.getRaw()))
                    .toArray(Command[]::new);

    /*
     * Only for commands that Jedis has for modules: commands that callers make on the spot would
     * pile up here.
     */
    private static final Map<ProtocolCommand, Command> UNKNOWN = new ConcurrentHashMap<>();

    private Commands() {}

    /**
     * The entry of a command; {@code null} if a node has to be asked for it. If no node can know
     * the command, or if {@code mayAsk} is false, an unknown command is refused.
     */
    public static @Nullable Command find(CommandArguments arguments, String pool, boolean mayAsk) {
        Command command = named(arguments.getCommand());
        if (command == null) {
            return unknown(arguments, pool, mayAsk);
        }
        return command.isContainer() ? subcommand(command, arguments, pool, mayAsk) : command;
    }

    /** Refuses a command that has no destination. */
    public static Command served(Command command, String pool) {
        if (command.spread() == Spread.REFUSED) {
            String reason = Objects.requireNonNull(command.reason(), "an entry gives a reason");
            throw unsupported(command.shown(), reason, pool);
        }
        return command;
    }

    /**
     * Refuses a command before which Jedis sends a command of its own, to prepare the connection.
     */
    public static void refuseHooks(CommandArguments arguments, String where, String pool) {
        if (arguments.getCommand() == Protocol.Command.HIMPORT) {
            throw unsupported("HIMPORT", Message.PREPARES.what(where), pool);
        }
    }

    /**
     * True if the effect of a command on its connection is unknown: the table lacks the command, no
     * node has described it, and Jedis has no method for it. (Jedis has methods for the commands of
     * modules.) Such a command may be SELECT under another name.
     */
    public static boolean isUnknown(Command entry, CommandArguments arguments) {
        return entry.isUnshared() && !isOfJedis(arguments.getCommand());
    }

    private static boolean isOfJedis(ProtocolCommand command) {
        return command instanceof Enum<?> made
                && made.getDeclaringClass()
                        .getPackageName()
                        .startsWith(Protocol.class.getPackageName());
    }

    /** Refuses a command of unknown effect where other commands would follow on its connection. */
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

    /** The entry of a command, from the table or from what nodes have said of it before. */
    public static @Nullable Command known(CommandArguments arguments, KeptCommands kept) {
        Command command = known(arguments);
        if (command != null) {
            return command;
        }
        ArgumentWords words = new ArgumentWords(arguments);
        Learnt learnt = kept.find(words);
        return learnt == null ? null : learnt.entry(words);
    }

    /**
     * A blocking command whose wait ends at this instant, in the form in which it is sent now: its
     * timeout is the time that remains, at least 1 ms. A command that does not block stays as it
     * is.
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

    /** The name of a command, with the name of its subcommand: {@code GET}, {@code SLOWLOG LEN}. */
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
     * A node is asked about an unknown subcommand even if its key is marked: its effect on the
     * connection is unknown.
     */
    private static @Nullable Command subcommand(
            Command container, CommandArguments arguments, String pool, boolean mayAsk) {
        Command command = container.resolve(new ArgumentWords(arguments));
        if (command == null && (!mayAsk || arguments.size() < 2)) {
            String name =
                    arguments.size() < 2 ? "" : " " + SafeEncoder.encode(arguments.get(1).getRaw());
            throw unsupported(container.shown() + name, Message.UNKNOWN_SUBCOMMAND.what(), pool);
        }
        return command;
    }

    private static @Nullable Command unknown(
            CommandArguments arguments, String pool, boolean mayAsk) {
        ProtocolCommand command = arguments.getCommand();
        String name = Learnt.name(command.getRaw());
        if (name != null && Learnt.isRefused(name)) {
            throw unsupported(name.toUpperCase(Locale.ROOT), Message.LEARNT_INDEX.what(), pool);
        }
        if (!arguments.isKeyless()) {
            return isOfJedis(command)
                    ? UNKNOWN.computeIfAbsent(command, made -> Command.unknown(made.getRaw()))
                    : Command.unknown(command.getRaw());
        }
        if (name == null || !mayAsk) {
            String shown = Command.unknown(command.getRaw()).shown();
            throw unsupported(shown, Message.UNKNOWN_KEYS.what(), pool);
        }
        return null;
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

    /** The refusal of a command. {@code why} is the advice of its message. */
    public static OneHopException unsupported(String command, String why, String pool) {
        return Failure.ofPool(Message.UNSUPPORTED, why, pool, Outcome.NOT_SENT, Shown.of(command));
    }

    /** The refusal of a command whose words contradict the table. */
    public static OneHopException malformed(String command, String reason, String pool) {
        return unsupported(command, Message.MALFORMED.what(reason), pool);
    }
}
