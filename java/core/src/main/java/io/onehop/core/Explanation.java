package io.onehop.core;

import java.nio.charset.StandardCharsets;

/**
 * Why a key is where it is: every stage of the placement of one key.
 *
 * <p>For a pool of one server, where nothing is hashed, {@code hashed} is the whole key, and {@code
 * hash} and {@code point} are 0. Read its text form, or take it apart. Implements spec/topology,
 * explain.
 *
 * @param key the key
 * @param hashed the part of it that is hashed: what the hash tag encloses, or the whole key
 * @param hashFunction the pool's hash function
 * @param hash the hash value, 0 to 4294967295; 0 for an empty key
 * @param distribution the pool's distribution
 * @param point ketama: the value of the ring point that took the key; modula: the slot; random: 0
 * @param node the node that has the key; for random, one draw
 */
public record Explanation(
        byte[] key,
        byte[] hashed,
        Hash hashFunction,
        long hash,
        Distribution distribution,
        long point,
        Node node) {

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
                + ")";
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
