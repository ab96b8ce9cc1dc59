package io.onehop.jedis.internal.command;

import io.onehop.core.base.Message;
import io.onehop.core.command.Blocking;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.MergeRule;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.CommandWords.Malformed;
import io.onehop.core.command.KeyPositions;
import io.onehop.core.command.Split;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;

import redis.clients.jedis.CommandArguments;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The plan of one call, made before anything is sent: where its command goes, and what each node
 * gets.
 *
 * <p>In: a command as Jedis built it, and its entry in the table. Out: a plan, or {@code CrossNode}
 * or {@link Unsupported}. A plan belongs to its call. Implements spec/route/route.md, "Where it
 * goes".
 *
 * @param spread the table's spread, made definite by the keys of this call; never {@code REFUSED}
 * @param home for {@code ONE_NODE}: the index of a node, or the slot ({@link Keys}); otherwise -1
 * @param parts one for each home, if several replies become one; otherwise none
 */
public record Plan(Command command, Spread spread, int home, Split.Part[] parts) {
    /*
     * The table says where the keys are, and Jedis says which words the caller marked as keys.
     * The two agree, with two exceptions. Jedis forgets some keys (the source of ZRANGESTORE);
     * there the table counts. And a caller may mark a sample key that is not a word of the
     * command, to name a node; then the whole command goes to that node.
     */
    public static final Split.Part[] NO_PARTS = {};

    /** The plan of a command that is called by itself. */
    public static Plan of(Command command, CommandArguments arguments, Keys keys) {
        return of(command, arguments, keys, true);
    }

    /**
     * The plan of a command that may not be split, because it is part of a transaction. All its
     * keys are on one node.
     */
    public static Plan together(Command command, CommandArguments arguments, Keys keys) {
        return of(command, arguments, keys, false);
    }

    /** The plan of a command that has no keys, and that any node can answer. */
    public static Plan anyNode(Command command) {
        return new Plan(command, Spread.ANY_NODE, -1, NO_PARTS);
    }

    /** The first key of a command that has one, for messages. */
    public static byte[] firstKey(Command command, CommandArguments arguments) {
        if (!arguments.isKeyless()) {
            return Keys.bytes(arguments.getKeys().get(0));
        }
        ArgumentWords words = new ArgumentWords(arguments);
        try {
            return words.word(command.keys(words).position(0));
        } catch (Malformed known) {
            throw new IllegalStateException(known);
        }
    }

    private static Plan of(
            Command command, CommandArguments arguments, Keys keys, boolean maySplit) {
        if (!command.isKnown()) {
            return oneNode(command, keys.homeOf(command, arguments.getKeys()));
        }
        ArgumentWords words = new ArgumentWords(arguments);
        try {
            KeyPositions positions = command.keys(words);
            if (!arguments.isKeyless() && !areWords(arguments.getKeys(), words, positions)) {
                return oneNode(command, keys.homeOf(command, arguments.getKeys()));
            }
            return of(command, words, positions, keys, maySplit);
        } catch (Malformed contradiction) {
            throw Commands.malformed(command.shown(), contradiction.reason(), keys.pool());
        }
    }

    private static Plan of(
            Command command,
            ArgumentWords words,
            KeyPositions positions,
            Keys keys,
            boolean maySplit)
            throws Malformed {
        Spread spread = command.spread();
        boolean isOfKeys = spread == Spread.ONE_NODE || spread == Spread.SPLIT;
        if (isOfKeys && positions.count() == 0) {
            spread = withoutKeys(command, keys);
        }
        return switch (spread) {
            case ONE_NODE -> oneNode(command, keys.homeOf(command, words, positions));
            case SPLIT ->
                    maySplit
                                    && !waits(command, words)
                                    && !Split.isWhole(command, words, positions.count())
                            ? split(command, words, positions, keys)
                            : oneNode(command, keys.homeOf(command, words, positions));
            case ALL_NODES -> {
                if (keys.everywhere().length > 1 && Split.isWhole(command, words, 0)) {
                    throw Commands.unsupported(
                            command.shown(), Message.WHOLE_WITH.what(), keys.pool());
                }
                yield new Plan(command, spread, -1, everywhere(keys));
            }
            case ANY_NODE ->
                    new Plan(
                            command,
                            spread,
                            -1,
                            command.merge() == MergeRule.NONE ? NO_PARTS : everywhere(keys));
            default ->
                    throw Commands.unsupported(
                            command.shown(), Message.OWN_TRANSACTION.what(), keys.pool());
        };
    }

    private static Plan oneNode(Command command, int home) {
        return new Plan(command, Spread.ONE_NODE, home, NO_PARTS);
    }

    /** True for XREAD and XREADGROUP with BLOCK. A command can wait only on one node. */
    private static boolean waits(Command command, ArgumentWords words) {
        Blocking blocking = command.blocking();
        return blocking != null && blocking.waitMs(words) != Blocking.NOT;
    }

    private static Plan split(
            Command command, ArgumentWords words, KeyPositions positions, Keys keys)
            throws Malformed {
        if (keys.hasOneNode()) { // There is no other node: the command is sent as it is.
            Split.first(command, words, positions.count());
            return oneNode(command, 0);
        }
        int[] at = keys.homesOf(words, positions);
        Split.Part[] parts = Split.parts(command, words, at);
        return parts.length == 1
                ? oneNode(command, at[0])
                : new Plan(command, Spread.SPLIT, -1, parts);
    }

    private static Split.Part[] everywhere(Keys keys) {
        return Arrays.stream(keys.everywhere())
                .mapToObj(home -> Split.Part.whole(home))
                .toArray(Split.Part[]::new);
    }

    private static Spread withoutKeys(Command command, Keys keys) {
        if (command.withoutKeys() == Spread.REFUSED && keys.mayBeKeyless()) {
            return Spread.ANY_NODE;
        }
        if (command.withoutKeys() == Spread.REFUSED) {
            String reason =
                    Objects.requireNonNull(command.withoutKeysReason(), "the table gives a reason");
            throw Commands.unsupported(command.shown(), reason, keys.pool());
        }
        if (command.withoutKeys() == Spread.NONE) {
            throw Commands.malformed(command.shown(), Message.NAMES_NO_KEY.what(), keys.pool());
        }
        return command.withoutKeys();
    }

    /**
     * True if each marked key is also a key by the table. Both have the same order, so the search
     * for each key begins after the key before.
     */
    static boolean areWords(List<Object> marked, ArgumentWords words, KeyPositions positions) {
        int count = positions.count();
        int next = 0;
        for (Object key : marked) {
            byte[] bytes = Keys.bytes(key);
            int tried = 0;
            while (tried < count && !Arrays.equals(bytes, words.word(positions.position(next)))) {
                next = next + 1 < count ? next + 1 : 0;
                tried++;
            }
            if (tried == count) {
                return false;
            }
            next = next + 1 < count ? next + 1 : 0;
        }
        return true;
    }
}
