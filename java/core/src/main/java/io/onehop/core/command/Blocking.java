package io.onehop.core.command;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Where a blocking command has its timeout: at a fixed position (negative: counted from the end),
 * or after an option. The option is searched from one position on, up to a certain word.
 *
 * <p>Implements spec/route/route.md, the field {@code blocking}.
 */
public final class Blocking {
    /** The command blocks until something happens. */
    public static final long FOR_EVER = Long.MAX_VALUE;

    /** The command does not block, because the option is missing. */
    public static final long NOT = 0;

    private final int timeout;
    private final byte @Nullable [] option;
    private final int from;
    private final byte[] until;
    private final int msPerUnit;

    private Blocking(int timeout, @Nullable String option, int from, String until, int msPerUnit) {
        this.timeout = timeout;
        this.option = option == null ? null : option.getBytes(StandardCharsets.US_ASCII);
        this.from = from;
        this.until = until.getBytes(StandardCharsets.US_ASCII);
        this.msPerUnit = msPerUnit;
    }

    static Blocking at(int timeout, int msPerUnit) {
        return new Blocking(timeout, null, 0, "", msPerUnit);
    }

    static Blocking after(String option, int from, String until, int msPerUnit) {
        return new Blocking(0, option, from, until, msPerUnit);
    }

    /**
     * The timeout of such a command in milliseconds, rounded up; {@link #NOT} or {@link #FOR_EVER}.
     * The node answers an invalid timeout immediately, with an error.
     */
    public long waitMs(CommandWords words) {
        int position = position(words);
        if (position < 1) {
            return NOT;
        }
        try {
            double units =
                    Double.parseDouble(new String(words.word(position), StandardCharsets.US_ASCII));
            return units == 0
                    ? FOR_EVER
                    : units > 0 ? (long) Math.min(FOR_EVER, Math.ceil(units * msPerUnit)) : NOT;
        } catch (NumberFormatException noNumber) {
            return NOT;
        }
    }

    /** The position of the timeout among the words; 0 if there is none. */
    public int position(CommandWords words) {
        int position =
                option == null
                        ? timeout < 0 ? words.count() + timeout : timeout
                        : afterOption(words, option);
        return position < words.count() ? Math.max(position, 0) : 0;
    }

    /** The word for this many milliseconds, at least one. */
    public String word(long ms) {
        return msPerUnit == 1
                ? Long.toString(ms)
                : String.format(Locale.ROOT, "%d.%03d", ms / msPerUnit, ms % msPerUnit);
    }

    private int afterOption(CommandWords words, byte[] option) {
        for (int position = from;
                position < words.count() && !KeySpec.isWord(words.word(position), until);
                position++) {
            if (KeySpec.isWord(words.word(position), option)) {
                return position + 1;
            }
        }
        return 0;
    }
}
