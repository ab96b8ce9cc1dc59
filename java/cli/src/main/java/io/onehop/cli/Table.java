package io.onehop.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of texts, written in columns as wide as their widest text. The first column and the last are
 * on the left, all between on the right: numbers.
 */
final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... heads) {
        row(heads);
    }

    Table row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    void print(Screen screen) {
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

    /** Without the codes of colours. */
    private static int length(String cell) {
        return cell.replaceAll("\033\\[\\d+m", "").length();
    }
}
