package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonObject;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a command line has answered.
 *
 * @param status its exit status
 */
record Ran(int status, String out, String err) {

    static Ran of(Object... words) {
        return withInput("", words);
    }

    static Ran withInput(String input, Object... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Screen screen =
                new Screen(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        out,
                        err,
                        /* isTerminal= */ false,
                        /* isProgressShown= */ false,
                        /* hasColour= */ false);
        String[] arguments = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            arguments[i] = words[i].toString();
        }
        int status = OneHopCommands.run(screen, arguments);
        return new Ran(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Asserts that the command has answered with this status, and without a word on stderr. */
    Ran with(int expected) {
        assertEquals(expected, status, () -> out + err);
        assertEquals("", err);
        return this;
    }

    /** Asserts that the command has refused, in one line on stderr that has this text. */
    void refused(int expected, String text) {
        assertEquals(expected, status, () -> out + err);
        assertEquals("", out);
        assertEquals(1, err.lines().count(), err);
        assertTrue(err.contains(text), err);
        assertTrue(err.startsWith("onehop"), err);
    }

    Ran says(String text) {
        assertTrue(out.contains(text), out);
        return this;
    }

    JsonObject json() {
        return new Gson().fromJson(out, JsonObject.class);
    }

    /** Writes a file with this text. */
    static Path file(Path folder, String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, text);
        return file;
    }
}
