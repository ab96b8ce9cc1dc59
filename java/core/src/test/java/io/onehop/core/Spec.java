package io.onehop.core;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.topology.PoolTopology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The vectors and cases of the repository's spec folder, for every test to read. */
public final class Spec {
    private static final Path FOLDER = Path.of("../../spec");

    private Spec() {}

    public static byte[] bytes(String path) {
        try {
            return Files.readAllBytes(FOLDER.resolve(path));
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    /** The names of the JSON pages of a folder. */
    public static List<String> files(String folder) {
        try (Stream<Path> files = Files.list(FOLDER.resolve(folder))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .toList();
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    public static JsonObject json(String path) {
        return JsonParser.parseString(new String(bytes(path), StandardCharsets.UTF_8))
                .getAsJsonObject();
    }

    /** The groups of a page of vectors. Checks that the page has as many tests as it says. */
    public static List<JsonObject> groups(String path) {
        JsonObject page = json(path);
        List<JsonObject> groups = objects(page.getAsJsonArray("testGroups"));
        int count = groups.stream().mapToInt(group -> group.getAsJsonArray("tests").size()).sum();
        if (count == 0 || count != page.get("numberOfTests").getAsInt()) {
            throw new AssertionError(
                    path + " has " + count + " tests, but its numberOfTests differs.");
        }
        return groups;
    }

    /** The groups of this type. There must be one. */
    public static List<JsonObject> groups(String path, String type) {
        List<JsonObject> groups =
                groups(path).stream()
                        .filter(group -> group.get("type").getAsString().equals(type))
                        .toList();
        if (groups.isEmpty()) {
            throw new AssertionError(path + " has no " + type + ".");
        }
        return groups;
    }

    /** The tests of all groups of a page. */
    public static List<JsonObject> tests(String path) {
        return tests(groups(path));
    }

    /** The tests of the groups of this type. */
    public static List<JsonObject> tests(String path, String type) {
        return tests(groups(path, type));
    }

    private static List<JsonObject> tests(List<JsonObject> groups) {
        return groups.stream()
                .flatMap(group -> objects(group.getAsJsonArray("tests")).stream())
                .toList();
    }

    public static List<JsonObject> objects(JsonArray array) {
        List<JsonObject> objects = new ArrayList<>();
        for (JsonElement element : array) {
            objects.add(element.getAsJsonObject());
        }
        return objects;
    }

    public static List<String> strings(JsonArray array) {
        List<String> strings = new ArrayList<>();
        for (JsonElement element : array) {
            strings.add(element.getAsString());
        }
        return strings;
    }

    /** The bytes of a member written in hex. */
    public static byte[] hex(JsonObject object, String name) {
        return HexFormat.of().parseHex(object.get(name).getAsString());
    }

    /** The topology of a group of vectors, without its dead servers. */
    public static PoolTopology topology(JsonObject group) {
        Set<String> dead =
                group.has("dead") ? Set.copyOf(strings(group.getAsJsonArray("dead"))) : Set.of();
        return PoolTopology.of(
                config(group.get("config").getAsString()).pool(group.get("pool").getAsString()),
                dead);
    }

    public static Config config(String text) {
        try {
            return Config.parse(text.getBytes(StandardCharsets.UTF_8));
        } catch (ConfigException refused) {
            throw new AssertionError(refused);
        }
    }
}
