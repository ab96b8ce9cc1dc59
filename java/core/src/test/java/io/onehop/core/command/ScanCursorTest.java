package io.onehop.core.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.base.Limits;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.LongStream;
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
            Long own = ScanCursor.number(bytes(test, "nodeCursor"));
            ScanCursor at = new ScanCursor(test.get("node").getAsInt(), 0);
            assertEquals(
                    test.has("fails") ? null : test.get("cursor").getAsString(),
                    own == null ? null : new String(at.next(fingerprint, nodes, own)));
            return;
        }
        ScanCursor cursor = ScanCursor.read(fingerprint, nodes, bytes(test, "cursor"));
        Long own = cursor == null ? null : kept(test).find(cursor.within());
        if (test.has("fails")) {
            assertNull(own);
        } else {
            assertEquals(test.get("node").getAsInt(), cursor.node());
            assertEquals(test.get("nodeCursor").getAsString(), Long.toUnsignedString(own));
        }
    }

    private static KeptCursors kept(JsonObject test) {
        KeptCursors kept = new KeptCursors();
        if (test.has("kept")) {
            test.getAsJsonArray("kept")
                    .forEach(own -> kept.keep(Long.parseUnsignedLong(own.getAsString())));
        }
        return kept;
    }

    @Test
    void ofTooManyTheOldestIsDropped() {
        KeptCursors kept = new KeptCursors();
        for (long own = -Limits.KEPT_CURSORS_MAX * 8L; own < 0; own++) {
            kept.keep(own);
            assertEquals(own, kept.find(ScanCursor.ticket(own)));
        }
        long left =
                LongStream.range(-Limits.KEPT_CURSORS_MAX * 8L, 0)
                        .mapToObj(own -> kept.find(ScanCursor.ticket(own)))
                        .filter(Objects::nonNull)
                        .count();
        assertTrue(left > 0 && left <= Limits.KEPT_CURSORS_MAX, left + " are left");
    }
}
