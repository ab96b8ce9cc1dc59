package io.onehop.core;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * Explains where a key is: every stage of its placement.
 *
 * <p>In a pool of one server nothing is hashed: {@code hashed} is the whole key, and {@code hash}
 * and {@code point} are 0. Immutable. Its text form is for people. Implements spec/topology,
 * explain.
 *
 * @param key the key
 * @param hashed the part of the key that is hashed: the part inside the hash tag, or the whole key
 * @param hashFunction the pool's hash function
 * @param hash the hash value, 0 to 4294967295; 0 for an empty key; under {@code murmur64a} a signed
 *     number of 64 bits
 * @param distribution the pool's distribution
 * @param point the value of the ring point that took the key; modula: the slot; random: 0
 * @param node the node that has the key; for random, a node that was drawn for this explanation
 * @param movesFrom the node that the key moves from; {@code null} if it does not move
 */
public record Explanation(
        byte[] key,
        byte[] hashed,
        Hash hashFunction,
        long hash,
        Distribution distribution,
        long point,
        Node node,
        @SuppressWarnings("exports") // Programs compile without the annotations.
                @Nullable Node movesFrom) {

    @Override
    public String toString() {
        return "key \""
                + text(key)
                + "\", hashed \""
                + text(hashed)
                + "\", "
                + hashFunction.label()
                + " "
                + hash
                + ", "
                + distribution.label()
                + " point "
                + point
                + ", node "
                + node.name()
                + " ("
                + node.address()
                + ")"
                + (movesFrom == null
                        ? ""
                        : ", moves from " + movesFrom.name() + " (" + movesFrom.address() + ")");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
