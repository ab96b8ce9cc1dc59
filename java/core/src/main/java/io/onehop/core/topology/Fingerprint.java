package io.onehop.core.topology;

import io.onehop.core.Node;
import io.onehop.core.hash.Md5;
import io.onehop.core.key.Key.HashTag;
import io.onehop.core.placement.Foreign;
import io.onehop.core.placement.Foreign.Trait;
import io.onehop.core.placement.Slots;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;

/**
 * The MD5 of everything that placement depends on, written in one fixed form. Two processes that
 * compare their fingerprints find out whether they place keys alike.
 *
 * <p>spec/topology, fingerprint.
 */
final class Fingerprint {

    private Fingerprint() {}

    /** {@code old}: the nodes of the ring that keys move from, if there is one. */
    static String of(ServerPool pool, List<Node> sorted, List<Node> old) {
        StringBuilder text = new StringBuilder("onehop-topology-1\n");
        text.append("distribution=").append(pool.distribution().label()).append('\n');
        text.append("hash=").append(pool.hash().label()).append('\n');
        text.append("hash_tag=").append(hex(pool.hashTag())).append('\n');
        text.append("database=")
                .append(pool.hasDatabase() ? pool.database() : pool.redisDb())
                .append('\n');
        appendServers(text, pool, sorted);
        ServerPool from = pool.movingFrom();
        if (from != null) {
            text.append("moving_from=").append(from.distribution().label());
            text.append(' ').append(from.hash().label());
            text.append(' ').append(hex(from.hashTag())).append('\n');
            appendServers(text, from, old);
        }
        return hex(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void appendServers(StringBuilder text, ServerPool pool, List<Node> sorted) {
        Foreign.Row foreign = pool.foreign();
        boolean hasUnnamed = foreign != null && foreign.has(Trait.UNNAMED);
        for (Node node : sorted) {
            boolean isNamed = !hasUnnamed || pool.servers().get(node.index()).isNamed();
            text.append("server=")
                    .append(isNamed ? node.name() : "")
                    .append(' ')
                    .append(node.weight());
            text.append(' ').append(node.address());
            if (foreign != null && foreign.has(Trait.SLOTS)) {
                appendSlots(text, pool.servers().get(node.index()).slots());
            }
            text.append('\n');
        }
    }

    private static void appendSlots(StringBuilder text, BitSet slots) {
        byte[] bits = Arrays.copyOf(slots.toByteArray(), Foreign.SLOTS / Byte.SIZE);
        text.append(' ').append(HexFormat.of().formatHex(bits));
    }

    static String of(Slots slots, List<Node> nodes) {
        StringBuilder text =
                new StringBuilder(
                        "onehop-topology-1\n"
                                + "distribution=slots\n"
                                + "hash=crc16\n"
                                + "hash_tag=7b7d\n"
                                + "database=0\n");
        for (int first = 0, next; first < Slots.COUNT; first = next) {
            next = first + 1;
            while (next < Slots.COUNT
                    && slots.isServed(next) == slots.isServed(first)
                    && slots.locate(next) == slots.locate(first)) {
                next++;
            }
            if (slots.isServed(first)) {
                text.append("slots=").append(first).append('-').append(next - 1).append(' ');
                text.append(nodes.get(slots.locate(first)).name()).append('\n');
            }
        }
        return hex(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String hex(@Nullable HashTag tag) {
        return tag == null ? "" : String.format("%02x%02x", tag.open() & 0xff, tag.close() & 0xff);
    }

    private static String hex(byte[] text) {
        int[] words = new int[4];
        Md5.digest(text, 0, text.length, words);
        StringBuilder digits = new StringBuilder();
        for (int word : words) {
            digits.append(String.format("%08x", Integer.reverseBytes(word)));
        }
        return digits.toString();
    }
}
