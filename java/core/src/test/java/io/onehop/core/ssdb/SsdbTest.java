package io.onehop.core.ssdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.command.CommandWords;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks every vector of spec/route: the commands that are sent to SSDB, the replies that are made
 * of SSDB's replies, and the refusals.
 */
class SsdbTest {

    private record Row(List<byte[]> words) implements CommandWords {
        @Override
        public int count() {
            return words.size();
        }

        @Override
        public byte[] word(int place) {
            return words.get(place);
        }
    }

    private static byte[] bytes(String characters) {
        return characters.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static List<byte[]> words(JsonArray array) {
        return Spec.strings(array).stream().map(SsdbTest::bytes).toList();
    }

    @TestFactory
    Stream<DynamicTest> everyVector() {
        return Spec.tests("route/vectors/ssdb.json").stream()
                .map(
                        test ->
                                DynamicTest.dynamicTest(
                                        test.get("tcId") + " " + test.get("comment").getAsString(),
                                        () -> check(test)));
    }

    private static void check(JsonObject test) {
        Row row = new Row(words(test.getAsJsonArray("words")));
        Ssdb.Translation translation = Ssdb.translate(row, test.has("raw"));
        if (test.has("refused")) {
            assertEquals(test.get("refused").getAsString(), translation.refusal());
            return;
        }
        assertEquals(null, translation.refusal());
        checkSent(test.getAsJsonArray("send"), row, translation.commands());
        List<Object> replies = new Replies(test.get("replies").getAsString()).all();
        if (translation.shape() == null) {
            same(new Replies(test.get("reply").getAsString()).all().get(0), replies.get(0));
        } else if (test.has("violation")) {
            assertSame(Ssdb.STRANGE, translation.shape().of(replies));
        } else {
            same(
                    new Replies(test.get("reply").getAsString()).all().get(0),
                    translation.shape().of(replies));
        }
    }

    private static void checkSent(JsonArray expected, Row row, List<byte[][]> commands) {
        List<byte[][]> sent =
                commands != null ? commands : List.<byte[][]>of(row.words().toArray(byte[][]::new));
        assertEquals(expected.size(), sent.size());
        int i = 0;
        for (JsonElement each : expected) {
            assertArrayEquals(words(each.getAsJsonArray()).toArray(byte[][]::new), sent.get(i++));
        }
    }

    private static void same(Object expected, Object found) {
        if (expected instanceof List<?> list) {
            assertEquals(list.size(), ((List<?>) found).size());
            for (int i = 0; i < list.size(); i++) {
                same(list.get(i), ((List<?>) found).get(i));
            }
        } else if (expected instanceof byte[] text) {
            assertArrayEquals(text, (byte[]) found);
        } else if (expected instanceof Exception error) {
            assertEquals(error.getMessage(), ((Exception) found).getMessage());
        } else {
            assertEquals(expected, found);
        }
    }

    /** Replies as Jedis decodes them. */
    private static final class Replies {
        private final String stream;
        private int at;

        Replies(String stream) {
            this.stream = stream;
        }

        List<Object> all() {
            List<Object> all = new ArrayList<>();
            while (at < stream.length()) {
                all.add(next());
            }
            return all;
        }

        private Object next() {
            int end = stream.indexOf("\r\n", at);
            char type = stream.charAt(at);
            String line = stream.substring(at + 1, end);
            at = end + 2;
            return switch (type) {
                case '+' -> bytes(line);
                case '-' -> new IllegalStateException(line);
                case ':' -> Long.valueOf(line);
                case '$' -> line.startsWith("-") ? null : text(Integer.parseInt(line));
                default -> line.startsWith("-") ? null : list(Integer.parseInt(line));
            };
        }

        private byte[] text(int length) {
            at += length + 2;
            return bytes(stream.substring(at - length - 2, at - 2));
        }

        private List<Object> list(int length) {
            List<Object> list = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                list.add(next());
            }
            return list;
        }
    }
}
