package io.onehop.core.command;

import io.onehop.core.command.CommandWords.Malformed;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One entry of the command table: what a command means to a client that places keys.
 *
 * <p>In: the words of a command. Out: where its keys are, where it goes, and how replies are
 * merged. Immutable, for any thread. {@link CommandIndex} finds entries. Implements
 * spec/route/route.md.
 */
public final class Command {
    /* No command has a longer name. So a look-up of an invented name does not cost more. */
    static final int NAME_BYTES_MAX = 64;

    private final String name;
    private final boolean isKnown;
    final Spread spread;
    MergeRule merge = MergeRule.NONE;
    int mergeWidth = 1;
    Spread withoutKeys = Spread.NONE;
    @Nullable String withoutKeysReason;
    boolean isWrite;
    boolean isRetryable;
    boolean brings;
    boolean isContainer;
    boolean isSsdb;
    boolean asksKeys;
    boolean isUnshared;
    @Nullable String state;
    @Nullable Blocking blocking;
    @Nullable String reason;
    byte[][] wholeWith = {};
    KeySpec[] keys = {};
    private int onlyKey;
    private final Map<String, Command> subcommands = new HashMap<>();

    Command(String name, Spread spread, boolean isKnown) {
        this.name = name;
        this.spread = spread;
        this.isKnown = isKnown;
    }

    /** Ends the construction of an entry. */
    void seal() {
        // After an unshared command the connection is closed, which a call without a plan cannot
        // do.
        onlyKey = keys.length == 1 && !isUnshared ? keys[0].onlyPosition() : 0;
    }

    /** Adds a subcommand, whose first word is this command. */
    void add(String subcommand, Command command) {
        subcommands.put(subcommand, command);
    }

    /**
     * The entry of the subcommand; if this is not a container, or there is no second word, this
     * entry; {@code null} if the subcommand is unknown.
     */
    public @Nullable Command resolve(CommandWords words) {
        Command found =
                isContainer && words.count() > 1 ? subcommands.get(lower(words.word(1))) : this;
        return found == null || found.spread == Spread.NONE ? null : found;
    }

    /** A word of a name, in lower case as in the table. */
    static String lower(byte[] word) {
        return word.length > NAME_BYTES_MAX
                ? ""
                : new String(word, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    /** True if a command can have such a name, or such a subcommand. */
    static boolean isName(String word) {
        return !word.isEmpty()
                && word.length() <= NAME_BYTES_MAX
                && word.chars().allMatch(letter -> letter > ' ' && letter < '|');
    }

    /**
     * An entry for a command that the table lacks and whose keys are known from elsewhere. Such a
     * command goes to one node, counts as a write and is not retried.
     */
    public static Command unknown(byte[] name) {
        Command command =
                new Command(new String(name, StandardCharsets.ISO_8859_1), Spread.ONE_NODE, false);
        command.isWrite = true;
        command.isUnshared = true;
        return command;
    }

    /** This command for one call, in which its node has found keys at these positions. */
    public Command withKeys(int[] positions) {
        Command found = new Command(name, spread, isKnown);
        found.isWrite = isWrite;
        found.isRetryable = isRetryable;
        found.isUnshared = isUnshared;
        found.keys = Arrays.stream(positions).mapToObj(KeySpec::at).toArray(KeySpec[]::new);
        found.seal();
        return found;
    }

    /* ---- What it says ---- */

    /** Its name in lower case; the name of a subcommand has a bar: {@code xgroup|create}. */
    public String name() {
        return name;
    }

    /** Its name as people write it: {@code XGROUP CREATE}. */
    public String shown() {
        return name.replace('|', ' ').toUpperCase(Locale.ROOT);
    }

    /** True if the table has the command, or a node has described it. */
    public boolean isKnown() {
        return isKnown;
    }

    public Spread spread() {
        return spread;
    }

    /**
     * Where the command goes if its optional key is missing. {@link Spread#NONE}: a key is
     * required.
     */
    public Spread withoutKeys() {
        return withoutKeys;
    }

    public MergeRule merge() {
        return merge;
    }

    /** How many elements of a reply belong to each key, for {@link MergeRule#IN_ORDER}. */
    public int mergeWidth() {
        return mergeWidth;
    }

    public boolean isWrite() {
        return isWrite;
    }

    /** True if repeating the command does no harm. */
    public boolean isRetryable() {
        return isRetryable;
    }

    /** True if those of its keys that move are brought first, although the command only reads. */
    public boolean brings() {
        return brings;
    }

    /** True if the second word decides which command this is. */
    public boolean isContainer() {
        return isContainer;
    }

    /** True if only SSDB has it. */
    public boolean isSsdb() {
        return isSsdb;
    }

    /** True if only a node can find its keys, by COMMAND GETKEYS. */
    public boolean asksKeys() {
        return asksKeys;
    }

    /**
     * True if the effect of the command on its connection is unknown, so that no other command may
     * follow it.
     */
    public boolean isUnshared() {
        return isUnshared;
    }

    /**
     * What the command changes on its connection, or asks about its connection; {@code null}:
     * nothing.
     */
    public @Nullable String state() {
        return state;
    }

    /** How it blocks; {@code null}: it does not. */
    public @Nullable Blocking blocking() {
        return blocking;
    }

    /** Why it is refused: the end of a message. */
    public @Nullable String reason() {
        return reason;
    }

    /** Why it is refused without a key: the end of a message. */
    public @Nullable String withoutKeysReason() {
        return withoutKeysReason;
    }

    /* ---- Where its keys are ---- */

    /** The position of its key if it always has exactly one key; otherwise 0: ask {@link #keys}. */
    public int onlyKey() {
        return onlyKey;
    }

    /** Every key, channel and pattern, in the order of the command. */
    public KeyPositions keys(CommandWords words) throws Malformed {
        KeyPositions found = new KeyPositions();
        for (KeySpec spec : keys) {
            spec.find(words, found);
        }
        return found;
    }

    /** Where a command goes. Implements spec/route/route.md, section 4. */
    public enum Spread {
        /** Nowhere by itself: a container without its subcommand. */
        NONE,
        /** To the node of its first key, which has all its keys. */
        ONE_NODE,
        /** To the nodes of its keys, to each node with the keys of that node. */
        SPLIT,
        /** To every node, as it is. */
        ALL_NODES,
        /** To any one node. */
        ANY_NODE,
        /** To the node of the caller's transaction. */
        BOUND,
        /** Nowhere; the entry says why. */
        REFUSED
    }

    /** How the replies of several nodes become one. Implements spec/route/route.md, section 6. */
    public enum MergeRule {
        /** One node answers; there is nothing to merge. */
        NONE,
        /** Each element is where its key was in the command. */
        IN_ORDER,
        SUM,
        MIN,
        MAX,
        AND,
        /** The first reply, if no node failed. */
        ALL_OK,
        /** The first reply that is not an error. */
        ONE_OK,
        /** One of the replies, if all are equal. */
        EQUAL,
        /** One after another. */
        CONCAT,
        /** One after another, without duplicates. */
        UNION,
        FIRST_NOT_NIL,
        /** Streams and their entries, in the caller's order of streams. */
        STREAMS,
        /** By the name of the node. */
        PER_NODE,
        /** Field by field, see {@link Info}. */
        INFO,
        /** No single reply: node after node, by a cursor. */
        SCAN,
        /** No single reply: messages. */
        SUBSCRIPTION
    }
}
