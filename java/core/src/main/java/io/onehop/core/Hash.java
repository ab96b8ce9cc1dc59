package io.onehop.core;

import io.onehop.core.hash.Crc16;
import io.onehop.core.hash.Crc32;
import io.onehop.core.hash.Crc32a;
import io.onehop.core.hash.Fnv1_32;
import io.onehop.core.hash.Fnv1_64;
import io.onehop.core.hash.Fnv1a_32;
import io.onehop.core.hash.Fnv1a_64;
import io.onehop.core.hash.HashFunction;
import io.onehop.core.hash.Hsieh;
import io.onehop.core.hash.Jenkins;
import io.onehop.core.hash.Md5;
import io.onehop.core.hash.Murmur;
import io.onehop.core.hash.OneAtATime;

/**
 * The twelve hash functions of nutcracker, quirks included: key bytes in, 32 bits out.
 *
 * <p>Bytes from 0x80 on are widened with their sign where nutcracker on x86 does so. Every function is pure,
 * allocates nothing and may be called by any thread. Placement never hashes an empty key: it takes 0 (spec/placement).
 *
 * <p>Implements spec/hash.
 */
public enum Hash {
    ONE_AT_A_TIME("one_at_a_time", OneAtATime::of),
    MD5("md5", Md5::of),
    CRC16("crc16", Crc16::of),
    CRC32("crc32", Crc32::of),
    CRC32A("crc32a", Crc32a::of),
    FNV1_64("fnv1_64", Fnv1_64::of),
    FNV1A_64("fnv1a_64", Fnv1a_64::of),
    FNV1_32("fnv1_32", Fnv1_32::of),
    FNV1A_32("fnv1a_32", Fnv1a_32::of),
    HSIEH("hsieh", Hsieh::of),
    MURMUR("murmur", Murmur::of),
    JENKINS("jenkins", Jenkins::of);

    private final String label;
    private final HashFunction function;

    Hash(String label, HashFunction function) {
        this.label = label;
        this.function = function;
    }

    /** The name used in configuration files. */
    public String label() {
        return label;
    }

    /** The hash of {@code length} bytes from {@code offset}, to be read as an unsigned number. */
    public int of(byte[] bytes, int offset, int length) {
        return function.of(bytes, offset, length);
    }

    /** The function of that name; the names are lower case and exact. */
    public static Hash named(String label) {
        for (Hash hash : values()) {
            if (hash.label.equals(label)) {
                return hash;
            }
        }
        throw new IllegalArgumentException("There is no hash function named \"" + label + "\".");
    }
}
