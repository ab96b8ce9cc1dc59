package io.onehop.jedis.internal.command;

import io.onehop.core.command.Command;
import io.onehop.core.command.KeyPlaces;
import io.onehop.core.command.Malformed;
import io.onehop.core.command.MergeRule;
import io.onehop.core.command.Split;
import io.onehop.core.command.Spread;
import io.onehop.jedis.internal.request.ArgumentWords;

import redis.clients.jedis.CommandArguments;

import java.util.Arrays;
import java.util.List;

/**
 * What one call is about, found before anything is sent: where its command goes, and what each node
 * is sent.
 *
 * <p>In: a command as Jedis built it, and its entry in the table. Out: a plan, or {@code CrossNode}
 * or {@link Unsupported}. A plan belongs to its call. Implements spec/route/route.md, "Where it
 * goes".
 *
 * @param spread where it goes: the table's word, made definite by the keys it has; never {@code
 *     REFUSED}
 * @param place of {@code ONE_NODE}: the index of a node, or the slot ({@link Keys}); otherwise -1
 * @param parts one for each place that takes part, where several replies become one, otherwise
 *     {@code null}; without words, a part is the command as it is
 */
public record Plan(Command command, Spread spread, int place, Split.Part[] parts) {
    /*
     * The table says where the keys are, and Jedis says which words its caller marked as keys. They agree, but for two
     * cases. Jedis forgets some keys (ZRANGESTORE's source): the table counts. And a caller may give a sample key that
     * is no word of the command, to name a node: then the command goes there, as it is.
     */
    private static final int[] NONE = {};

    /** Where a command goes that is sent for itself. */
    public static Plan of(Command command, CommandArguments arguments, Keys keys) {
        return of(command, arguments, keys, true);
    }

    /**
     * Where a command goes that is not split, because it belongs to others: all its keys are on one
     * node.
     */
    public static Plan together(Command command, CommandArguments arguments, Keys keys) {
        return of(command, arguments, keys, false);
    }

    /** The key a message names; of a command that has one. */
    public static byte[] firstKey(Command command, CommandArguments arguments) {
        if (!arguments.isKeyless()) {
            return Keys.bytes(arguments.getKeys().get(0));
        }
        ArgumentWords words = new ArgumentWords(arguments);
        try {
            return words.word(command.keys(words).place(0));
        } catch (Malformed known) {
            throw new IllegalStateException(known);
        }
    }

    private static Plan of(
            Command command, CommandArguments arguments, Keys keys, boolean maySplit) {
        if (!command.isKnown()) {
            return oneNode(command, keys.placeOf(command, arguments.getKeys()));
        }
        ArgumentWords words = new ArgumentWords(arguments);
        try {
            KeyPlaces places = command.keys(words);
            if (!arguments.isKeyless() && !areWords(arguments.getKeys(), words, places)) {
                return oneNode(command, keys.placeOf(command, arguments.getKeys()));
            }
            return of(command, words, places, keys, maySplit);
        } catch (Malformed contradiction) {
            throw Commands.malformed(command.shown(), contradiction.getMessage(), keys.pool());
        }
    }

    private static Plan of(
            Command command, ArgumentWords words, KeyPlaces places, Keys keys, boolean maySplit)
            throws Malformed {
        Spread spread = command.spread();
        boolean isOfKeys = spread == Spread.ONE_NODE || spread == Spread.SPLIT;
        if (isOfKeys && places.count() == 0) {
            spread = withoutKeys(command, keys);
        }
        return switch (spread) {
            case ONE_NODE -> oneNode(command, keys.placeOf(command, words, places));
            case SPLIT ->
                    maySplit
                            ? split(command, words, places, keys)
                            : oneNode(command, keys.placeOf(command, words, places));
            case ALL_NODES -> new Plan(command, spread, -1, everywhere(keys));
            case ANY_NODE ->
                    new Plan(
                            command,
                            spread,
                            -1,
                            command.merge() == MergeRule.NONE ? null : everywhere(keys));
            default ->
                    throw Commands.unsupported(
                            command.shown(),
                            "it belongs to a transaction: call multi() or transaction()",
                            keys.pool());
        };
    }

    private static Plan oneNode(Command command, int place) {
        return new Plan(command, Spread.ONE_NODE, place, null);
    }

    private static Plan split(Command command, ArgumentWords words, KeyPlaces places, Keys keys)
            throws Malformed {
        if (keys.hasOneNode()) { // There is nowhere else to go: it is sent as it is.
            Split.first(command, words, places.count());
            return oneNode(command, 0);
        }
        int[] at = keys.placesOf(words, places);
        Split.Part[] parts = Split.parts(command, words, at);
        return parts.length == 1
                ? oneNode(command, at[0])
                : new Plan(command, Spread.SPLIT, -1, parts);
    }

    private static Split.Part[] everywhere(Keys keys) {
        return Arrays.stream(keys.everywhere())
                .mapToObj(place -> new Split.Part(place, null, NONE))
                .toArray(Split.Part[]::new);
    }

    private static Spread withoutKeys(Command command, Keys keys) {
        if (command.withoutKeys() == Spread.REFUSED && keys.mayBeKeyless()) {
            return Spread.ANY_NODE;
        }
        if (command.withoutKeys() == Spread.REFUSED) {
            throw Commands.unsupported(
                    command.shown() + " without a key", command.withoutKeysReason(), keys.pool());
        }
        if (command.withoutKeys() == Spread.NONE) {
            throw Commands.malformed(command.shown(), "it names no key", keys.pool());
        }
        return command.withoutKeys();
    }

    /**
     * Whether all that was marked as a key is a key of the command by the table, too. They stand in
     * the same order, so each is looked for behind the one before it first.
     */
    private static boolean areWords(List<Object> marked, ArgumentWords words, KeyPlaces places) {
        int count = places.count();
        int next = 0;
        for (Object key : marked) {
            byte[] bytes = Keys.bytes(key);
            int tried = 0;
            while (tried < count && !Arrays.equals(bytes, words.word(places.place(next)))) {
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
