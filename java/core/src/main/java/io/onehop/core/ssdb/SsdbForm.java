package io.onehop.core.ssdb;

import io.onehop.core.command.CommandWords;

import org.jspecify.annotations.Nullable;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * One form of spec/route/ssdb.json: the words that a command for SSDB may have, and what is sent
 * for it.
 *
 * <p>Made from a row of {@link SsdbTable}. Immutable, for any thread.
 */
final class SsdbForm {

    /** What is sent: a name, the words at these positions, and the words that repeat. */
    private record Send(String name, String positions, boolean counts) {}

    private final String fixed;
    private final String tail;
    private final List<Send> sends = new ArrayList<>();
    final String reply;
    private final String empty;
    final boolean isRaw;

    SsdbForm(String row) {
        String[] fields = row.split(",", -1);
        fixed = fields[0];
        tail = fields[1];
        reply = fields[2];
        empty = fields[3];
        isRaw = fields[4].equals("raw");
        for (String send : fields[5].isEmpty() ? new String[0] : fields[5].split(";")) {
            String[] parts = send.split(" ", -1);
            sends.add(new Send(parts[0], parts[1], parts[2].equals("+")));
        }
    }

    /** The type of a word. Word 0 is the name. */
    private char letter(int word) {
        return word <= fixed.length()
                ? fixed.charAt(word - 1)
                : tail.charAt((word - 1 - fixed.length()) % tail.length());
    }

    private static boolean isLiteral(char letter) {
        return letter >= 'A' && letter <= 'Z';
    }

    /** True if a command has the number of words and the fixed words of this form. */
    private boolean hasOutline(CommandWords words) {
        int rest = words.count() - 1 - fixed.length();
        if (tail.isEmpty() ? rest != 0 : rest <= 0 || rest % tail.length() != 0) {
            return false;
        }
        for (int i = 1; i <= fixed.length(); i++) {
            char letter = letter(i);
            if (isLiteral(letter) && !SsdbWord.is(words.word(i), SsdbTable.WORDS[letter - 'A'])) {
                return false;
            }
        }
        return true;
    }

    boolean matches(CommandWords words) {
        return hasOutline(words) && firstUnfit(words, false) == 0;
    }

    /**
     * The reason if only the length of a word keeps a command from this form; otherwise {@code
     * null}.
     */
    @Nullable String lengthReason(CommandWords words) {
        int unfit = hasOutline(words) ? firstUnfit(words, true) : 0;
        return unfit == 0 ? null : SsdbWord.lengthReason(letter(unfit));
    }

    private int firstUnfit(CommandWords words, boolean isLengthOnly) {
        for (int i = 1; i < words.count(); i++) {
            char letter = letter(i);
            boolean matters =
                    !isLiteral(letter) && (!isLengthOnly || SsdbWord.lengthReason(letter) != null);
            if (matters && !SsdbWord.fits(letter, words.word(i))) {
                return i;
            }
        }
        return 0;
    }

    /* ---- What is sent ---- */

    /** The commands to send, each as its words. None if there is nothing to ask. */
    List<byte[][]> sent(CommandWords words) {
        if (isCrossed(words)) {
            return List.of();
        }
        List<byte[][]> commands = new ArrayList<>();
        if (sends.size() > 1) {
            for (int i = 1; i < words.count(); i++) {
                for (Send send : sends) {
                    commands.add(new byte[][] {SsdbWord.bytes(send.name), words.word(i)});
                }
            }
        } else {
            commands.add(sends.isEmpty() ? itself(words) : instead(sends.get(0), words));
        }
        return commands;
    }

    private byte[][] itself(CommandWords words) {
        byte[][] command = new byte[words.count()][];
        command[0] = words.word(0);
        for (int i = 1; i < command.length; i++) {
            command[i] = SsdbWord.sent(letter(i), words.word(i));
        }
        return command;
    }

    private byte[][] instead(Send send, CommandWords words) {
        int repeated = words.count() - 1 - fixed.length();
        byte[][] command = new byte[1 + send.positions.length() + repeated][];
        command[0] = SsdbWord.bytes(send.name);
        for (int i = 0; i < send.positions.length(); i++) {
            command[1 + i] = words.word(send.positions.charAt(i) - '0');
        }
        for (int i = 0; i < repeated; i++) {
            command[1 + send.positions.length() + i] = words.word(1 + fixed.length() + i);
        }
        return command;
    }

    private boolean isCrossed(CommandWords words) {
        BigInteger low = null;
        BigInteger high = null;
        for (int i = 1; i <= fixed.length(); i++) {
            if (SsdbWord.isBound(letter(i))) {
                BigInteger edge = SsdbWord.edge(letter(i), words.word(i));
                low = SsdbWord.isLowBound(letter(i)) ? edge : low;
                high = SsdbWord.isLowBound(letter(i)) ? high : edge;
            }
        }
        return low != null && high != null && low.compareTo(high) > 0;
    }

    /* ---- What was answered ---- */

    /** The reply if nothing was sent. */
    Object empty() {
        return empty.equals("list") ? List.of() : 0L;
    }

    /** True if this reply, among the replies for one key, says whether the key existed. */
    boolean counts(int reply) {
        return sends.get(reply % sends.size()).counts;
    }

    boolean endsKey(int reply) {
        return reply % sends.size() == sends.size() - 1;
    }
}
