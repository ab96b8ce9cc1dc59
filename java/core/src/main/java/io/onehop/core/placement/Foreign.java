package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.hash.Md5;
import io.onehop.core.key.Key;
import io.onehop.core.key.Key.HashTag;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * The distribution of another client: from a key to a node, pure and immutable. The servers are in
 * the order of the file, which matters here, and all of them take part.
 *
 * <p>Finding a node allocates nothing and takes no lock. Any thread. Implements spec/placement,
 * section 6.
 */
public abstract class Foreign {

    /** Makes the ring of some servers. */
    public interface Maker {
        Foreign of(List<Shard> shards, Hash hash, @Nullable HashTag tag);
    }

    /** How many slots a file gives to servers, under a distribution with slots. */
    public static final int SLOTS = 1024;

    /** The distribution does not limit the length of names. */
    public static final int ANY_LENGTH = Integer.MAX_VALUE;

    /** What holds for a server pool with such a distribution. */
    public enum Trait {
        /** {@code hash_tag} may be set. */
        TAGS,
        /** Weights may differ from 1. */
        WEIGHTS,
        /** The number of a server's points is multiplied by its weight. */
        MANY_POINTS,
        /** A server without a name differs from a server that has its address as a name. */
        UNNAMED,
        /** Servers are named as nutcracker names them. */
        SHORT_NAMES,
        /** The file gives each server its slots; the weight is their number. */
        SLOTS
    }

    /**
     * What a distribution needs.
     *
     * @param hashes the hashes that it may have, the default first
     * @param nameBytesMax how long the name of a server may be
     * @param maker makes its ring
     */
    public record Row(List<Hash> hashes, Maker maker, int nameBytesMax, Set<Trait> traits) {
        static Row of(List<Hash> hashes, Maker maker, Trait... traits) {
            return new Row(hashes, maker, ANY_LENGTH, Set.of(traits));
        }

        public boolean has(Trait trait) {
            return traits.contains(trait);
        }
    }

    private static final int SHARES = 1 << 16;

    private final WideRing ring;
    private final boolean isWide;

    /** {@code isWide}: hashes and points have 64 bits, not 32. */
    Foreign(List<WideRing.Point> points, boolean isWide) {
        this.ring = new WideRing(points);
        this.isWide = isWide;
    }

    /** Adds the words of the digests of "name-0", "name-1" and so on. */
    static void addDigests(List<WideRing.Point> points, Shard shard, int digests) {
        int[] words = new int[4];
        for (int number = 0; number < digests; number++) {
            byte[] text = (shard.name() + "-" + number).getBytes(StandardCharsets.UTF_8);
            Md5.digest(text, 0, text.length, words);
            for (int word : words) {
                points.add(new WideRing.Point(upper(word), shard.index()));
            }
        }
    }

    /** The number of the ring that has this number of 32 bits as its upper half. */
    static long upper(long number) {
        return number << Integer.SIZE;
    }

    /** The part of the key that is hashed, as {@link Key} encodes it. */
    public abstract long part(byte[] key, int offset, int length);

    /** The hash of a part. */
    public abstract long hash(byte[] bytes, int offset, int length);

    /** The number by which the ring knows a hash. */
    long numberOf(long hash) {
        return hash;
    }

    /** The value of a point that the ring knows by this number. */
    long valueOf(long number) {
        return numberOf(number);
    }

    /** The index of the node that has a key. */
    public final int locate(byte[] key, int offset, int length) {
        long part = part(key, offset, length);
        return locate(hash(key, Key.offset(part), Key.length(part)));
    }

    /** The index of the node that owns a hash. */
    public final int locate(long hash) {
        long number = numberOf(hash);
        return ring.owner(isWide ? number : upper(number));
    }

    /** The value of the point that a hash belongs to. */
    public final long point(long hash) {
        long number = numberOf(hash);
        return valueOf(isWide ? ring.point(number) : ring.point(upper(number)) >>> Integer.SIZE);
    }

    /** How many of 65,536 evenly spread hashes each node owns. spec/meter, section 3. */
    public final int[] owned(int nodes) {
        int[] owned = new int[nodes];
        for (int i = 0; i < SHARES; i++) {
            owned[ring.owner(upper(Integer.toUnsignedLong(i * (SHARES + 1))))]++;
        }
        return owned;
    }

    /**
     * A server as the distribution of another client sees it.
     *
     * @param name its name; if the file gives no name, its address
     * @param isNamed the file gives the name
     * @param index its position in the file, from 0
     * @param weight at least 1
     * @param slots the slots that it has, under a distribution with slots
     */
    public record Shard(String name, boolean isNamed, int index, int weight, BitSet slots) {}
}
