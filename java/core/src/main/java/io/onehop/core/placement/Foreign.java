package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.key.HashTag;
import io.onehop.core.key.Key;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The distribution of another client: from a key to a node, pure and immutable. The servers are in
 * the order of the file, which has an influence here, and all of them take part.
 *
 * <p>Asking it allocates nothing and takes no lock. Any thread. Implements spec/placement, section
 * 6.
 */
public abstract class Foreign {

    /** Makes the ring of some servers. */
    public interface Maker {
        Foreign of(List<Shard> shards, Hash hash, @Nullable HashTag tag);
    }

    /**
     * What a server pool with this distribution may have.
     *
     * @param hashes those that it may have, its default first
     * @param hasTags {@code hash_tag} may be set
     * @param hasWeights weights may differ from 1
     * @param hasUnnamed a server without a name is another one than a server of that name
     * @param maker of its ring
     */
    public record Row(
            List<Hash> hashes,
            boolean hasTags,
            boolean hasWeights,
            boolean hasUnnamed,
            Maker maker) {}

    private static final int SHARES = 1 << 16;

    private final WideRing ring;
    private final boolean isWide;

    /** {@code isWide}: hashes and points have 64 bits, not 32. */
    Foreign(List<WideRing.Point> points, boolean isWide) {
        this.ring = new WideRing(points);
        this.isWide = isWide;
    }

    /** A number of 32 bits stands in the upper half of a number of the ring. */
    static long upper(long number) {
        return number << Integer.SIZE;
    }

    /** The part of the key that is hashed, as {@link Key} encodes it. */
    public abstract long part(byte[] key, int offset, int length);

    /** The hash of a part. */
    public abstract long hash(byte[] bytes, int offset, int length);

    /** The index of the node that has a key. */
    public final int locate(byte[] key, int offset, int length) {
        long part = part(key, offset, length);
        return locate(hash(key, Key.offset(part), Key.length(part)));
    }

    /** The index of the node that owns a hash. */
    public final int locate(long hash) {
        return ring.owner(isWide ? hash : upper(hash));
    }

    /** The value of the point that a hash belongs to. */
    public final long point(long hash) {
        return isWide ? ring.point(hash) : ring.point(upper(hash)) >>> Integer.SIZE;
    }

    /** How many of 65,536 evenly spread hashes each node owns. spec/meter, section 3. */
    public final int[] owned(int nodes) {
        int[] owned = new int[nodes];
        for (int i = 0; i < SHARES; i++) {
            owned[ring.owner(upper(Integer.toUnsignedLong(i * (SHARES + 1))))]++;
        }
        return owned;
    }
}
