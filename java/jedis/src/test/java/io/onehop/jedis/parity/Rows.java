package io.onehop.jedis.parity;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The words with which a method is tried, by its command's entry in the table: keys of its own
 * type, of another type and missing ones; on one node and on several; followed by values or by more
 * keys.
 */
final class Rows {
    private Rows() {}

    static List<String[]> of(Table table, Method method) {
        List<String[]> rows = new ArrayList<>();
        boolean isLongWait =
                table.waits()
                        && Arrays.stream(method.getParameterTypes())
                                .anyMatch(type -> type == int.class || type == long.class);
        for (String type : types(table)) {
            List<String> names = Fixture.names(type);
            if (isLongWait && type.equals("missing")) {
                continue; // A whole second each.
            }
            rows.add(new String[] {names.get(0), "1", "2", "3"});
            rows.add(new String[] {names.get(0), names.get(1), names.get(2)});
            rows.add(new String[] {names.get(3), names.get(4), names.get(3)});
        }
        if (table.group().equals("sorted-set")) {
            rows.add(new String[] {"{t}sorted-set", "[1", "[3", "1"});
            rows.add(new String[] {"{t}sorted-set", "-inf", "+inf", "1"});
        }
        if (table.merge().equals("scan")) {
            rows.add(new String[] {"0", "{t}*"});
        }
        if (table.group().equals("scripting")) {
            rows.add(new String[] {"return {KEYS[1], ARGV[1]}", "{t}string"});
        }
        return rows;
    }

    private static List<String> types(Table table) {
        return switch (table.group()) {
            case "string", "bitmap" -> List.of("string", "list", "missing");
            case "list", "set", "hash", "sorted-set", "stream", "geo", "hyperloglog" ->
                    List.of(table.group(), "string", "missing");
            case "generic" -> List.copyOf(Fixture.TYPES.keySet());
            default -> List.of("string");
        };
    }

    /** Small numbers, except for a time to live. */
    static long number(Table table, Method method) {
        String name = method.getName().toLowerCase(Locale.ROOT);
        return name.contains("expire") || name.contains("setex") || name.contains("getex")
                ? 100_000
                : 1;
    }
}
