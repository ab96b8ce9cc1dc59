package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A table with bars fits a terminal of 80 columns. */
class TableTest {
    private static List<String> shown(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Screen screen =
                new Screen(
                        new ByteArrayInputStream(new byte[0]),
                        out,
                        OutputStream.nullOutputStream(),
                        /* isTerminal= */ false,
                        /* isProgressShown= */ false,
                        /* hasColour= */ false);
        Table table = new Table("node", "keys", "");
        table.bar(1, name, "7", "");
        table.bar(0.5, "b", "12", "");
        table.print(screen);
        screen.out.flush();
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void aBarTakesWhatIsLeftOfTheLine() {
        List<String> lines = shown("a");
        assertEquals("node  keys", lines.get(0));
        assertEquals("a        7  ".length() + 30, lines.get(1).length());
        assertEquals("b       12  ".length() + 15, lines.get(2).length());
        assertEquals(80, shown("n".repeat(60)).get(1).length());
        assertEquals("n".repeat(70) + "     7", shown("n".repeat(70)).get(1));
    }
}
