package io.onehop.core;

/**
 * How a hash value chooses a node (spec/placement). The first three names are those of nutcracker's
 * {@code distribution} directive. After them come the distributions of other clients.
 */
public enum Distribution {
    /** Consistent hashing: the node of the first ring point at or after the hash. */
    KETAMA("ketama"),
    /** The hash modulo the sum of the weights. */
    MODULA("modula"),
    /** Any live node, whatever the key. Not reproducible on purpose. */
    RANDOM("random"),
    /** The ranges of phpredis' RedisArray. */
    REDIS_ARRAY("redis_array"),
    /** The ring of phpredis' RedisArray with {@code consistent}. */
    REDIS_ARRAY_CONSISTENT("redis_array_consistent"),
    /** The ring of ShardedJedis of Jedis 2.10 to 3. */
    SHARDED_JEDIS("sharded_jedis"),
    /** The ring of ShardedJedis of Jedis 2.1 to 2.9. */
    SHARDED_JEDIS_2_9("sharded_jedis_2_9"),
    /** The ring of JedisSharding of Jedis 4 to 6. */
    JEDIS_SHARDING("jedis_sharding"),
    /** The ring of Predis' HashRing. */
    PREDIS_HASHRING("predis_hashring"),
    /** The ring of libmemcached without weights. */
    LIBMEMCACHED_CONSISTENT("libmemcached_consistent"),
    /** The ring of spymemcached. */
    SPYMEMCACHED("spymemcached"),
    /** The slots of Codis. */
    CODIS("codis"),
    /**
     * The slot table of a Redis Cluster: the node of each of its 16,384 slots. A configuration file
     * cannot name this distribution.
     */
    SLOTS("slots");

    private final String label;

    Distribution(String label) {
        this.label = label;
    }

    /**
     * The name used in configuration files.
     *
     * @return the name, such as {@code ketama}
     */
    public String label() {
        return label;
    }
}
