package io.onehop.core.command;

import io.onehop.core.base.Message;
import io.onehop.core.command.CommandWords.Malformed;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One key specification: where keys begin, and how they go on.
 *
 * <p>Immutable. Implements spec/route/route.md, "Finding the keys"; spec/tools/reference/table.py
 * is the reference.
 */
final class KeySpec {

    /**
     * Where keys begin: at an index, after the first keyword, or after every occurrence of an
     * option.
     */
    record Begin(
            int index,
            byte @Nullable [] keyword,
            byte @Nullable [] option,
            int from,
            Map<String, Integer> skip) {
        static Begin at(int index) {
            return new Begin(index, null, null, 0, Map.of());
        }

        static Begin after(String keyword, int from) {
            return new Begin(0, ascii(keyword), null, from, Map.of());
        }

        /**
         * {@code skip} has words, each with the number of its arguments. The arguments are skipped,
         * because they could look like options.
         */
        static Begin afterEach(String option, int from, Map<String, Integer> skip) {
            return new Begin(0, null, ascii(option), from, skip);
        }
    }

    /**
     * How keys go on: to a last position (negative: counted from the end), or, if {@code keynum >=
     * 0}, as many as a number in the command says.
     */
    record Reach(int last, int step, int limit, int keynum, int first) {
        static Reach to(int last, int step, int limit) {
            return new Reach(last, step, limit, -1, 0);
        }

        static Reach counted(int keynum, int first, int step) {
            return new Reach(0, step, 1, keynum, first);
        }
    }

    final KeyPositions.Kind kind;
    final Begin begin;
    final Reach reach;
    final boolean isUnlessEmpty;

    KeySpec(KeyPositions.Kind kind, Begin begin, Reach reach, boolean isUnlessEmpty) {
        this.kind = kind;
        this.begin = begin;
        this.reach = reach;
        this.isUnlessEmpty = isUnlessEmpty;
    }

    /** The specification of one key at this position. */
    static KeySpec at(int position) {
        return new KeySpec(KeyPositions.Kind.KEY, Begin.at(position), Reach.to(0, 1, 1), false);
    }

    /** The position if this is always one key or channel at a fixed position; otherwise 0. */
    int onlyPosition() {
        boolean isPlain =
                begin.index > 0
                        && reach.keynum < 0
                        && reach.last == 0
                        && kind != KeyPositions.Kind.PATTERN
                        && !isUnlessEmpty;
        return isPlain ? begin.index : 0;
    }

    /** Adds the keys that this specification finds. */
    void find(CommandWords words, KeyPositions into) throws Malformed {
        if (begin.option == null) {
            int first = first(words);
            if (first > 0) {
                range(words, first, into);
            }
            return;
        }
        int position = begin.from;
        while (position < words.count()) {
            byte[] word = words.word(position);
            if (isWord(word, begin.option)) {
                range(words, position + 1, into);
                position = last(words, position + 1);
            } else {
                position += begin.skip.getOrDefault(upper(word), 0);
            }
            position++;
        }
    }

    /** Where the keys begin, for a specification that begins once; 0 if there are no keys. */
    int first(CommandWords words) {
        if (begin.keyword == null) {
            return begin.index;
        }
        // As in the server, the last word of the command is not checked.
        for (int position = begin.from; position < words.count() - 1; position++) {
            if (isWord(words.word(position), begin.keyword)) {
                return position + 1;
            }
        }
        return 0;
    }

    private void range(CommandWords words, int from, KeyPositions into) throws Malformed {
        long span = span(words, from);
        boolean isEach = kind != KeyPositions.Kind.PATTERN && !isUnlessEmpty;
        if (isEach && into.addRange((int) (span >> 32), (int) span, reach.step, kind)) {
            return;
        }
        for (int position = (int) (span >> 32); position <= (int) span; position += reach.step) {
            if (isKey(words.word(position))) {
                into.add(position, kind);
            }
        }
    }

    /**
     * First and last position of the keys that begin here, as the two halves of one number. If the
     * last position is before the first, there are no keys.
     */
    long span(CommandWords words, int from) throws Malformed {
        if (reach.keynum < 0 && from == words.count() && reach.last == -1) {
            return none(from);
        }
        int first = from;
        long last = last(words, from);
        if (reach.keynum >= 0) {
            int keys = number(words, from + reach.keynum);
            first = from + reach.first;
            last = first + (keys - 1L) * reach.step;
            if (keys == 0) {
                return none(first);
            }
        }
        if (last < first || last >= words.count()) {
            throw new Malformed(Message.KEYS_BEYOND);
        }
        return (long) first << 32 | last;
    }

    private static long none(int first) {
        return (long) first << 32 | first - 1;
    }

    private int last(CommandWords words, int first) {
        return reach.last >= 0
                ? first + reach.last
                : first + (words.count() - first) / reach.limit + reach.last;
    }

    private static int number(CommandWords words, int position) throws Malformed {
        byte[] word = position < words.count() ? words.word(position) : new byte[0];
        long number = 0;
        for (byte digit : word) {
            boolean isDigit = digit >= '0' && digit <= '9';
            number =
                    isDigit
                            ? Math.min(number * 10 + digit - '0', Integer.MAX_VALUE)
                            : Long.MIN_VALUE / 16;
        }
        if (word.length == 0 || number < 0) {
            throw new Malformed(Message.KEYS_NUMBER);
        }
        return (int) number;
    }

    private boolean isKey(byte[] word) {
        if (kind == KeyPositions.Kind.PATTERN) {
            return new String(word, StandardCharsets.ISO_8859_1).indexOf('*') >= 0;
        }
        return !isUnlessEmpty || word.length > 0;
    }

    /** True if a word is the word {@code upper}, ignoring case. */
    static boolean isWord(byte[] word, byte[] upper) {
        if (word.length != upper.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            if (upper(word[i]) != upper[i]) {
                return false;
            }
        }
        return true;
    }

    private static int upper(byte letter) {
        return letter >= 'a' && letter <= 'z' ? letter - ('a' - 'A') : letter;
    }

    private static String upper(byte[] word) {
        byte[] letters = word.clone();
        for (int i = 0; i < letters.length; i++) {
            letters[i] = (byte) upper(letters[i]);
        }
        return new String(letters, StandardCharsets.ISO_8859_1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
