package io.onehop.core.resp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.base.Limits;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Framing against the vectors of spec/wire: whole, cut anywhere, and damaged. */
class FramingTest {
    private static final List<JsonObject> VECTORS =
            Spec.tests("wire/vectors/wire.json", "FramingTest");

    @Test
    void everyStreamEndsAsItsVectorSays() {
        for (JsonObject vector : VECTORS) {
            Framing framing = announced(vector);
            byte[] stream = stream(vector);
            framing.read(stream, 0, stream.length);
            check(vector, framing);
        }
    }

    @Test
    void aStreamCutInTwoAnywhereEndsAlike() {
        for (JsonObject vector : VECTORS) {
            byte[] stream = stream(vector);
            int believed = announced(vector).read(stream, 0, stream.length);
            int step = stream.length < 10_000 ? 1 : stream.length / 1000;
            for (int cut = 0; cut <= stream.length; cut += step) {
                Framing framing = announced(vector);
                int first = framing.read(stream, 0, cut);
                int second = framing.read(stream, cut, stream.length - cut);
                assertEquals(believed, first + second, vector.toString());
                check(vector, framing);
            }
        }
    }

    @Test
    void aStreamInChunksOfAnySizeEndsAlike() {
        for (JsonObject vector : VECTORS) {
            byte[] stream = stream(vector);
            for (int size : new int[] {1, 2, 3, 7, 64, 1000}) {
                Framing framing = announced(vector);
                for (int at = 0; at < stream.length; at += size) {
                    framing.read(stream, at, Math.min(size, stream.length - at));
                }
                check(vector, framing);
            }
        }
    }

    private static void check(JsonObject vector, Framing framing) {
        assertEquals(vector.get("clean").getAsBoolean(), framing.isClean(), vector.toString());
        checkCounts(vector, framing);
    }

    private static void checkCounts(JsonObject vector, Framing framing) {
        assertEquals(vector.get("answered").getAsLong(), framing.answered(), vector.toString());
        assertEquals(vector.get("owed").getAsLong(), framing.owed(), vector.toString());
        String expected =
                vector.get("error").isJsonNull() ? null : vector.get("error").getAsString();
        String fault =
                framing.fault() == null ? null : framing.fault().name().toLowerCase(Locale.ROOT);
        assertEquals(expected, fault, vector.toString());
    }

    @Test
    void damagedStreamsEndAlikeHoweverTheyAreCut() {
        Random random = new Random(6);
        byte[] marks = "\r\n$*+-:%~>|_#,(=!0123456789-?;.".getBytes();
        for (JsonObject vector : VECTORS) {
            byte[] stream = stream(vector);
            for (int round = 0;
                    round < 200 && stream.length > 0 && stream.length < 10_000;
                    round++) {
                byte[] damaged = stream.clone();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    damaged[random.nextInt(damaged.length)] = marks[random.nextInt(marks.length)];
                }
                checkAlike(announced(vector), announced(vector), damaged, random);
            }
        }
    }

    private static void checkAlike(Framing whole, Framing pieces, byte[] stream, Random random) {
        int believed = whole.read(stream, 0, stream.length);
        assertEquals(believed < stream.length, whole.fault() != null);
        int at = 0;
        while (at < stream.length && pieces.fault() == null) {
            int size = Math.min(1 + random.nextInt(9), stream.length - at);
            at += pieces.read(stream, at, size);
        }
        String text = HexFormat.of().formatHex(stream);
        assertEquals(believed, at, text);
        assertEquals(whole.fault(), pieces.fault(), text);
        assertEquals(whole.owed(), pieces.owed(), text);
        assertEquals(whole.isClean(), pieces.isClean(), text);
    }

    @Test
    void bytesAfterAFaultAreIgnored() {
        Framing framing = new Framing();
        framing.owe(2);
        byte[] stream = "+OK\r\nHTTP/1.1 400 Bad Request\r\n+OK\r\n".getBytes();
        assertEquals(5, framing.read(stream, 0, stream.length));
        assertEquals(Framing.Fault.TYPE, framing.fault());
        assertEquals(0, framing.read(stream, 0, 5));
        assertEquals(1, framing.answered());
    }

    @Test
    void aReplyIsOwedFromItsAnnouncementToItsLastByte() {
        Framing framing = new Framing();
        assertTrue(framing.isClean());
        byte[] reply = "$3\r\nfoo\r\n".getBytes();
        framing.owe(1);
        for (int i = 0; i < reply.length; i++) {
            assertFalse(framing.isClean());
            assertEquals(1, framing.owed());
            framing.read(reply, i, 1);
        }
        assertTrue(framing.isClean());
        assertEquals(0, framing.owed());
    }

    @Test
    void aLengthBeyondTheLimitIsRefusedAtTheDigitThatMakesItSo() {
        byte[] stream = ("$" + Limits.WIRE_BULK_BYTES_MAX + "9").getBytes();
        Framing framing = new Framing();
        framing.owe(1);
        assertEquals(stream.length - 1, framing.read(stream, 0, stream.length));
        assertEquals(Framing.Fault.LENGTH, framing.fault());
    }

    @Test
    void onASubscribedConnectionAValueThatIsNotOwedIsAMessageHoweverItIsCut() {
        for (JsonObject vector : Spec.tests("wire/vectors/wire.json", "SubscribedTest")) {
            byte[] stream = stream(vector);
            for (int size : new int[] {1, 2, 3, 7, 64, 1000, stream.length + 1}) {
                Framing framing = announced(vector);
                framing.subscribe();
                for (int at = 0; at < stream.length; at += size) {
                    framing.read(stream, at, Math.min(size, stream.length - at));
                }
                assertEquals(
                        vector.get("messages").getAsLong(), framing.pushed(), vector.toString());
                assertFalse(framing.isClean());
                checkCounts(vector, framing);
            }
        }
    }

    @Test
    void aReplyIsAheadWhileItAnnouncesMoreElementsThanBytesOfItHaveCome() {
        Framing framing = new Framing();
        framing.owe(2);
        assertFalse(framing.isAhead(0));
        read(framing, "$40\r\n" + "x".repeat(40) + "\r\n"); // Bytes of another reply do not count.
        read(framing, "*20\r\n");
        assertTrue(framing.isAhead(0));
        assertTrue(framing.isAhead(19));
        assertFalse(framing.isAhead(20), "they are few");
        read(framing, "$-1\r\n:1\r\n");
        assertTrue(framing.isAhead(0), "18 are missing, 14 bytes have come");
        read(framing, ":2\r\n");
        assertFalse(framing.isAhead(0));
        read(framing, "*8\r\n");
        assertTrue(framing.isAhead(0), "on all levels together");
        read(framing, ":3\r\n".repeat(24));
        assertFalse(framing.isAhead(0), "it is over");
        assertTrue(framing.isClean());
    }

    private static void read(Framing framing, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        assertEquals(bytes.length, framing.read(bytes, 0, bytes.length));
    }

    private static Framing announced(JsonObject vector) {
        Framing framing = new Framing();
        framing.owe(vector.get("commands").getAsInt());
        return framing;
    }

    private static byte[] stream(JsonObject vector) {
        if (vector.has("stream")) {
            return Spec.hex(vector, "stream");
        }
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (JsonElement part : vector.getAsJsonArray("parts")) {
            byte[] bytes = HexFormat.of().parseHex(part.getAsJsonArray().get(0).getAsString());
            for (int i = 0; i < part.getAsJsonArray().get(1).getAsInt(); i++) {
                stream.writeBytes(bytes);
            }
        }
        return stream.toByteArray();
    }
}
