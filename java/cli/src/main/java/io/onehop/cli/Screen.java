package io.onehop.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;

import org.jspecify.annotations.Nullable;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Where a command reads and writes: answers to stdout, all else to stderr.
 *
 * <p>It uses colour only on a terminal, and not if NO_COLOR is set. It draws bars of block
 * characters only where these can be shown. Text of servers and files goes through {@link #plain},
 * so that it cannot control the terminal.
 */
final class Screen {
    enum Colour {
        RED(31),
        GREEN(32),
        YELLOW(33),
        GREY(90);

        private final int code;

        Colour(int code) {
            this.code = code;
        }
    }

    private static final Gson LINES =
            new GsonBuilder().disableHtmlEscaping().serializeNulls().create();
    private static final Gson GSON = LINES.newBuilder().setPrettyPrinting().create();
    private static final String TERMINALS = "/dev/(pts/.*|tty.*|console)";

    final PrintStream out;
    final PrintStream err;
    final InputStream in;
    final boolean isTerminal; // True if stdout is a terminal.
    final boolean isProgressShown;
    private final boolean hasColour;
    private final String block;

    Screen(
            InputStream in,
            OutputStream out,
            OutputStream err,
            boolean isTerminal,
            boolean isProgressShown,
            boolean hasColour) {
        boolean isUnicode = "UTF-8".equalsIgnoreCase(System.getProperty("native.encoding"));
        this.in = in;
        this.out = new PrintStream(out, false, StandardCharsets.UTF_8);
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
        this.isTerminal = isTerminal;
        this.isProgressShown = isProgressShown;
        this.hasColour = hasColour;
        this.block = isUnicode ? "█" : "#";
    }

    /** The screen of this process. */
    static Screen ofProcess() {
        boolean isTerminal = isTerminal(1);
        String refusesColour = System.getenv("NO_COLOR");
        return new Screen(
                System.in,
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                isTerminal,
                isTerminal(2),
                isTerminal && (refusesColour == null || refusesColour.isEmpty()));
    }

    private static boolean isTerminal(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString()
                    .matches(TERMINALS);
        } catch (IOException closed) {
            return false;
        }
    }

    void line(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
    }

    void json(Object value) {
        out.println(GSON.toJson(value));
    }

    /** Prints a value as JSON in one line. */
    void jsonLine(Object value) {
        out.println(LINES.toJson(value));
    }

    String coloured(Colour colour, String text) {
        return hasColour ? "\033[" + colour.code + "m" + text + "\033[0m" : text;
    }

    /** A bar whose length is this part of the longest bar. */
    String bar(double part, int longest) {
        return block.repeat((int) Math.round(Math.max(0, Math.min(1, part)) * longest));
    }

    /** Text of a server or a file, changed so that no byte of it controls the terminal. */
    static String plain(@Nullable String text) {
        StringBuilder plain = new StringBuilder();
        String.valueOf(text)
                .codePoints()
                .forEach(
                        point -> {
                            if (Character.isISOControl(point) || !Character.isDefined(point)) {
                                plain.append(String.format("\\x%02x", point));
                            } else {
                                plain.appendCodePoint(point);
                            }
                        });
        return plain.toString();
    }

    /** A key: as text if it is UTF-8, otherwise with \xNN for each byte that is not ASCII. */
    static String shown(byte[] key) {
        try {
            return plain(
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString());
        } catch (CharacterCodingException binary) {
            StringBuilder shown = new StringBuilder();
            for (byte one : key) {
                boolean isAscii = one >= ' ' && one <= '~';
                shown.append(isAscii ? String.valueOf((char) one) : String.format("\\x%02x", one));
            }
            return shown.toString();
        }
    }

    static String count(double number) {
        return String.format(Locale.ROOT, "%,d", Math.round(number));
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    /** Such as 12 s, 3 min 20 s or 2 h 5 min. */
    static String duration(double seconds) {
        long whole = Math.round(seconds);
        if (whole < 60) {
            return whole + " s";
        }
        return whole < 3600
                ? whole / 60 + " min " + whole % 60 + " s"
                : whole / 3600 + " h " + whole / 60 % 60 + " min";
    }

    static String bytes(double bytes) {
        double left = bytes;
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        for (; left >= 1024 && unit + 1 < units.length; unit++) {
            left /= 1024;
        }
        return String.format(
                Locale.ROOT, unit > 0 && left < 10 ? "%.1f %s" : "%.0f %s", left, units[unit]);
    }
}
