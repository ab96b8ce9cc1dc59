/*
 * The hashes of PHP that RedisArray takes: the first eight bytes of a digest, as a little-endian
 * number. PHP writes most digests big-endian, so these numbers are swapped.
 *
 * Implements spec/hash, hashes of other clients.
 */
#include "core/hash/bytes.h"
#include "core/hash/hash.h"
#include "core/hash/md5.h"

#define POLYNOMIAL 0x04c11db7u

static uint64_t md5_of(const uint8_t *bytes, size_t length)
{
    uint8_t digest[OH_MD5_DIGEST_BYTES];

    oh_md5_digest(bytes, length, digest);
    return oh_read_le64(digest);
}

/*
 * This CRC-32 is not reflected, as in bzip2. Few use it, so it has no table and takes one bit at a
 * time.
 */
static uint32_t crc32_of(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < length; i++) {
        crc ^= (uint32_t)bytes[i] << 24;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc << 1 ^ (crc >> 31 != 0 ? POLYNOMIAL : 0);
        }
    }
    return ~crc;
}

/* one_at_a_time with unsigned bytes. */
static uint32_t joaat(const uint8_t *bytes, size_t length)
{
    uint32_t hash = 0;

    for (size_t i = 0; i < length; i++) {
        hash += bytes[i];
        hash += hash << 10;
        hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    return hash + (hash << 15);
}

uint64_t oh_hash_of_php(oh_hash hash, const uint8_t *bytes, size_t length)
{
    switch (hash) {
    case OH_HASH_MD5: return md5_of(bytes, length);
    case OH_HASH_CRC32: return crc32_of(bytes, length);
    case OH_HASH_CRC32B: return oh_swap32(oh_hash_crc32a(bytes, length));
    default: return oh_swap32(joaat(bytes, length));
    }
}
