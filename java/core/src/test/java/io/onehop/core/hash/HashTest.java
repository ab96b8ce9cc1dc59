package io.onehop.core.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;

import io.onehop.core.Hash;
import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.Set;

/**
 * Every hash function against the vectors of spec/hash, which were taken from a running nutcracker.
 */
class HashTest {

    static Set<Hash> nutcrackers() {
        return HashFunction.NAMES;
    }

    @ParameterizedTest
    @MethodSource("nutcrackers")
    void everyFunctionGivesTheValuesOfItsVectors(Hash hash) {
        HashFunction function = HashFunction.named(hash);
        for (JsonObject test : Spec.tests("hash/vectors/hashes.json")) {
            byte[] key = Spec.hex(test, "key");
            long value = Integer.toUnsignedLong(function.of(key, 0, key.length));
            long expected = test.getAsJsonObject("hashes").get(hash.label()).getAsLong();
            assertEquals(expected, value, test.toString());
        }
    }

    @ParameterizedTest
    @MethodSource("nutcrackers")
    void bytesAroundTheKeyHaveNoEffect(Hash hash) {
        HashFunction function = HashFunction.named(hash);
        for (JsonObject test : Spec.tests("hash/vectors/hashes.json")) {
            byte[] key = Spec.hex(test, "key");
            byte[] surrounded = new byte[key.length + 16];
            Arrays.fill(surrounded, (byte) 0xa5);
            System.arraycopy(key, 0, surrounded, 7, key.length);
            assertEquals(
                    function.of(key, 0, key.length),
                    function.of(surrounded, 7, key.length),
                    test.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(Hash.class)
    void aFunctionIsFoundByItsExactName(Hash hash) {
        assertEquals(hash, Hash.named(hash.label()));
        assertThrows(IllegalArgumentException.class, () -> Hash.named(hash.label().toUpperCase()));
    }

    @Test
    void nutcrackerHasTwelveFunctions() {
        assertEquals(12, HashFunction.NAMES.size());
    }
}
