package io.onehop.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The keys of a file or of stdin, one a line. A key may have any bytes but the end of a line. If
 * the file has sizes, each line is a key, a tab and a number of bytes.
 *
 * <p>It reads the file piece by piece, so its memory does not grow with the file.
 */
final class KeyFile {
    private static final int PIECE = 1 << 16;
    private static final int LINE_BYTES_MAX = 1 << 20;
    private static final int DIGITS_MAX = 18;

    private final Screen screen;
    private final Path path;
    private final boolean isStdin;
    private final boolean hasSizes;
    private byte[] line = new byte[PIECE];
    private int length; // Bytes of the line so far.
    private long number; // The number of the line.

    KeyFile(Screen screen, Path path, boolean hasSizes) {
        this.screen = screen;
        this.path = path;
        this.isStdin = path.toString().equals("-");
        this.hasSizes = hasSizes;
    }

    void read(Consumer<SeenKey> taker) throws Refusal {
        try (InputStream bytes = isStdin ? screen.in : Files.newInputStream(path);
                Progress progress = new Progress(screen, "keys", isStdin ? 0 : Files.size(path))) {
            byte[] piece = new byte[PIECE];
            for (int got = bytes.read(piece); got >= 0; got = bytes.read(piece)) {
                take(piece, got, taker);
                progress.step(got);
            }
        } catch (IOException unreadable) {
            throw ConfigFile.unreadable(path, unreadable);
        }
        if (length > 0) {
            takeLine(taker);
        }
    }

    private void take(byte[] piece, int got, Consumer<SeenKey> taker) throws Refusal {
        int from = 0;
        for (int at = 0; at < got; at++) {
            if (piece[at] == '\n') {
                append(piece, from, at);
                takeLine(taker);
                from = at + 1;
            }
        }
        append(piece, from, got);
    }

    private void append(byte[] piece, int from, int to) throws Refusal {
        if (length + to - from > LINE_BYTES_MAX) {
            throw fault("it is longer than " + LINE_BYTES_MAX + " bytes");
        }
        if (length + to - from > line.length) {
            line = Arrays.copyOf(line, LINE_BYTES_MAX);
        }
        System.arraycopy(piece, from, line, length, to - from);
        length += to - from;
    }

    private void takeLine(Consumer<SeenKey> taker) throws Refusal {
        number++;
        int end = length;
        length = 0;
        double bytes = 0;
        if (hasSizes) {
            int tab = end - 1;
            while (tab >= 0 && line[tab] != '\t') {
                tab--;
            }
            bytes = size(tab, end);
            end = tab;
        }
        taker.accept(new SeenKey(Arrays.copyOf(line, end), 1, bytes, null));
    }

    private long size(int tab, int end) throws Refusal {
        String digits = new String(line, tab + 1, end - tab - 1, StandardCharsets.ISO_8859_1);
        if (tab < 0 || !digits.matches("[0-9]{1," + DIGITS_MAX + "}")) {
            throw fault("with --bytes a line is a key, a tab and a number");
        }
        return Long.parseLong(digits);
    }

    private Refusal fault(String what) {
        return Refusal.ofUsage(path + ", line " + (number + (length > 0 ? 1 : 0)) + ": " + what);
    }
}
