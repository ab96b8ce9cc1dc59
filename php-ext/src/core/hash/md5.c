/*
 * MD5, unrolled: 64 steps in sixteen lines of four. A ring of 1,000 servers needs 40,000 digests,
 * and an unrolled block takes half the time of loops with tables of shifts.
 *
 * Implements RFC 1321; `md5` of spec/hash is the first word of the digest.
 */
#include "core/hash/md5.h"

#include <string.h>

#include "core/hash/bytes.h"
#include "core/hash/hash.h"

/*
 * The four functions of the RFC: F, G, H, I. G is a sum, so that half of it need not wait for the
 * step before.
 */
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define SELECT(x, y, z) (((x) & (z)) + ((y) & ~(z)))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define INVERT(x, y, z) ((y) ^ ((x) | ~(z)))

#define STEP(function, w, x, y, z, word, constant, shift)                                          \
    (w) += function(x, y, z) + words[word] + constant##u;                                          \
    (w) = (x) + ((w) << (shift) | (w) >> (32 - (shift)))

/* The four words take turns. s: shifts, i: words, k: constants. */
#define FOUR_STEPS(function, s0, s1, s2, s3, i0, k0, i1, k1, i2, k2, i3, k3)                       \
    STEP(function, a, b, c, d, i0, k0, s0);                                                        \
    STEP(function, d, a, b, c, i1, k1, s1);                                                        \
    STEP(function, c, d, a, b, i2, k2, s2);                                                        \
    STEP(function, b, c, d, a, i3, k3, s3)

static void digest_block(uint32_t state[4], const uint8_t *block)
{
    uint32_t words[16];

    for (size_t i = 0; i < 16; i++) {
        words[i] = oh_read_le32(block + 4 * i);
    }
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];

    FOUR_STEPS(CHOOSE, 7, 12, 17, 22, 0, 0xd76aa478, 1, 0xe8c7b756, 2, 0x242070db, 3, 0xc1bdceee);
    FOUR_STEPS(CHOOSE, 7, 12, 17, 22, 4, 0xf57c0faf, 5, 0x4787c62a, 6, 0xa8304613, 7, 0xfd469501);
    FOUR_STEPS(CHOOSE, 7, 12, 17, 22, 8, 0x698098d8, 9, 0x8b44f7af, 10, 0xffff5bb1, 11, 0x895cd7be);
    FOUR_STEPS(
        CHOOSE, 7, 12, 17, 22, 12, 0x6b901122, 13, 0xfd987193, 14, 0xa679438e, 15, 0x49b40821);

    FOUR_STEPS(SELECT, 5, 9, 14, 20, 1, 0xf61e2562, 6, 0xc040b340, 11, 0x265e5a51, 0, 0xe9b6c7aa);
    FOUR_STEPS(SELECT, 5, 9, 14, 20, 5, 0xd62f105d, 10, 0x02441453, 15, 0xd8a1e681, 4, 0xe7d3fbc8);
    FOUR_STEPS(SELECT, 5, 9, 14, 20, 9, 0x21e1cde6, 14, 0xc33707d6, 3, 0xf4d50d87, 8, 0x455a14ed);
    FOUR_STEPS(SELECT, 5, 9, 14, 20, 13, 0xa9e3e905, 2, 0xfcefa3f8, 7, 0x676f02d9, 12, 0x8d2a4c8a);

    FOUR_STEPS(PARITY, 4, 11, 16, 23, 5, 0xfffa3942, 8, 0x8771f681, 11, 0x6d9d6122, 14, 0xfde5380c);
    FOUR_STEPS(PARITY, 4, 11, 16, 23, 1, 0xa4beea44, 4, 0x4bdecfa9, 7, 0xf6bb4b60, 10, 0xbebfbc70);
    FOUR_STEPS(PARITY, 4, 11, 16, 23, 13, 0x289b7ec6, 0, 0xeaa127fa, 3, 0xd4ef3085, 6, 0x04881d05);
    FOUR_STEPS(PARITY, 4, 11, 16, 23, 9, 0xd9d4d039, 12, 0xe6db99e5, 15, 0x1fa27cf8, 2, 0xc4ac5665);

    FOUR_STEPS(INVERT, 6, 10, 15, 21, 0, 0xf4292244, 7, 0x432aff97, 14, 0xab9423a7, 5, 0xfc93a039);
    FOUR_STEPS(INVERT, 6, 10, 15, 21, 12, 0x655b59c3, 3, 0x8f0ccc92, 10, 0xffeff47d, 1, 0x85845dd1);
    FOUR_STEPS(INVERT, 6, 10, 15, 21, 8, 0x6fa87e4f, 15, 0xfe2ce6e0, 6, 0xa3014314, 13, 0x4e0811a1);
    FOUR_STEPS(INVERT, 6, 10, 15, 21, 4, 0xf7537e82, 11, 0xbd3af235, 2, 0x2ad7d2bb, 9, 0xeb86d391);

    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

static void write_le32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

void oh_md5_begin(oh_md5 *md5)
{
    md5->state[0] = 0x67452301u;
    md5->state[1] = 0xefcdab89u;
    md5->state[2] = 0x98badcfeu;
    md5->state[3] = 0x10325476u;
    md5->length = 0;
}

void oh_md5_add(oh_md5 *md5, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;

    while (length > 0) {
        size_t filled = (size_t)(md5->length % OH_MD5_BLOCK_BYTES);
        size_t taken = OH_MD5_BLOCK_BYTES - filled;

        if (taken > length) {
            taken = length;
        }
        memcpy(md5->block + filled, from, taken);
        if (filled + taken == OH_MD5_BLOCK_BYTES) {
            digest_block(md5->state, md5->block);
        }
        md5->length += taken;
        from += taken;
        length -= taken;
    }
}

void oh_md5_end(oh_md5 *md5, uint8_t digest[OH_MD5_DIGEST_BYTES])
{
    static const uint8_t padding[OH_MD5_BLOCK_BYTES] = {0x80};
    uint64_t bits = md5->length * 8;
    uint8_t length[8];

    write_le32(length, (uint32_t)bits);
    write_le32(length + 4, (uint32_t)(bits >> 32));

    size_t filled = (size_t)(md5->length % OH_MD5_BLOCK_BYTES);
    size_t room = OH_MD5_BLOCK_BYTES - sizeof length;
    oh_md5_add(md5, padding, (filled < room ? room : room + OH_MD5_BLOCK_BYTES) - filled);
    oh_md5_add(md5, length, sizeof length);
    for (size_t i = 0; i < 4; i++) {
        write_le32(digest + 4 * i, md5->state[i]);
    }
}

void oh_md5_digest(const void *bytes, size_t length, uint8_t digest[OH_MD5_DIGEST_BYTES])
{
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, bytes, length);
    oh_md5_end(&md5, digest);
}

uint32_t oh_hash_md5(const uint8_t *bytes, size_t length)
{
    uint8_t digest[OH_MD5_DIGEST_BYTES];

    oh_md5_digest(bytes, length, digest);
    return oh_read_le32(digest);
}
