package io.onehop.core.hash;

import io.onehop.core.Hash;

import java.util.EnumSet;
import java.util.Set;

/**
 * A hash function of nutcracker with its quirks: key bytes in, 32 bits out.
 *
 * <p>Bytes from 0x80 on are widened with their sign where nutcracker on x86 does so. Every function
 * is pure and allocates nothing. Any thread. Placement never hashes an empty key: its hash counts
 * as 0 (spec/placement).
 */
@FunctionalInterface
public interface HashFunction {

    /** The functions of nutcracker. */
    Set<Hash> NAMES = Set.copyOf(EnumSet.range(Hash.ONE_AT_A_TIME, Hash.JENKINS));

    /** The hash of {@code length} bytes from {@code offset}, to be read as an unsigned number. */
    int of(byte[] bytes, int offset, int length);

    /** The function of nutcracker with that name. */
    static HashFunction named(Hash name) {
        return switch (name) {
            case ONE_AT_A_TIME -> Jenkins::oneAtATime;
            case MD5 -> Md5::of;
            case CRC16 -> Crc::crc16;
            case CRC32 -> Crc::crc32;
            case CRC32A -> Crc::crc32a;
            case FNV1_64 -> Fnv::fnv1_64;
            case FNV1A_64 -> Fnv::fnv1a_64;
            case FNV1_32 -> Fnv::fnv1_32;
            case FNV1A_32 -> Fnv::fnv1a_32;
            case HSIEH -> Jenkins::hsieh;
            case MURMUR -> Murmur::murmur;
            case JENKINS -> Jenkins::jenkins;
            case MURMUR64A, CRC32B, JOAAT ->
                    throw new IllegalArgumentException(name.label() + " is not nutcracker's.");
        };
    }
}
