package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.hash.HashFunction;
import io.onehop.core.key.Key;
import io.onehop.core.placement.Foreign.Shard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * {@code libmemcached_consistent}, {@code spymemcached}: the rings of two clients of memcached.
 *
 * <p>libmemcached without weights has 100 points for each server, and hashes them as it hashes
 * keys. The ring of spymemcached is ketama's ring with other names of servers, in the order of the
 * list of servers. spec/placement, section 6.
 */
final class MemcachedRing extends Foreign {
    private static final int POINTS_PER_SERVER = 100;
    private static final int DIGESTS_PER_SERVER = 40;
    private static final List<Hash> HASHES =
            List.of(
                    Hash.ONE_AT_A_TIME,
                    Hash.MD5,
                    Hash.CRC32,
                    Hash.FNV1_64,
                    Hash.FNV1A_64,
                    Hash.FNV1_32,
                    Hash.FNV1A_32,
                    Hash.MURMUR,
                    Hash.JENKINS);

    static final Row ROW_OF_LIBMEMCACHED =
            Row.of(
                    HASHES,
                    (shards, hash, tag) -> new MemcachedRing(hashed(shards, hash), hash),
                    Trait.SHORT_NAMES);
    static final Row ROW_OF_SPYMEMCACHED =
            Row.of(
                    List.of(Hash.MD5),
                    (shards, hash, tag) -> new MemcachedRing(digested(shards), hash),
                    Trait.WEIGHTS);

    private final HashFunction hash;

    private MemcachedRing(List<WideRing.Point> points, Hash hash) {
        super(points, false);
        this.hash = HashFunction.named(hash);
    }

    /** If points are equal, the first one counts. */
    private static List<WideRing.Point> hashed(List<Shard> shards, Hash hash) {
        HashFunction function = HashFunction.named(hash);
        List<WideRing.Point> points = new ArrayList<>();
        for (Shard shard : shards) {
            for (int number = 0; number < POINTS_PER_SERVER; number++) {
                byte[] text = (shard.name() + "-" + number).getBytes(StandardCharsets.UTF_8);
                long value = upper(function.of(text, 0, text.length));
                points.add(new WideRing.Point(value, shard.index()));
            }
        }
        return points;
    }

    /** If points are equal, the last one counts. */
    private static List<WideRing.Point> digested(List<Shard> shards) {
        int weights = shards.stream().mapToInt(Shard::weight).sum();
        List<Shard> reversed = new ArrayList<>(shards);
        Collections.reverse(reversed);
        List<WideRing.Point> points = new ArrayList<>();
        for (Shard shard : reversed) {
            // Only with weights does rounding take points away.
            boolean hasWeights = weights != shards.size();
            int groups = Ketama.groups(shard.weight(), weights, shards.size());
            addDigests(points, shard, hasWeights ? groups : DIGESTS_PER_SERVER);
        }
        return points;
    }

    @Override
    public long part(byte[] key, int offset, int length) {
        return Key.hashed(key, offset, length, null);
    }

    @Override
    public long hash(byte[] bytes, int offset, int length) {
        return Integer.toUnsignedLong(hash.of(bytes, offset, length));
    }
}
