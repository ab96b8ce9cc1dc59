/*
 * Hash: key bytes in, an unsigned 32-bit number out.
 *
 * nutcracker's twelve algorithms have one signature and the names of nutcracker's configuration.
 * Each file holds one family. The number decides where a key lives, so the quirks of the originals
 * (signed bytes, a CRC that is never masked, an odd tail) are part of the definition and are kept
 * exactly.
 *
 * A call comes here from key (which bytes are hashed) and goes on to placement. A hash function
 * gives the same number on every machine, at any alignment, and reads only the bytes it is given.
 * In a server pool an empty key counts as 0, but that is a rule of topology, not of hash.
 *
 * Implements spec/hash.
 */
#ifndef OH_HASH_H
#define OH_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One line per algorithm: constant, name in the configuration. The order is part of the topology's
 * layout.
 */
#define OH_HASHES(X)                                                                               \
    X(OH_HASH_ONE_AT_A_TIME, one_at_a_time)                                                        \
    X(OH_HASH_MD5, md5)                                                                            \
    X(OH_HASH_CRC16, crc16)                                                                        \
    X(OH_HASH_CRC32, crc32)                                                                        \
    X(OH_HASH_CRC32A, crc32a)                                                                      \
    X(OH_HASH_FNV1_64, fnv1_64)                                                                    \
    X(OH_HASH_FNV1A_64, fnv1a_64)                                                                  \
    X(OH_HASH_FNV1_32, fnv1_32)                                                                    \
    X(OH_HASH_FNV1A_32, fnv1a_32)                                                                  \
    X(OH_HASH_HSIEH, hsieh)                                                                        \
    X(OH_HASH_MURMUR, murmur)                                                                      \
    X(OH_HASH_JENKINS, jenkins)

/* Hashes that only the distributions of other clients have; those distributions compute them. */
#define OH_FOREIGN_HASHES(X)                                                                       \
    X(OH_HASH_MURMUR64A, murmur64a)                                                                \
    X(OH_HASH_CRC32B, crc32b)                                                                      \
    X(OH_HASH_JOAAT, joaat)

typedef enum oh_hash {
#define OH_HASH_CONSTANT(constant, name) constant,
    OH_HASHES(OH_HASH_CONSTANT) OH_HASHES_COUNT,
    OH_HASH_BEFORE_FOREIGN = OH_HASHES_COUNT - 1,
    OH_FOREIGN_HASHES(OH_HASH_CONSTANT)
#undef OH_HASH_CONSTANT
        OH_ALL_HASHES_COUNT
} oh_hash;

/* `bytes` may be NULL only if `length` is 0. */
typedef uint32_t (*oh_hash_fn)(const uint8_t *bytes, size_t length);

#define OH_HASH_DECLARATION(constant, name)                                                        \
    uint32_t oh_hash_##name(const uint8_t *bytes, size_t length);
OH_HASHES(OH_HASH_DECLARATION)
#undef OH_HASH_DECLARATION

/* MurmurHash64A with the seed of Jedis. */
uint64_t oh_hash_murmur64a(const uint8_t *bytes, size_t length);

/*
 * A hash of PHP as RedisArray takes it. `hash` is OH_HASH_MD5, OH_HASH_CRC32, or one of those that
 * follow murmur64a in OH_FOREIGN_HASHES.
 */
uint64_t oh_hash_of_php(oh_hash hash, const uint8_t *bytes, size_t length);

/*
 * The functions of nutcracker's algorithms. Placement reads this table directly: a call would cost
 * as much as the look-up.
 */
extern const oh_hash_fn oh_hash_functions[OH_HASHES_COUNT];

/* The function of an algorithm; `hash` must be below OH_HASHES_COUNT. */
oh_hash_fn oh_hash_function(oh_hash hash);

/* The name of an algorithm as the configuration spells it; a constant string. */
const char *oh_hash_name(oh_hash hash);

/* Finds an algorithm of nutcracker by its exact name. False, and *hash untouched, if there is none.
 */
bool oh_hash_find(const char *name, size_t length, oh_hash *hash);

#endif
