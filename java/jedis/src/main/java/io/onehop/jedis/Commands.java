package io.onehop.jedis;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandFlagsRegistry.CommandFlag;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.StaticCommandFlagsRegistry;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.SafeEncoder;

/**
 * What OneHop knows of a command: whether it is covered, whether it only reads, and how it is split when its keys are
 * on several nodes.
 *
 * <p>In: a command as Jedis built it. Out: its traits, or {@link Unsupported} before a byte is sent. Where its keys
 * are, Jedis tells; which commands only read, Jedis' own table tells.
 */
final class Commands {

    /** How the replies of several nodes become one. */
    enum MergePolicy {
        /** Not at all: all keys must be on one node. */
        NONE,
        /** One element for each key, put back in the caller's order. */
        LIST,
        /** Numbers, added up. */
        SUM,
        /** The same word from everybody. */
        STATUS
    }

    /**
     * The traits of one command.
     *
     * @param step arguments for each key in a command that can be split, the key included
     * @param refusal why it is not covered, or {@code null}
     */
    record Traits(String name, MergePolicy merge, int step, boolean isReadOnly, String refusal) {

        /** Whether Jedis collects the destination only, and the source is a key, too. */
        boolean hasForgottenKey() {
            return name.equals("ZRANGESTORE") || name.equals("GEOSEARCHSTORE");
        }

        /** Whether Jedis sends something of its own over the same connection first. */
        boolean needsItsConnection() {
            return name.equals("HIMPORT");
        }
    }

    private static final Map<String, MergePolicy> MERGES = Map.of("MGET", MergePolicy.LIST, "MSET", MergePolicy.STATUS,
            "DEL", MergePolicy.SUM, "UNLINK", MergePolicy.SUM, "TOUCH", MergePolicy.SUM, "EXISTS", MergePolicy.SUM);

    /* They change the connection itself, which belongs to everybody, or answer with something else than one reply. */
    private static final Set<String> OF_THE_CONNECTION = Set.of("AUTH", "HELLO", "SELECT", "RESET", "QUIT", "CLIENT",
            "MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH", "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE",
            "SSUBSCRIBE", "SUNSUBSCRIBE", "MONITOR", "SYNC", "PSYNC", "REPLCONF", "ASKING", "READONLY", "READWRITE");

    /* They may block, but as Jedis builds them they do so only with BLOCK, and then it says so. */
    private static final Set<String> BLOCKING_ON_DEMAND = Set.of("XREAD", "XREADGROUP");

    private static final Traits[] JEDIS =
            Arrays.stream(Protocol.Command.values()).map(Commands::read).toArray(Traits[]::new);
    private static final Map<ProtocolCommand, Traits> MODULES = new ConcurrentHashMap<>();

    private Commands() {
    }

    /** The traits of a command that is covered; of any other this throws. */
    static Traits covered(CommandArguments arguments, String pool) {
        Traits traits = of(arguments.getCommand());
        String refusal = traits.refusal() != null ? traits.refusal()
                : arguments.isBlocking() ? "it may block the connection"
                : arguments.isKeyless() ? "it has no key that tells its node" : null;
        if (refusal != null) {
            throw unsupported(traits.name(), refusal, pool);
        }
        return traits;
    }

    /** The traits of a command that may be watched or queued in a transaction. */
    static Traits inTransaction(CommandArguments arguments, String pool) {
        if (arguments.getCommand() == Protocol.Command.WATCH) {
            return of(arguments.getCommand());
        }
        Traits traits = covered(arguments, pool);
        if (traits.needsItsConnection()) {
            throw unsupported(traits.name(), "it prepares its connection first, which a transaction can not", pool);
        }
        return traits;
    }

    static Unsupported unsupported(String what, String why, String pool) {
        return new Unsupported(Failure.shown(what) + " is not supported: " + why + ", server pool "
                + Failure.shown(pool) + ": the command was not sent; use a connection to the node itself");
    }

    /** Enum constants are remembered; a command made on the spot is looked at each time, or they would pile up here. */
    private static Traits of(ProtocolCommand command) {
        if (command instanceof Protocol.Command known) {
            return JEDIS[known.ordinal()];
        }
        return command instanceof Enum ? MODULES.computeIfAbsent(command, Commands::read) : read(command);
    }

    private static Traits read(ProtocolCommand command) {
        String name = SafeEncoder.encode(command.getRaw()).toUpperCase(Locale.ROOT);
        Set<CommandFlag> flags = StaticCommandFlagsRegistry.registry().getFlags(new CommandArguments(command));
        MergePolicy merge = MERGES.getOrDefault(name, MergePolicy.NONE);
        return new Traits(name, merge, merge == MergePolicy.STATUS ? 2 : 1, flags.contains(CommandFlag.READONLY),
                refusal(name, flags));
    }

    private static String refusal(String name, Set<CommandFlag> flags) {
        if (OF_THE_CONNECTION.contains(name)) {
            return "it changes the state of a connection that others use, too";
        }
        if (flags.contains(CommandFlag.BLOCKING) && !BLOCKING_ON_DEMAND.contains(name)) {
            return "it may block the connection";
        }
        if (name.startsWith("FT.") && !name.startsWith("FT.SUG")) {
            return "the name of an index is no key, every node has its own";
        }
        return null;
    }
}
