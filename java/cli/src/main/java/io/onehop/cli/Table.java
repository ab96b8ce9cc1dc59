package io.onehop.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of texts, written in columns as wide as their widest text. The first and the last column are
 * aligned to the left. All columns between them are numbers, aligned to the right. The last column
 * may be bars, for which there is the rest of a line of 80 characters.
 */
final class Table {
    private static final int COLUMNS = 80;
    private static final int BAR_MAX = 30;
    private static final int BAR_MIN = 5; // A shorter bar would show nothing.

    private final List<List<String>> rows = new ArrayList<>();
    private final List<Double> bars = new ArrayList<>(); // One for each row after the heads.

    Table(String... heads) {
        row(heads);
    }

    Table row(String... cells) {
        rows.add(new ArrayList<>(List.of(cells)));
        return this;
    }

    /**
     * Adds a row with a bar in the last column. The length of the bar is this part of the longest
     * bar.
     */
    void bar(double part, String... cells) {
        row(cells);
        bars.add(part);
    }

    private void draw(Screen screen) {
        int last = rows.get(0).size() - 1;
        int room = COLUMNS;
        for (int column = 0; column < last; column++) {
            room -= width(column) + 2;
        }
        for (int i = 0; i < bars.size() && room >= BAR_MIN; i++) {
            String bar = screen.bar(bars.get(i), Math.min(BAR_MAX, room));
            rows.get(i + 1).set(last, bar);
        }
    }

    void print(Screen screen) {
        draw(screen);
        int last = rows.get(0).size() - 1;
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column <= last; column++) {
                String cell = row.get(column);
                String space = " ".repeat(width(column) - length(cell));
                boolean isLeft = column == 0 || column == last;
                line.append(isLeft ? cell + (column == last ? "" : space) : space + cell);
                line.append(column == last ? "" : "  ");
            }
            screen.line("%s", line.toString().stripTrailing());
        }
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
    }

    /** The length without the codes of colours. */
    private static int length(String cell) {
        return cell.replaceAll("\033\\[\\d+m", "").length();
    }
}
