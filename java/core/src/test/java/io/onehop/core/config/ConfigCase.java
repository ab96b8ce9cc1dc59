package io.onehop.core.config;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import io.onehop.core.Spec;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A case of chapter config: its head, and the bytes of its text. The files of cases say how they
 * write them.
 */
record ConfigCase(JsonObject head, byte[] text) {
    private static final String BEGINNING = "\n=== ";

    static final Map<String, ConfigCase> GOOD = all("config/cases/good.txt");
    static final Map<String, ConfigCase> BAD = all("config/cases/bad.txt");

    /** The cases of a file, by name. */
    private static Map<String, ConfigCase> all(String path) {
        String file = new String(Spec.bytes(path), UTF_8);
        Map<String, ConfigCase> cases = new LinkedHashMap<>();
        int next = file.indexOf(BEGINNING);
        while (next >= 0) {
            int name = next + BEGINNING.length();
            int head = file.indexOf('\n', name);
            int text = file.indexOf("\n\n", head) + 2;
            next = file.indexOf(BEGINNING, name);
            ConfigCase read =
                    of(
                            JsonParser.parseString(file.substring(head, text)).getAsJsonObject(),
                            file.substring(text, next < 0 ? file.length() : next + 1));
            if (cases.put(file.substring(name, head), read) != null) {
                throw new AssertionError(path + " has two cases of one name.");
            }
        }
        return cases;
    }

    private static ConfigCase of(JsonObject head, String text) {
        return new ConfigCase(
                head, head.has("built") ? built(head).getBytes(UTF_8) : withBytes(head, text));
    }

    /** The parts of a text, each repeated. */
    private static String built(JsonObject head) {
        StringBuilder text = new StringBuilder();
        for (JsonElement part : head.getAsJsonArray("built")) {
            String piece = part.getAsJsonArray().get(0).getAsString();
            int times = part.getAsJsonArray().get(1).getAsInt();
            for (int n = 0; n < times; n++) {
                text.append(piece.replace("{n}", String.valueOf(n)));
            }
        }
        return text.toString();
    }

    /** The text, and bytes where it has what stands for them. A character is one byte meanwhile. */
    private static byte[] withBytes(JsonObject head, String text) {
        String bytes = new String(text.getBytes(UTF_8), ISO_8859_1);
        if (head.has("bytes")) {
            for (var standIn : head.getAsJsonObject("bytes").entrySet()) {
                byte[] hex = HexFormat.of().parseHex(standIn.getValue().getAsString());
                bytes = bytes.replace(standIn.getKey(), new String(hex, ISO_8859_1));
            }
        }
        return bytes.getBytes(ISO_8859_1);
    }

    /** The value of an environment variable, or null. */
    String variable(String name) {
        JsonObject variables = head.getAsJsonObject("environment");
        return variables != null && variables.has(name) ? variables.get(name).getAsString() : null;
    }
}
