package io.onehop.core.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Reads the answers of nodes as the vectors say, and keeps a bounded number of them. */
class LearntTest {
    private static final String PAGE = "route/vectors/learnt.json";

    private record Text(List<String> words) implements CommandWords {
        @Override
        public int count() {
            return words.size();
        }

        @Override
        public byte[] word(int place) {
            return words.get(place).getBytes(StandardCharsets.UTF_8);
        }
    }

    private static Text words(JsonObject test) {
        return new Text(Spec.strings(test.getAsJsonArray("words")));
    }

    /** An answer as Jedis decodes it. */
    private static Object decoded(JsonElement json) {
        if (json.isJsonNull()) {
            return null;
        }
        if (json.isJsonArray()) {
            List<Object> list = new ArrayList<>();
            json.getAsJsonArray().forEach(each -> list.add(decoded(each)));
            return list;
        }
        return json.getAsJsonPrimitive().isNumber()
                ? (Object) json.getAsLong()
                : json.getAsString().getBytes(StandardCharsets.UTF_8);
    }

    private static List<DynamicTest> tests(String type, Consumer<JsonObject> check) {
        return Spec.tests(PAGE, type).stream()
                .map(test -> DynamicTest.dynamicTest(test.toString(), () -> check.accept(test)))
                .toList();
    }

    /* ---- Descriptions ---- */

    @TestFactory
    List<DynamicTest> descriptions() {
        return tests("LearntTest", LearntTest::checkDescription);
    }

    private static void checkDescription(JsonObject test) {
        if (test.get("answer").isJsonObject()) {
            // The answer is an error, not a description. The client itself sees the difference.
            return;
        }
        List<String> words = words(test).words();
        String second = words.size() > 1 ? words.get(1).toLowerCase(Locale.ROOT) : null;
        Learnt learnt =
                Learnt.read(
                        words.get(0).toLowerCase(Locale.ROOT), second, decoded(test.get("answer")));
        if (test.has("unreadable")) {
            assertNull(learnt);
            return;
        }
        assertNotNull(learnt);
        JsonObject expected = test.getAsJsonObject("command");
        assertEquals(expected.has("unknown"), learnt.isUnknown());
        assertEquals(expected.has("container"), learnt.isContainer());
        if (expected.has("renamed")) {
            CommandWords known = new Text(List.of(expected.get("renamed").getAsString(), "list"));
            assertSame(CommandIndex.find(known), learnt.entry(known));
        } else if (!learnt.isUnknown()) {
            check(expected, learnt.entry(new Text(words)));
        }
    }

    private static void check(JsonObject expected, Command entry) {
        assertEquals(expected.get("spread").getAsString(), lower(entry.spread()));
        assertEquals(reason(expected), entry.reason());
        if (expected.has("container")) {
            return;
        }
        boolean reads = expected.get("access").getAsString().equals("read");
        assertEquals(reads, !entry.isWrite());
        assertEquals(reads, entry.isRetryable());
        assertEquals(expected.has("asks_keys"), entry.asksKeys());
        assertEquals(expected.has("unshared"), entry.isUnshared());
        assertEquals(
                expected.has("merge") ? expected.get("merge").getAsString() : "none",
                lower(entry.merge()));
        List<JsonObject> specs = Spec.objects(expected.getAsJsonArray("keys"));
        assertEquals(specs.size(), entry.keys.length);
        for (int i = 0; i < specs.size(); i++) {
            check(specs.get(i), entry.keys[i]);
        }
    }

    private static String reason(JsonObject expected) {
        return expected.has("reason")
                ? Message.valueOf(expected.get("reason").getAsString().toUpperCase(Locale.ROOT))
                        .what()
                : null;
    }

    private static void check(JsonObject expected, KeySpec spec) {
        assertEquals(expected.get("kind").getAsString(), lower(spec.kind));
        assertEquals(number(expected, "index", 0), spec.begin.index());
        byte[] keyword = spec.begin.keyword();
        assertEquals(
                expected.has("keyword") ? expected.get("keyword").getAsString() : null,
                keyword == null ? null : new String(keyword, StandardCharsets.US_ASCII));
        assertEquals(number(expected, "from", 0), spec.begin.from());
        assertEquals(number(expected, "step", 0), spec.reach.step());
        assertEquals(number(expected, "last", 0), spec.reach.last());
        assertEquals(number(expected, "limit", 1), spec.reach.limit());
        assertEquals(number(expected, "keynum", -1), spec.reach.keynum());
        assertEquals(number(expected, "first", 0), spec.reach.first());
    }

    private static int number(JsonObject expected, String name, int otherwise) {
        return expected.has(name) ? expected.get(name).getAsInt() : otherwise;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /* ---- The other answers ---- */

    @TestFactory
    List<DynamicTest> keysThatTheNodeFinds() {
        return tests(
                "LearntKeysTest",
                test -> {
                    int[] expected = null;
                    if (!test.has("unreadable")) {
                        expected =
                                test.getAsJsonArray("positions").asList().stream()
                                        .mapToInt(JsonElement::getAsInt)
                                        .toArray();
                    }
                    assertArrayEquals(
                            expected, Learnt.positions(words(test), decoded(test.get("answer"))));
                });
    }

    @TestFactory
    List<DynamicTest> denials() {
        return tests(
                "DeniedTest",
                test ->
                        assertEquals(
                                test.get("name").isJsonNull()
                                        ? null
                                        : test.get("name").getAsString(),
                                Learnt.denied(test.get("error").getAsString())));
    }

    @TestFactory
    List<DynamicTest> namesThatAreRefused() {
        return tests(
                "IndexTest",
                test ->
                        assertEquals(
                                test.get("refused").getAsBoolean(),
                                Learnt.isRefused(
                                        test.get("name").getAsString().toLowerCase(Locale.ROOT))));
    }

    @Test
    void namesOfCommands() {
        assertEquals("json.get", Learnt.name("JSON.Get".getBytes(StandardCharsets.UTF_8)));
        assertEquals("x".repeat(64), Learnt.name("X".repeat(64).getBytes(StandardCharsets.UTF_8)));
        for (String other : List.of("", "x".repeat(65), "a b", "a|b", "a\n", "\u00e4")) {
            assertNull(Learnt.name(other.getBytes(StandardCharsets.UTF_8)), other);
        }
    }

    /* ---- Kept ---- */

    private static Text named(String line) {
        return new Text(List.of(line.split(" ")));
    }

    /** The answer of a node that does not have the command. */
    private static List<Object> nil() {
        return Collections.singletonList(null);
    }

    @Test
    void theFirstKeptMakesRoom() {
        KeptCommands kept = new KeptCommands();
        int last = 2 * Limits.LEARNT_COMMANDS_MAX;
        for (int i = 0; i <= last; i++) {
            kept.learn(named("x" + i), nil());
        }
        assertNull(kept.find(named("x0")));
        assertTrue(kept.find(named("X" + last)).isUnknown());
        kept.forget("x" + last);
        assertNull(kept.find(named("x" + last)));
    }

    @Test
    void aSubcommandIsKeptByBothWords() {
        KeptCommands kept = new KeptCommands();
        JsonObject test =
                Spec.tests(PAGE, "LearntTest").stream()
                        .filter(
                                each ->
                                        each.get("comment")
                                                .getAsString()
                                                .equals("recorded: a subcommand"))
                        .findFirst()
                        .orElseThrow();
        Text words = words(test);
        assertEquals(1, kept.names(words));
        Object answer = decoded(test.get("answer"));
        assertEquals("onehop.box|put", kept.learn(words, answer).entry(words).name());
        assertEquals(2, kept.names(words));
        assertEquals("ONEHOP.BOX PUT", kept.find(words).entry(words).shown());
        assertNull(kept.find(named("onehop.box other")));
        assertTrue(kept.find(named("onehop.box " + "x".repeat(64))).isUnknown());
        assertTrue(kept.learn(named("client nosuch"), nil()).isUnknown());
        assertTrue(kept.find(named("CLIENT NoSuch")).isUnknown());
        assertNull(kept.find(named("client other")));
    }
}
