package io.onehop.core.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.key.Key.HashTag;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

/** Hash tags and slots against the vectors of spec/key. */
class KeyTest {

    @Test
    void theTagDecidesWhichBytesAreHashed() {
        for (JsonObject group : Spec.groups("key/vectors/key.json", "TagTest")) {
            boolean isTagged = !group.get("tag").isJsonNull();
            HashTag tag =
                    isTagged
                            ? new HashTag(Spec.hex(group, "tag")[0], Spec.hex(group, "tag")[1])
                            : null;
            for (JsonObject test : Spec.objects(group.getAsJsonArray("tests"))) {
                byte[] key = Spec.hex(test, "key");
                assertArrayEquals(
                        Spec.hex(test, "hashed"), hashed(key, 0, key.length, tag), test.toString());
            }
        }
    }

    @Test
    void onlyBytesInsideTheKeyMakeATag() {
        byte[] buffer = "{x}key}".getBytes();
        assertArrayEquals(
                "key".getBytes(), hashed(buffer, 3, 3, new HashTag((byte) '{', (byte) '}')));
        byte[] open = "a{key}".getBytes();
        assertArrayEquals(
                "a{key".getBytes(), hashed(open, 0, 5, new HashTag((byte) '{', (byte) '}')));
    }

    @Test
    void slotsAreThoseOfRedisCluster() {
        for (JsonObject test : Spec.tests("key/vectors/key.json", "SlotTest")) {
            byte[] key = Spec.hex(test, "key");
            assertEquals(
                    test.get("slot").getAsInt(), Key.slot(key, 0, key.length), test.toString());
        }
    }

    private static byte[] hashed(byte[] key, int offset, int length, HashTag tag) {
        long part = Key.hashed(key, offset, length, tag);
        return Arrays.copyOfRange(key, Key.offset(part), Key.offset(part) + Key.length(part));
    }
}
