package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.hash.Crc;
import io.onehop.core.key.Key;
import io.onehop.core.placement.Foreign.Shard;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code codis}: a key is in one of 1024 slots, and the file says which server has a slot.
 *
 * <p>The ring has a point for each slot. The number of the slot is in the upper bits of its point.
 * spec/placement, section 6.
 */
final class Codis extends Foreign {
    private static final int BELOW_SLOT = Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS);

    static final Row ROW =
            Row.of(
                    List.of(Hash.CRC32A),
                    (shards, hash, tag) -> new Codis(shards),
                    Trait.WEIGHTS,
                    Trait.SLOTS);

    private Codis(List<Shard> shards) {
        super(points(shards), false);
    }

    private static List<WideRing.Point> points(List<Shard> shards) {
        List<WideRing.Point> points = new ArrayList<>();
        for (Shard shard : shards) {
            shard.slots().stream()
                    .forEach(
                            slot ->
                                    points.add(
                                            new WideRing.Point(
                                                    upper((long) slot << BELOW_SLOT),
                                                    shard.index())));
        }
        return points;
    }

    @Override
    public long part(byte[] key, int offset, int length) {
        return Key.hashedLoosely(key, offset, length);
    }

    @Override
    public long hash(byte[] bytes, int offset, int length) {
        return Integer.toUnsignedLong(Crc.crc32a(bytes, offset, length));
    }

    @Override
    long numberOf(long hash) {
        return hash % SLOTS << BELOW_SLOT;
    }

    @Override
    long valueOf(long number) {
        return number >>> BELOW_SLOT;
    }
}
