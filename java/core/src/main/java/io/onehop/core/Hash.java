package io.onehop.core;

/** The hash functions of nutcracker and of other clients, by name. Implements spec/hash. */
public enum Hash {
    /** Jenkins' one-at-a-time. */
    ONE_AT_A_TIME("one_at_a_time"),
    /** The first four bytes of MD5. */
    MD5("md5"),
    /** CRC-16 that is not cut to 16 bits: higher bits stay in the result. */
    CRC16("crc16"),
    /** 15 bits of CRC-32. */
    CRC32("crc32"),
    /** CRC-32, all 32 bits. */
    CRC32A("crc32a"),
    /** FNV-1 with the 64-bit constants, cut to 32 bits. */
    FNV1_64("fnv1_64"),
    /** FNV-1a with the 64-bit constants, cut to 32 bits. */
    FNV1A_64("fnv1a_64"),
    /** FNV-1, 32 bits. */
    FNV1_32("fnv1_32"),
    /** FNV-1a, 32 bits. */
    FNV1A_32("fnv1a_32"),
    /** Hsieh's SuperFastHash, started from 0. */
    HSIEH("hsieh"),
    /** MurmurHash2, seeded by the length. */
    MURMUR("murmur"),
    /** Jenkins' lookup3, seeded by 13. */
    JENKINS("jenkins"),
    /** MurmurHash64A with the seed of Jedis; only for the distributions of Jedis. */
    MURMUR64A("murmur64a"),
    /** PHP's crc32b; only for RedisArray. */
    CRC32B("crc32b"),
    /** PHP's joaat; only for RedisArray. */
    JOAAT("joaat");

    private final String label;

    Hash(String label) {
        this.label = label;
    }

    /**
     * The name used in configuration files.
     *
     * @return the name, such as {@code fnv1a_64}
     */
    public String label() {
        return label;
    }

    /**
     * The function with that name. Names are exact and in lower case.
     *
     * @param label the name, as {@link #label} returns it
     * @return the function
     * @throws IllegalArgumentException if there is none
     */
    public static Hash named(String label) {
        for (Hash hash : values()) {
            if (hash.label.equals(label)) {
                return hash;
            }
        }
        throw new IllegalArgumentException("There is no hash function named \"" + label + "\".");
    }
}
