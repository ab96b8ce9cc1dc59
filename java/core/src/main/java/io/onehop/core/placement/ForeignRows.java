package io.onehop.core.placement;

import io.onehop.core.Distribution;

import org.jspecify.annotations.Nullable;

/** The distributions of other clients, by name. */
public final class ForeignRows {

    private ForeignRows() {}

    /** The row of a distribution, or {@code null} if it is no other client's. */
    public static Foreign.@Nullable Row of(Distribution distribution) {
        return switch (distribution) {
            case KETAMA, MODULA, RANDOM, SLOTS -> null;
            case REDIS_ARRAY -> RedisArray.ROW;
            case REDIS_ARRAY_CONSISTENT -> RedisArray.ROW_OF_RING;
            case PREDIS_HASHRING -> PredisRing.ROW;
            case LIBMEMCACHED_CONSISTENT -> MemcachedRing.ROW_OF_LIBMEMCACHED;
            case SPYMEMCACHED -> MemcachedRing.ROW_OF_SPYMEMCACHED;
            case CODIS -> Codis.ROW;
            case SHARDED_JEDIS -> ShardedJedis.ROW;
            case SHARDED_JEDIS_2_9 -> ShardedJedis.ROW_2_9;
            case JEDIS_SHARDING -> ShardedJedis.ROW_OF_SHARDING;
        };
    }
}
