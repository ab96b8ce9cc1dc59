package io.onehop.core.command;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A command that the table does not hold, as a node has described it: its own entry; or the entry
 * of the table for the same command under another name; or the fact that the node does not have the
 * command.
 *
 * <p>In: answers to COMMAND INFO and COMMAND GETKEYS, decoded: lists, byte arrays, numbers and
 * {@code null}. These answers are not trusted. Immutable, for any thread. Implements
 * spec/route/route.md, "Commands that only the nodes know"; spec/tools/reference/learnt.py is the
 * reference.
 */
public final class Learnt {
    private static final Learnt UNKNOWN = new Learnt(null, null, false);
    private static final String DENIAL = "ERR unknown command ";

    private final @Nullable Command entry;
    private final @Nullable String knownAs;
    private final boolean isContainer;

    private Learnt(@Nullable Command entry, @Nullable String knownAs, boolean isContainer) {
        this.entry = entry;
        this.knownAs = knownAs;
        this.isContainer = isContainer;
    }

    /** What is known of a command that no node can have. */
    public static Learnt unknown() {
        return UNKNOWN;
    }

    /**
     * Reads the answer about a command. {@code name} and {@code subcommand} are its first words in
     * lower case; the second is {@code null} if the command is the first word alone. {@code null}:
     * the answer is not the description of one command.
     */
    public static @Nullable Learnt read(
            String name, @Nullable String subcommand, @Nullable Object answer) {
        if (!(answer instanceof List<?> list) || list.size() != 1) {
            return null;
        }
        if (list.get(0) == null) {
            return UNKNOWN;
        }
        Description told = Description.of(list.get(0));
        if (told == null) {
            return null;
        }
        Command known = CommandIndex.named(told.name());
        if (!told.name().equals(name) && known != null && !known.isSsdb()) {
            return new Learnt(null, told.name(), false);
        }
        if (subcommand != null) {
            return child(told, name, subcommand);
        }
        return told.children().isEmpty()
                ? new Learnt(told.entry(name), null, false)
                : new Learnt(Description.container(name), null, true);
    }

    private static @Nullable Learnt child(Description told, String name, String subcommand) {
        for (Object each : told.children()) {
            Description child = Description.of(each);
            if (child == null) {
                return null;
            }
            if (child.name().equals(told.name() + "|" + subcommand)) {
                return new Learnt(child.entry(name + "|" + subcommand), null, false);
            }
        }
        return UNKNOWN;
    }

    /** True if the node does not have it. */
    public boolean isUnknown() {
        return this == UNKNOWN;
    }

    /** True if its second word decides which command it is. */
    public boolean isContainer() {
        return isContainer;
    }

    /** The entry of a command with these words; {@code null} if the node does not have it. */
    public @Nullable Command entry(CommandWords words) {
        if (knownAs == null) {
            return entry;
        }
        return Objects.requireNonNull(CommandIndex.named(knownAs)).resolve(words);
    }

    /* ---- Names ---- */

    /** A word of a name in lower case; {@code null} if no command has such a name. */
    public static @Nullable String name(byte[] word) {
        return word.length > Command.NAME_BYTES_MAX
                ? null
                : name(new String(word, StandardCharsets.ISO_8859_1));
    }

    private static @Nullable String name(String word) {
        String name = word.toLowerCase(Locale.ROOT);
        return Command.isName(name) ? name : null;
    }

    /**
     * True for commands of search indexes. Such an index has only the keys of its node, whatever
     * the node says.
     */
    public static boolean isRefused(String name) {
        return name.startsWith("ft.") && !name.startsWith("ft.sug");
    }

    /* ---- Keys that the node finds ---- */

    /**
     * The positions of the keys that the answer to COMMAND GETKEYS names; {@code null} if the
     * answer is not a list of words of the command.
     */
    public static int @Nullable [] positions(CommandWords words, @Nullable Object answer) {
        if (!(answer instanceof List<?> keys) || keys.size() > words.count()) {
            return null;
        }
        int[] positions = new int[keys.size()];
        int at = 0;
        for (int i = 0; i < positions.length; i++) {
            at = keys.get(i) instanceof byte[] key ? position(words, at, key) : 0;
            if (at == 0) {
                return null;
            }
            positions[i] = at;
        }
        return positions;
    }

    /**
     * The first position of a key behind the key before it; if there is none, its first position in
     * the command; otherwise 0.
     */
    private static int position(CommandWords words, int before, byte[] key) {
        for (int position = before + 1; position < words.count(); position++) {
            if (Arrays.equals(words.word(position), key)) {
                return position;
            }
        }
        for (int position = 1; position <= before; position++) {
            if (Arrays.equals(words.word(position), key)) {
                return position;
            }
        }
        return 0;
    }

    /* ---- Denials ---- */

    /**
     * The command that the node does not have, according to its error; {@code null} if the error
     * says no such thing.
     */
    public static @Nullable String denied(String error) {
        int from = DENIAL.length() + 1;
        if (!error.startsWith(DENIAL) || error.length() <= from) {
            return null;
        }
        // Servers put the name between two ', before redis 7 between two `. If they have cut the
        // name, the second one is missing.
        int end = error.indexOf(error.charAt(from - 1), from);
        return end < 0 ? null : name(error.substring(from, end));
    }
}
