package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.hash.Crc;
import io.onehop.core.key.Key;
import io.onehop.core.placement.Foreign.Shard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code predis_hashring}: the ring of Predis' HashRing, its default.
 *
 * <p>A hash belongs to the last point that is not above it. If hashes and points are replaced by
 * their complements, the ring is like all others. spec/placement, section 6.
 */
final class PredisRing extends Foreign {
    private static final int POINTS_PER_SERVER = 128;

    static final Row ROW =
            Row.of(
                    List.of(Hash.CRC32A),
                    (shards, hash, tag) -> new PredisRing(shards),
                    Trait.WEIGHTS);

    private PredisRing(List<Shard> shards) {
        super(points(shards), false);
    }

    /** If points are equal, the last one counts. */
    private static List<WideRing.Point> points(List<Shard> shards) {
        long weights = shards.stream().mapToLong(Shard::weight).sum();
        List<WideRing.Point> points = new ArrayList<>();
        for (int i = shards.size() - 1; i >= 0; i--) {
            int count = count(shards.get(i).weight(), weights, shards.size());
            for (int number = 0; number < count; number++) {
                byte[] text =
                        (shards.get(i).name() + ":" + number).getBytes(StandardCharsets.UTF_8);
                points.add(new WideRing.Point(upper(~Crc.crc32a(text, 0, text.length)), i));
            }
        }
        return points;
    }

    /** In double precision, in this order, as PHP does it. */
    private static int count(int weight, long weights, int servers) {
        double share = (double) weight / weights;
        return (int) Math.floor(share * servers * POINTS_PER_SERVER + 0.5);
    }

    @Override
    public long part(byte[] key, int offset, int length) {
        return Key.hashed(key, offset, length, Key.CLUSTER_TAG);
    }

    @Override
    public long hash(byte[] bytes, int offset, int length) {
        return Integer.toUnsignedLong(Crc.crc32a(bytes, offset, length));
    }

    @Override
    long numberOf(long hash) {
        return hash ^ 0xffffffffL;
    }
}
