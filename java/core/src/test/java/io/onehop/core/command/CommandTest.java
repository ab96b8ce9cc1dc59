package io.onehop.core.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.CommandWords.Malformed;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The generated table equals commands.json, finds the keys of every example, and splits as the
 * vectors do.
 */
class CommandTest {

    private record Text(String... words) implements CommandWords {
        @Override
        public int count() {
            return words.length;
        }

        @Override
        public byte[] word(int place) {
            return words[place].getBytes(StandardCharsets.UTF_8);
        }
    }

    private static Text words(String line) {
        return new Text(line.split(" "));
    }

    private static final JsonObject TABLE =
            Spec.json("route/commands.json").getAsJsonObject("commands");

    @TestFactory
    List<DynamicTest> keysOfEveryExample() {
        JsonObject examples = Spec.json("route/examples.json").getAsJsonObject("examples");
        List<DynamicTest> tests = new ArrayList<>();
        for (Map.Entry<String, JsonElement> command : examples.entrySet()) {
            for (String line : Spec.strings(command.getValue().getAsJsonArray())) {
                tests.add(DynamicTest.dynamicTest(line, () -> check(command.getKey(), line)));
            }
        }
        long commands =
                TABLE.entrySet().stream()
                        .filter(entry -> entry.getValue().getAsJsonObject().has("spread"))
                        .count();
        assertEquals(commands, examples.size(), "every command has its examples");
        return tests;
    }

    private static void check(String name, String line) throws Malformed {
        Map<Integer, String> marked = new LinkedHashMap<>();
        String[] words = line.split(" ");
        for (int place = 0; place < words.length; place++) {
            String[] parts = words[place].split("=", 2);
            if (parts.length == 2 && List.of("key", "channel", "pattern").contains(parts[0])) {
                marked.put(place, parts[0]);
                words[place] = parts[1];
            }
            words[place] = words[place].equals("\"\"") ? "" : words[place];
        }
        Text text = new Text(words);
        Command command = CommandIndex.find(text);
        assertNotNull(command, "it is not in the table");
        assertEquals(name, command.name());
        if (command.spread() == Spread.REFUSED) {
            return; // A refused command's keys are never needed.
        }
        KeyPositions keys = command.keys(text);
        Map<Integer, String> found = new LinkedHashMap<>();
        for (int i = 0; i < keys.count(); i++) {
            found.put(keys.position(i), keys.kind(i).name().toLowerCase());
        }
        assertEquals(marked.toString(), found.toString());
        if (command.onlyKey() > 0) {
            assertEquals(List.of(command.onlyKey()), List.copyOf(marked.keySet()));
        }
    }

    @Test
    void everyEntryEqualsItsRowOfThePage() {
        for (Map.Entry<String, JsonElement> entry : TABLE.entrySet()) {
            JsonObject expected = entry.getValue().getAsJsonObject();
            Command command = CommandIndex.find(words(entry.getKey().replace('|', ' ')));
            if (!expected.has("spread")) {
                assertNull(command, entry.getKey());
                continue;
            }
            assertNotNull(command, entry.getKey());
            assertEquals(
                    expected.get("spread").getAsString(),
                    command.spread().name().toLowerCase(),
                    entry.getKey());
            assertEquals(
                    expected.has("merge") ? expected.get("merge").getAsString() : "none",
                    command.merge().name().toLowerCase(),
                    entry.getKey());
            assertEquals(expected.has("retryable"), command.isRetryable(), entry.getKey());
            assertEquals(
                    expected.get("access").getAsString().equals("write"),
                    command.isWrite(),
                    entry.getKey());
            assertEquals(
                    expected.has("state") ? expected.get("state").getAsString() : null,
                    command.state(),
                    entry.getKey());
            assertEquals(expected.has("blocking"), command.blocking() != null, entry.getKey());
            if (command.spread() == Spread.REFUSED) {
                assertEquals(
                        expected.get("reason").getAsString().toLowerCase(),
                        command.reason().toLowerCase() + ".");
            }
        }
    }

    @Test
    void namesIgnoreCaseAndAContainerNeedsAKnownSubcommand() {
        assertSame(CommandIndex.find(words("hget")), CommandIndex.find(words("HgEt")));
        assertEquals("XGROUP CREATE", CommandIndex.find(words("xGroup cReate s g $")).shown());
        assertNull(CommandIndex.find(words("XGROUP")));
        assertNull(CommandIndex.find(words("XGROUP INVENTED")));
        assertNull(CommandIndex.find(words("INVENTED")));
        assertNull(CommandIndex.find(words("HGET|HGET")));
        assertNull(CommandIndex.find(words("XGROUP|CREATE s")));
        assertNull(CommandIndex.find(new Text("x".repeat(1 << 20))));
        assertEquals("command", CommandIndex.find(words("COMMAND")).name());
    }

    @Test
    void wordsThatContradictTheTableAreMalformed() {
        for (String line :
                List.of(
                        "GET",
                        "EVAL script",
                        "EVAL script x key",
                        "EVAL script -1 key",
                        "EVAL script 2 key",
                        "EVAL script 99999999999999999999 key",
                        "SINTERCARD 2 a",
                        "LMPOP 1",
                        "RENAME a",
                        "SORT a BY")) {
            Text text = words(line);
            assertThrows(Malformed.class, () -> CommandIndex.find(text).keys(text), line);
        }
    }

    @TestFactory
    List<DynamicTest> splitsAsTheVectorsSay() {
        return Spec.tests("route/vectors/split.json").stream()
                .map(
                        test ->
                                DynamicTest.dynamicTest(
                                        test.get("tcId") + ": " + test.get("comment").getAsString(),
                                        () -> checkSplit(test)))
                .toList();
    }

    private static void checkSplit(JsonObject test) throws Malformed {
        Text text = words(test.get("send").getAsString());
        Command command = CommandIndex.find(text);
        if (test.has("malformed")) {
            assertThrows(
                    Malformed.class, () -> split(command, text, test.getAsJsonObject("nodes")));
            return;
        }
        assertEquals(test.has("whole"), Split.isWhole(command, text, command.keys(text).count()));
        if (test.has("whole")) {
            return;
        }
        List<JsonObject> expected = Spec.objects(test.getAsJsonArray("parts"));
        Split.Part[] parts = split(command, text, test.getAsJsonObject("nodes"));
        assertEquals(expected.size(), parts.length);
        for (int i = 0; i < parts.length; i++) {
            assertEquals(
                    expected.get(i).get("node").getAsString().charAt(0), (char) parts[i].node());
            assertEquals(expected.get(i).get("send").getAsString(), sent(parts[i], text));
            int[] places =
                    expected.get(i).getAsJsonArray("places").asList().stream()
                            .mapToInt(JsonElement::getAsInt)
                            .toArray();
            int[] keys = IntStream.range(0, parts[i].count()).map(parts[i]::key).toArray();
            assertArrayEquals(places, keys);
        }
    }

    private static String sent(Split.Part part, Text text) {
        return IntStream.range(0, part.words())
                .mapToObj(
                        i ->
                                part.isKeynum(i)
                                        ? String.valueOf(part.count())
                                        : text.words()[part.word(i)])
                .collect(Collectors.joining(" "));
    }

    private static Split.Part[] split(Command command, Text text, JsonObject nodes)
            throws Malformed {
        KeyPositions keys = command.keys(text);
        int[] where =
                IntStream.range(0, keys.count())
                        .map(i -> nodes.get(text.words()[keys.position(i)]).getAsString().charAt(0))
                        .toArray();
        return Split.parts(command, text, where);
    }

    @Test
    void theTimeoutOfABlockingCommandIsFound() {
        Map<String, Long> lines =
                Map.of(
                        "BLPOP a b 1.5",
                        1500L,
                        "BLPOP a 0",
                        Blocking.FOR_EVER,
                        "BLPOP a x",
                        Blocking.NOT,
                        "BLMPOP 0.0001 1 a LEFT",
                        1L,
                        "WAIT 1 250",
                        250L,
                        "XREAD STREAMS BLOCK 0-0",
                        Blocking.NOT,
                        "XREAD COUNT 1 block 40 STREAMS a 0",
                        40L,
                        "XREADGROUP GROUP BLOCK c BLOCK 0 STREAMS a >",
                        Blocking.FOR_EVER,
                        "BLPOP a -1",
                        Blocking.NOT,
                        "BRPOPLPUSH a b inf",
                        Blocking.FOR_EVER);
        lines.forEach(
                (line, waits) -> {
                    Text text = words(line.replace("inf", "1e300"));
                    assertEquals(waits, CommandIndex.find(text).blocking().waitMs(text), line);
                });
    }

    @Test
    void channelsAndPatternsGoEverywhereAsInTheVectors() {
        String page = "route/vectors/notifications.json";
        for (JsonObject test : Spec.tests(page, "ChannelTest")) {
            assertEquals(
                    test.get("everywhere").getAsBoolean(),
                    Notification.isChannel(name(test)),
                    test.toString());
        }
        for (JsonObject test : Spec.tests(page, "PatternTest")) {
            assertEquals(
                    test.get("everywhere").getAsBoolean(),
                    Notification.mayMatch(name(test)),
                    test.toString());
        }
    }

    private static byte[] name(JsonObject test) {
        return test.get("name").getAsString().getBytes(StandardCharsets.UTF_8);
    }
}
