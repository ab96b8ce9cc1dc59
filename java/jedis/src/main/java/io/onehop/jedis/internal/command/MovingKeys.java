package io.onehop.jedis.internal.command;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.CommandWords.Malformed;
import io.onehop.core.command.KeyPositions;
import io.onehop.core.command.KeyPositions.Kind;
import io.onehop.core.command.Moving;
import io.onehop.core.command.Split;
import io.onehop.core.key.Key;
import io.onehop.core.key.Key.HashTag;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;

import redis.clients.jedis.CommandArguments;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the keys of a command that move from another ring, and what the command does with them.
 *
 * <p>In: a topology whose keys move, and a command with its entry. Out: the keys of the command
 * that move, and whether it asks the old owner for them or brings them. Pure; any thread.
 * Implements spec/topology/moving.md, section 2.
 */
public final class MovingKeys {
    /**
     * What was found in one command.
     *
     * @param asks true: if the owner of a key has nothing, the command asks the old owner; false:
     *     it brings the keys first
     * @param keys the keys that move
     */
    public record Found(boolean asks, List<byte[]> keys) {
        static final Found NONE = new Found(false, List.of());
    }

    private final PoolTopology topology;
    private final Keys keys;

    public MovingKeys(PoolTopology topology, Keys keys) {
        this.topology = topology;
        this.keys = keys;
    }

    /** {@code isAlone}: the command is not part of a transaction. */
    public Found of(Command command, CommandArguments arguments, boolean isAlone) {
        ArgumentWords words = new ArgumentWords(arguments);
        if (!command.isKnown()) {
            return marked(arguments.getKeys(), words);
        }
        try {
            KeyPositions found = command.keys(words);
            return arguments.isKeyless() || Plan.areWords(arguments.getKeys(), words, found)
                    ? of(command, words, found, isAlone)
                    : Found.NONE; // A sample key only names a node.
        } catch (Malformed known) { // The plan reports it.
            return Found.NONE;
        }
    }

    private Found of(Command command, ArgumentWords words, KeyPositions found, boolean isAlone)
            throws Malformed {
        List<byte[]> moving = null;
        for (int i = 0; i < found.count(); i++) {
            byte[] word = words.word(found.position(i));
            if (found.kind(i) == Kind.PATTERN) {
                requireStays(command, word);
            } else if (found.kind(i) == Kind.KEY && oldOwner(word) >= 0) {
                moving = moving == null ? new ArrayList<>() : moving;
                moving.add(word);
            }
        }
        return moving == null
                ? Found.NONE
                : new Found(Moving.asks(command, words, found, isAlone), moving);
    }

    /**
     * What was found in a command that nobody has described. A key that is not one of its words is
     * only a sample, to name a node.
     */
    private Found marked(List<Object> marked, ArgumentWords words) {
        List<byte[]> moving = new ArrayList<>();
        for (Object each : marked) {
            byte[] key = Keys.bytes(each);
            if (isWord(key, words) && oldOwner(key) >= 0) {
                moving.add(key);
            }
        }
        return moving.isEmpty() ? Found.NONE : new Found(false, moving);
    }

    private static boolean isWord(byte[] key, ArgumentWords words) {
        for (int i = 1; i < words.count(); i++) {
            if (Arrays.equals(key, words.word(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Refuses a pattern whose keys may move: nobody knows which keys a server will make of it, so
     * they cannot be brought.
     */
    private void requireStays(Command command, byte[] pattern) {
        if (!isPlacedByTag(pattern) || oldOwner(pattern) >= 0) {
            throw Failure.ofPool(
                    Message.PATTERN_MOVES,
                    keys.pool(),
                    Outcome.NOT_SENT,
                    Shown.of(command.shown()),
                    Shown.of(pattern, Limits.SHOWN_BYTES_MAX));
        }
    }

    /** True if the old ring has one owner for all keys of the pattern. */
    private boolean isPlacedByTag(byte[] pattern) {
        HashTag tag = topology.oldTag();
        if (tag == null) {
            return topology.hasOneOldOwner();
        }
        long part = Key.hashed(pattern, 0, pattern.length, tag);
        int asterisk = new String(pattern, StandardCharsets.ISO_8859_1).indexOf('*');
        boolean isTagged = Key.offset(part) > 0 && Key.offset(part) + Key.length(part) < asterisk;
        return isTagged || topology.hasOneOldOwner();
    }

    /** The index of the owner of a key. */
    public int owner(byte[] key) {
        return keys.locate(key);
    }

    /** The index of the old owner of a key; -1: the key does not move. */
    public int oldOwner(byte[] key) {
        return topology.oldOwner(key, keys.locate(key));
    }

    /** A key of a command, by its number in the parts of the plan. */
    public static byte[] key(Command command, CommandArguments arguments, int number) {
        ArgumentWords words = new ArgumentWords(arguments);
        try {
            return words.word(command.keys(words).position(number));
        } catch (Malformed known) {
            throw new IllegalStateException(known);
        }
    }

    /**
     * The plan of a command that asks and may be split: each of its keys that moves is a part of
     * its own, so each reply says whether that key was there.
     */
    public Plan apart(Command command, CommandArguments arguments) {
        ArgumentWords words = new ArgumentWords(arguments);
        try {
            int[] homes = keys.homesOf(words, command.keys(words));
            int[] apart = homes.clone();
            for (int i = 0; i < homes.length; i++) {
                byte[] key = words.word(command.keys(words).position(i));
                apart[i] = topology.oldOwner(key, homes[i]) < 0 ? homes[i] : ~i;
            }
            Split.Part[] parts = Split.parts(command, words, apart);
            for (int i = 0; i < parts.length; i++) {
                parts[i] = parts[i].at(homes[parts[i].key(0)]);
            }
            return new Plan(command, Spread.SPLIT, -1, parts);
        } catch (Malformed contradiction) {
            throw Commands.malformed(command.shown(), contradiction.reason(), keys.pool());
        }
    }
}
