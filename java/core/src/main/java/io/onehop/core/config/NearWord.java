package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.DirectiveValue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds the word of a list that was probably meant by a word that is not in the list.
 *
 * <p>A distance of two steps finds most typing errors, and does not take the name of one hash for
 * that of another kind. Implements spec/config, section 4.
 */
final class NearWord {
    private static final int STEPS_MAX = 2;

    /* A shorter word is near only if the distance is one step. */
    private static final int LONG_WORD = 5;

    /** Words of other clients and servers, each with our word for it. */
    private static final Map<String, String> OTHERS =
            Map.ofEntries(
                    Map.entry("host", "servers"),
                    Map.entry("hosts", "servers"),
                    Map.entry("port", "servers"),
                    Map.entry("nodes", "servers"),
                    Map.entry("seeds", "servers"),
                    Map.entry("password", "redis_auth"),
                    Map.entry("auth", "redis_auth"),
                    Map.entry("user", "username"),
                    Map.entry("db", "database"),
                    Map.entry("read_timeout", "timeout"),
                    Map.entry("connect_timeout", "timeout"),
                    Map.entry("valkey", "redis"),
                    Map.entry("keydb", "redis"),
                    Map.entry("dragonfly", "redis"),
                    Map.entry("kvrocks", "redis"),
                    Map.entry("yes", "true"),
                    Map.entry("on", "true"),
                    Map.entry("no", "false"),
                    Map.entry("off", "false"));

    private NearWord() {}

    /**
     * The end of a reason: the word of {@code words} that was probably meant by the wrong word, or
     * nothing.
     */
    static String of(String wrong, List<String> words) {
        if (DirectiveValue.bytesCount(wrong) > Limits.SHOWN_BYTES_MAX) {
            return "";
        }
        String word = lower(wrong);
        String other = OTHERS.getOrDefault(word, "");
        String meant = words.contains(other) ? other : near(word, words);
        return meant.isEmpty() ? "" : " (did you mean \"" + meant + "\"?)";
    }

    private static String near(String word, List<String> words) {
        int nearest = word.length() < LONG_WORD ? 1 : STEPS_MAX;
        String meant = "";
        for (String other : words) {
            int distance = distance(word, other);
            if (distance < nearest
                    || distance == nearest && (meant.isEmpty() || other.compareTo(meant) < 0)) {
                nearest = distance;
                meant = other;
            }
        }
        return meant;
    }

    /** A character for each byte of UTF-8, and A-Z as a-z. */
    private static String lower(String word) {
        return new String(word.getBytes(StandardCharsets.UTF_8), StandardCharsets.US_ASCII)
                .toLowerCase(Locale.ROOT);
    }

    /**
     * The least number of steps from one word to the other: a byte is removed, added or replaced,
     * or two neighbours are exchanged (optimal string alignment).
     */
    private static int distance(String from, String to) {
        int[][] steps = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                steps[i][j] = i == 0 || j == 0 ? i + j : step(steps, from, to, i, j);
            }
        }
        return steps[from.length()][to.length()];
    }

    private static int step(int[][] steps, String from, String to, int i, int j) {
        int replaced = steps[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, Math.min(steps[i - 1][j], steps[i][j - 1]) + 1);
        boolean areExchanged =
                i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
        return areExchanged ? Math.min(least, steps[i - 2][j - 2] + 1) : least;
    }
}
