package io.onehop.core.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.gson.JsonObject;

import io.onehop.core.Spec;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** The cursor of SCAN is read and written as in the vectors. */
class ScanCursorTest {

    private static byte[] bytes(JsonObject test, String name) {
        return test.get(name).getAsString().getBytes(StandardCharsets.UTF_8);
    }

    @TestFactory
    Stream<DynamicTest> everyVector() {
        return Spec.groups("route/vectors/cursor.json").stream().flatMap(ScanCursorTest::tests);
    }

    private static Stream<DynamicTest> tests(JsonObject group) {
        String type = group.get("type").getAsString();
        return Spec.objects(group.getAsJsonArray("tests")).stream()
                .map(test -> DynamicTest.dynamicTest(name(test), () -> check(type, test)));
    }

    private static String name(JsonObject test) {
        return test.get("tcId") + ": " + test.get("comment").getAsString();
    }

    private static void check(String type, JsonObject test) {
        String fingerprint = test.get("fingerprint").getAsString();
        int nodes = test.get("nodes").getAsInt();
        if (type.equals("WriteTest")) {
            byte[] cursor =
                    new ScanCursor(test.get("node").getAsInt(), 0)
                            .next(fingerprint, nodes, bytes(test, "nodeCursor"));
            assertEquals(
                    test.has("fails") ? null : test.get("cursor").getAsString(),
                    cursor == null ? null : new String(cursor, StandardCharsets.US_ASCII));
            return;
        }
        ScanCursor cursor = ScanCursor.read(fingerprint, nodes, bytes(test, "cursor"));
        if (test.has("fails")) {
            assertNull(cursor);
        } else {
            assertEquals(
                    new ScanCursor(test.get("node").getAsInt(), test.get("nodeCursor").getAsLong()),
                    cursor);
        }
    }
}
