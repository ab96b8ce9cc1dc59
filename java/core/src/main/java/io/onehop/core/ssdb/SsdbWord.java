package io.onehop.core.ssdb;

import io.onehop.core.base.Limits;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Checks and translates one word of a command for SSDB, by the letter of its type in {@link
 * SsdbTable}.
 *
 * <p>SSDB keeps scores as 64-bit integers and truncates numbers that do not fit, but clients write
 * doubles. So numbers are read exactly, to the last digit. Pure. Implements spec/route/route.md,
 * "SSDB".
 */
final class SsdbWord {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]*)");
    private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    /** A bound that excludes every number. */
    static final String NOTHING = "nothing";

    private SsdbWord() {}

    private static String text(byte[] word) {
        return new String(word, StandardCharsets.ISO_8859_1);
    }

    static boolean is(byte[] word, String capitals) {
        return word.length == capitals.length()
                && text(word).toUpperCase(Locale.ROOT).equals(capitals);
    }

    static boolean fits(char letter, byte[] word) {
        return switch (letter) {
            case 'k', 'n', 'f', 'm' ->
                    word.length >= 1 && word.length <= Limits.SSDB_WORD_BYTES_MAX;
            case 'v' -> true;
            case 'a' -> !is(word, "MATCH") && !is(word, "COUNT") && !is(word, "TYPE");
            case 'i' -> isWhole(word, Long.MIN_VALUE, Long.MAX_VALUE);
            case 'b' -> isWhole(word, 0, Long.MAX_VALUE);
            case 'c', 't' -> isWhole(word, 1, Integer.MAX_VALUE);
            case 'o' -> isWhole(word, 0, Limits.SSDB_OFFSET_MAX);
            case 'l' -> isWhole(word, -1, Integer.MAX_VALUE);
            case 'd' -> text(word).equals("0") || text(word).equals("1");
            case 's' -> isScore(word);
            default -> isBound(letter) && fitsBound(text(word));
        };
    }

    /** The reason if a word has the wrong length; {@code null} if its length does not matter. */
    static @Nullable String lengthReason(char letter) {
        return switch (letter) {
            case 'k' -> "SSDB takes a key of 1 to 255 bytes.";
            case 'n' -> "SSDB takes a name of 1 to 255 bytes.";
            case 'f' -> "SSDB takes a field of 1 to 255 bytes.";
            case 'm' -> "SSDB takes a member of 1 to 255 bytes.";
            default -> null;
        };
    }

    private static boolean isWhole(byte[] word, long least, long most) {
        if (word.length > 20
                || !WHOLE.matcher(text(word)).matches()
                || least == 0 && word[0] == '-') {
            return false;
        }
        BigInteger number = new BigInteger(text(word));
        return number.compareTo(BigInteger.valueOf(least)) >= 0
                && number.compareTo(BigInteger.valueOf(most)) <= 0;
    }

    private static boolean isScore(byte[] word) {
        if (!NUMBER.matcher(text(word)).matches()) {
            return false;
        }
        BigDecimal number = number(text(word));
        BigInteger whole = number.setScale(0, RoundingMode.DOWN).toBigInteger();
        return number.compareTo(new BigDecimal(whole)) == 0
                && whole.compareTo(LEAST) >= 0
                && whole.compareTo(MOST) <= 0;
    }

    /**
     * The number in a text. If it is far beyond 64 bits, or almost zero, it is cut to a size that
     * still shows this.
     */
    private static BigDecimal number(String text) {
        int mark = Math.max(text.indexOf('e'), text.indexOf('E'));
        BigDecimal digits = new BigDecimal(mark < 0 ? text : text.substring(0, mark));
        if (mark < 0 || digits.signum() == 0) {
            return digits;
        }
        BigInteger exponent =
                new BigInteger(text.substring(text.charAt(mark + 1) == '+' ? mark + 2 : mark + 1));
        int limit = Limits.SSDB_EXPONENT_MAX + digits.precision() + Math.abs(digits.scale());
        return digits.scaleByPowerOfTen(
                exponent.max(BigInteger.valueOf(-limit)).min(BigInteger.valueOf(limit)).intValue());
    }

    /* ---- Bounds of a range of scores ---- */

    static boolean isBound(char letter) {
        return isLow(letter) || letter == '>' || letter == ')';
    }

    private static boolean isLow(char letter) {
        return letter == '<' || letter == '(';
    }

    private static boolean isInfinite(String text) {
        return text.equals("-inf") || text.equals("+inf");
    }

    private static boolean fitsBound(String text) {
        return isInfinite(text)
                || NUMBER.matcher(text.startsWith("(") ? text.substring(1) : text).matches();
    }

    /** The value of a bound: a whole number; {@code null} for no bound; or {@link #NOTHING}. */
    private static @Nullable Object bound(char letter, String text) {
        boolean isLow = isLow(letter);
        if (isInfinite(text)) {
            return text.startsWith("-") == isLow ? null : NOTHING;
        }
        boolean isExclusive = text.startsWith("(");
        BigDecimal exact = number(isExclusive ? text.substring(1) : text);
        BigInteger rounded =
                exact.setScale(0, isLow ? RoundingMode.CEILING : RoundingMode.FLOOR).toBigInteger();
        if (isExclusive && exact.compareTo(new BigDecimal(rounded)) == 0) {
            rounded = rounded.add(isLow ? BigInteger.ONE : BigInteger.ONE.negate());
        }
        if (rounded.compareTo(LEAST) >= 0 && rounded.compareTo(MOST) <= 0) {
            return rounded;
        }
        return rounded.signum() < 0 == isLow ? null : NOTHING;
    }

    /**
     * A bound as a number that can be compared with the other bound. If the word sets no bound, the
     * number is beyond all others.
     */
    static BigInteger edge(char letter, byte[] word) {
        Object bound = bound(letter, text(word));
        if (bound == NOTHING) {
            return isLow(letter) ? MOST.add(BigInteger.ONE) : LEAST.subtract(BigInteger.ONE);
        }
        return bound != null ? (BigInteger) bound : isLow(letter) ? LEAST : MOST;
    }

    static boolean isLowBound(char letter) {
        return isLow(letter);
    }

    /** What is sent for a word that fits. */
    static byte[] sent(char letter, byte[] word) {
        if (letter == 's') {
            return bytes(number(text(word)).toBigInteger().toString());
        }
        if (letter == 'l' && word[0] == '-') {
            return bytes("2000000000");
        }
        if (!isBound(letter)) {
            return word;
        }
        Object bound = bound(letter, text(word));
        String open = letter == '(' ? "-inf" : letter == ')' ? "+inf" : "";
        return bytes(bound == null ? open : bound.toString());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
