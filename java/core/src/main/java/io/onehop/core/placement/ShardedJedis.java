package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.hash.Md5;
import io.onehop.core.hash.Murmur;
import io.onehop.core.key.Key;
import io.onehop.core.key.Key.HashTag;
import io.onehop.core.placement.Foreign.Shard;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code sharded_jedis}, {@code sharded_jedis_2_9}, {@code jedis_sharding}: the rings of Jedis,
 * from 2.1 to 6.
 *
 * <p>A point is the hash of a text: the name of a server, or its position in the list, and a
 * number. Before 2.10 the weight stands between name and number, so named servers have other
 * points. spec/placement, section 6.
 */
final class ShardedJedis extends Foreign {
    private static final int POINTS_PER_WEIGHT = 160;
    private static final List<Hash> HASHES = List.of(Hash.MURMUR64A, Hash.MD5);

    static final Row ROW = ofNames(ShardedJedis::ofName);
    static final Row ROW_2_9 = ofNames(ShardedJedis::ofName29);
    static final Row ROW_OF_SHARDING = row(ShardedJedis::ofPlace, Trait.TAGS);

    /** The beginning of the texts of a server. */
    private interface Prefix {
        String of(Shard shard);
    }

    private final boolean isMurmur;
    private final @Nullable HashTag tag;

    private ShardedJedis(List<Shard> shards, Hash hash, @Nullable HashTag tag, Prefix prefix) {
        super(points(shards, hash, prefix), hash == Hash.MURMUR64A);
        this.isMurmur = hash == Hash.MURMUR64A;
        this.tag = tag;
    }

    private static Row row(Prefix prefix, Trait... traits) {
        return Row.of(
                HASHES, (shards, hash, tag) -> new ShardedJedis(shards, hash, tag, prefix), traits);
    }

    private static Row ofNames(Prefix prefix) {
        return row(prefix, Trait.TAGS, Trait.WEIGHTS, Trait.MANY_POINTS, Trait.UNNAMED);
    }

    private static String ofPlace(Shard shard) {
        return "SHARD-" + shard.index() + "-NODE-";
    }

    private static String ofName(Shard shard) {
        return shard.isNamed() ? shard.name() + "*" : ofPlace(shard);
    }

    private static String ofName29(Shard shard) {
        return shard.isNamed() ? shard.name() + "*" + shard.weight() : ofPlace(shard);
    }

    /** If points are equal, the last one counts. */
    private static List<WideRing.Point> points(List<Shard> shards, Hash hash, Prefix prefix) {
        List<WideRing.Point> points = new ArrayList<>();
        for (int i = shards.size() - 1; i >= 0; i--) {
            String text = prefix.of(shards.get(i));
            for (int number = 0; number < POINTS_PER_WEIGHT * shards.get(i).weight(); number++) {
                byte[] bytes = (text + number).getBytes(StandardCharsets.UTF_8);
                long value =
                        hash == Hash.MURMUR64A
                                ? Murmur.murmur64a(bytes, 0, bytes.length)
                                : upper(Md5.of(bytes, 0, bytes.length));
                points.add(new WideRing.Point(value, i));
            }
        }
        return points;
    }

    @Override
    public long part(byte[] key, int offset, int length) {
        return Key.hashedLazily(key, offset, length, tag);
    }

    @Override
    public long hash(byte[] bytes, int offset, int length) {
        return isMurmur
                ? Murmur.murmur64a(bytes, offset, length)
                : Integer.toUnsignedLong(Md5.of(bytes, offset, length));
    }
}
