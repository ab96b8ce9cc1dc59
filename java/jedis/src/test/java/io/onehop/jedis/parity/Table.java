package io.onehop.jedis.parity;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A command's entry in spec/route/commands.json. The entry decides with which words a method is
 * tried, and which differences between one node and four nodes are allowed.
 */
record Table(JsonObject entry) {
    private static final JsonObject COMMANDS = read();

    private static JsonObject read() {
        try {
            return JsonParser.parseString(
                            Files.readString(Path.of("../../spec/route/commands.json")))
                    .getAsJsonObject()
                    .getAsJsonObject("commands");
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    /** The entry of a command. A command without one has an empty entry. */
    static Table of(List<String> words) {
        if (words.isEmpty()) {
            return new Table(null);
        }
        String name = words.get(0).toLowerCase(Locale.ROOT);
        JsonObject entry = COMMANDS.getAsJsonObject(name);
        if (entry != null && entry.has("container") && words.size() > 1) {
            entry = COMMANDS.getAsJsonObject(name + "|" + words.get(1).toLowerCase(Locale.ROOT));
        }
        return new Table(entry);
    }

    private String text(String field, String otherwise) {
        return entry != null && entry.has(field) ? entry.get(field).getAsString() : otherwise;
    }

    boolean isKnown() {
        return entry != null;
    }

    String spread() {
        return text("spread", "one_node");
    }

    String merge() {
        return text("merge", "none");
    }

    String group() {
        return text("group", "unknown");
    }

    boolean waits() {
        return entry != null && entry.has("blocking");
    }

    boolean isRead() {
        return text("access", "write").equals("read");
    }

    boolean mayBeRefused() {
        return !isKnown()
                || spread().equals("refused")
                || spread().equals("bound")
                || merge().equals("per_node")
                || text("without_keys", "none").equals("refused")
                || entry.has("state");
    }

    /**
     * The words with which a method is tried. Each row begins with keys: of the type that the
     * method needs, of another type, or missing ones, on one node or on several. Values or more
     * keys follow.
     */
    List<String[]> rows(Method method) {
        List<String[]> rows = new ArrayList<>();
        boolean isLongWait =
                waits()
                        && Arrays.stream(method.getParameterTypes())
                                .anyMatch(type -> type == int.class || type == long.class);
        for (String type : types()) {
            List<String> names = Fixture.names(type);
            if (isLongWait && type.equals("missing")) {
                continue; // Each such call would block for a second.
            }
            rows.add(new String[] {names.get(0), "1", "2", "3"});
            rows.add(new String[] {names.get(0), names.get(1), names.get(2)});
            rows.add(new String[] {names.get(3), names.get(4), names.get(3)});
        }
        if (group().equals("sorted-set")) {
            rows.add(new String[] {"{t}sorted-set", "[1", "[3", "1"});
            rows.add(new String[] {"{t}sorted-set", "-inf", "+inf", "1"});
        }
        if (merge().equals("scan")) {
            rows.add(new String[] {"0", "{t}*"});
        }
        if (group().equals("scripting")) {
            rows.add(new String[] {"return {KEYS[1], ARGV[1]}", "{t}string"});
        }
        return rows;
    }

    private List<String> types() {
        return switch (group()) {
            case "string", "bitmap" -> List.of("string", "list", "missing");
            case "list", "set", "hash", "sorted-set", "stream", "geo", "hyperloglog" ->
                    List.of(group(), "string", "missing");
            case "generic" -> List.copyOf(Fixture.TYPES.keySet());
            default -> List.of("string");
        };
    }

    /** A small number, or a large one if the method takes a time to live. */
    long number(Method method) {
        String name = method.getName().toLowerCase(Locale.ROOT);
        return name.contains("expire") || name.contains("setex") || name.contains("getex")
                ? 100_000
                : 1;
    }
}
