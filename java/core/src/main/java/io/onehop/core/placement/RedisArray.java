package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.hash.Crc;
import io.onehop.core.hash.PhpHash;
import io.onehop.core.key.Key;
import io.onehop.core.placement.Foreign.Shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * {@code redis_array}, {@code redis_array_consistent}: RedisArray of phpredis, without and with
 * {@code consistent}.
 *
 * <p>Without {@code consistent}, the hosts have ranges of equal size: the number of a host is the
 * complement of the hash, times the number of hosts, divided by 2^32 - 1. With {@code consistent},
 * each host has 160 points of MD5. spec/placement, section 6.
 */
final class RedisArray extends Foreign {
    private static final long U32 = 0xffffffffL;
    private static final int DIGESTS_PER_HOST = 40;

    /** If the name of a host is longer, phpredis also digests bytes behind its buffer. */
    private static final int HOST_BYTES_MAX = 60;

    private static final List<Hash> HASHES =
            List.of(Hash.CRC32A, Hash.MD5, Hash.CRC32, Hash.CRC32B, Hash.JOAAT);

    static final Row ROW =
            Row.of(HASHES, (shards, hash, tag) -> new RedisArray(ranges(shards), hash, U32));
    static final Row ROW_OF_RING =
            new Row(
                    HASHES,
                    (shards, hash, tag) -> new RedisArray(ring(shards), hash, 0),
                    HOST_BYTES_MAX,
                    Set.of());

    private final Hash hash;
    private final long complement;

    private RedisArray(List<WideRing.Point> points, Hash hash, long complement) {
        super(points, false);
        this.hash = hash;
        this.complement = complement;
    }

    /**
     * The last number of each range. In phpredis no host has the very last number, so here any host
     * may have it.
     */
    private static List<WideRing.Point> ranges(List<Shard> shards) {
        List<WideRing.Point> points = new ArrayList<>();
        int count = shards.size();
        for (long next = 1; next <= count; next++) {
            long end = (next * U32 + count - 1) / count;
            points.add(new WideRing.Point(upper(next == count ? end : end - 1), (int) next - 1));
        }
        return points;
    }

    private static List<WideRing.Point> ring(List<Shard> shards) {
        List<WideRing.Point> points = new ArrayList<>();
        shards.forEach(shard -> addDigests(points, shard, DIGESTS_PER_HOST));
        return points;
    }

    /** The hashed part. phpredis searches for the tag in a string of C, which ends at a NUL. */
    @Override
    public long part(byte[] key, int offset, int length) {
        int text = 0;
        while (text < length && key[offset + text] != 0) {
            text++;
        }
        long part = Key.hashedLoosely(key, offset, text);
        return Key.length(part) == text ? Key.hashed(key, offset, length, null) : part;
    }

    /**
     * The hash of a part. If RedisArray has no algorithm, it is the register of a CRC-32 that has
     * not been inverted.
     */
    @Override
    public long hash(byte[] bytes, int offset, int length) {
        long number =
                hash == Hash.CRC32A
                        ? Integer.toUnsignedLong(~Crc.crc32a(bytes, offset, length))
                        : Long.remainderUnsigned(PhpHash.of(hash, bytes, offset, length), U32);
        return number ^ complement;
    }
}
