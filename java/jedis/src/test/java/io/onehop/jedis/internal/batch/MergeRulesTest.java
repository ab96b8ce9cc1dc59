package io.onehop.jedis.internal.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import io.onehop.core.command.Command;
import io.onehop.core.command.Command.MergeRule;
import io.onehop.core.command.Split;
import io.onehop.jedis.internal.command.Commands;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * By the merge rule of a real command, the replies of several nodes become the reply that the
 * vectors expect.
 */
class MergeRulesTest {

    /* A command for each merge rule, so that the command's entry in the table is tested, too. */
    private static final Map<String, List<String>> COMMANDS =
            Map.ofEntries(
                    Map.entry("sum", List.of("DBSIZE")),
                    Map.entry("min", List.of("LASTSAVE")),
                    Map.entry("max", List.of("PUBSUB", "NUMPAT")),
                    Map.entry("and", List.of("SCRIPT", "EXISTS")),
                    Map.entry("all_ok", List.of("FLUSHALL")),
                    Map.entry("one_ok", List.of("FUNCTION", "KILL")),
                    Map.entry("equal", List.of("CONFIG", "GET")),
                    Map.entry("concat", List.of("KEYS")),
                    Map.entry("union", List.of("PUBSUB", "CHANNELS")),
                    Map.entry("first_not_nil", List.of("RANDOMKEY")),
                    Map.entry("streams", List.of("XREAD")),
                    Map.entry("per_node", List.of("ROLE")),
                    Map.entry("info", List.of("INFO")));

    private static Object resp(JsonElement value) {
        if (value.isJsonNull()) {
            return null;
        }
        if (value.isJsonArray()) {
            return value.getAsJsonArray().asList().stream()
                    .map(MergeRulesTest::resp)
                    .collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
        }
        if (value.isJsonObject()) {
            return new JedisDataException(value.getAsJsonObject().get("error").getAsString());
        }
        return value.getAsJsonPrimitive().isNumber()
                ? (Object) value.getAsLong()
                : value.getAsString().getBytes(StandardCharsets.UTF_8);
    }

    private static Command command(JsonObject test) {
        String rule = test.get("merge").getAsString();
        List<String> words =
                rule.equals("in_order")
                        ? test.has("width") ? List.of("PUBSUB", "NUMSUB") : List.of("MGET")
                        : COMMANDS.get(rule);
        redis.clients.jedis.CommandArguments arguments =
                new redis.clients.jedis.CommandArguments(() -> words.get(0).getBytes());
        words.stream().skip(1).forEach(arguments::add);
        Command command = Commands.find(arguments, "alpha", false);
        assertEquals(rule, command.merge().name().toLowerCase());
        return command;
    }

    @TestFactory
    Stream<DynamicTest> everyVector() throws IOException {
        JsonObject page =
                JsonParser.parseString(
                                Files.readString(Path.of("../../spec/route/vectors/merge.json")))
                        .getAsJsonObject();
        JsonArray tests =
                page.getAsJsonArray("testGroups").get(0).getAsJsonObject().getAsJsonArray("tests");
        assertEquals(page.get("numberOfTests").getAsInt(), tests.size());
        return tests.asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(
                        test ->
                                DynamicTest.dynamicTest(
                                        test.get("tcId") + ": " + test.get("comment").getAsString(),
                                        () -> check(test)));
    }

    private static Split.Part[] parts(JsonObject test, int count) {
        int[][] keys = new int[count][0];
        for (int i = 0; i < count && test.has("places"); i++) {
            keys[i] = ints(test.getAsJsonArray("places").get(i).getAsJsonArray());
        }
        int[] order = Arrays.stream(keys).flatMapToInt(Arrays::stream).toArray();
        Split.Part[] parts = new Split.Part[count];
        int from = 0;
        for (int i = 0; i < count; i++) {
            parts[i] = new Split.Part(i, 1, order, from, keys[i].length, null, 0);
            from += keys[i].length;
        }
        return parts;
    }

    private static void check(JsonObject test) {
        Command command = command(test);
        List<?> replies = (List<?>) resp(test.get("replies"));
        Split.Part[] parts = parts(test, replies.size());
        List<byte[]> order =
                test.has("order")
                        ? test.getAsJsonArray("order").asList().stream()
                                .map(name -> name.getAsString().getBytes())
                                .toList()
                        : List.of();
        List<String> nodes =
                test.has("nodes")
                        ? test.getAsJsonArray("nodes").asList().stream()
                                .map(JsonElement::getAsString)
                                .toList()
                        : Arrays.stream(parts).map(part -> "" + part.node()).toList();
        for (int i = 0; i < parts.length; i++) {
            int elements = parts[i].count() * command.mergeWidth();
            assertTrue(
                    replies.get(i) instanceof JedisDataException
                            || MergeRules.fits(command.merge(), elements, replies.get(i)),
                    "shape of reply " + i);
        }
        Object merged = MergeRules.merged(command, parts, new ArrayList<>(replies), order, nodes);
        if (test.has("fails")) {
            assertTrue(
                    merged instanceof JedisDataException || merged == MergeRules.DIFFERENT,
                    "" + merged);
        } else if (command.merge() == MergeRule.PER_NODE) {
            test.getAsJsonObject("merged")
                    .entrySet()
                    .forEach(
                            entry ->
                                    assertEquals(
                                            text(resp(entry.getValue())),
                                            text(((Map<?, ?>) merged).get(entry.getKey()))));
        } else {
            assertEquals(text(resp(test.get("merged"))), text(merged));
        }
    }

    /** A reply with its bytes as text, so that it can be compared with another reply. */
    private static Object text(Object reply) {
        return reply instanceof Iterable<?> elements
                ? StreamSupport.stream(elements.spliterator(), false)
                        .map(MergeRulesTest::text)
                        .toList()
                : reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : reply;
    }

    private static int[] ints(JsonArray numbers) {
        return numbers.asList().stream().mapToInt(JsonElement::getAsInt).toArray();
    }
}
