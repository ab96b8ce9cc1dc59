package io.onehop.core;

/** The twelve hash functions of nutcracker, by name. Implements spec/hash. */
public enum Hash {
    ONE_AT_A_TIME("one_at_a_time"),
    MD5("md5"),
    CRC16("crc16"),
    CRC32("crc32"),
    CRC32A("crc32a"),
    FNV1_64("fnv1_64"),
    FNV1A_64("fnv1a_64"),
    FNV1_32("fnv1_32"),
    FNV1A_32("fnv1a_32"),
    HSIEH("hsieh"),
    MURMUR("murmur"),
    JENKINS("jenkins");

    private final String label;

    Hash(String label) {
        this.label = label;
    }

    /** The name used in configuration files. */
    public String label() {
        return label;
    }

    /**
     * The function with that name. Names are exact and in lower case.
     *
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
