package io.onehop.jedis.parity;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A command's entry in spec/route/commands.json. It decides which differences between one node and
 * four are allowed.
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
}
