/*
 * The FNV family: multiply by a prime and mix in a byte, in either order, in two widths.
 *
 * The 64-bit names are historical. nutcracker returns the low 32 bits, and those depend on the low
 * 32 bits of the state alone, so 32-bit arithmetic with the low halves of the 64-bit constants
 * gives the same number. Bytes are signed, which the published FNV is not.
 *
 * Implements spec/hash, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32.
 */
#include "core/hash/bytes.h"
#include "core/hash/hash.h"

#define START_64 0x84222325u /* Low half of 0xcbf29ce484222325. */
#define PRIME_64 0x000001b3u /* Low half of 0x100000001b3. */
#define START_32 0x811c9dc5u
#define PRIME_32 0x01000193u

uint32_t oh_hash_fnv1_64(const uint8_t *bytes, size_t length)
{
    uint32_t hash = START_64;

    for (size_t i = 0; i < length; i++) {
        hash *= PRIME_64;
        hash ^= oh_read_signed(bytes[i]);
    }
    return hash;
}

uint32_t oh_hash_fnv1a_64(const uint8_t *bytes, size_t length)
{
    uint32_t hash = START_64;

    for (size_t i = 0; i < length; i++) {
        hash ^= oh_read_signed(bytes[i]);
        hash *= PRIME_64;
    }
    return hash;
}

uint32_t oh_hash_fnv1_32(const uint8_t *bytes, size_t length)
{
    uint32_t hash = START_32;

    for (size_t i = 0; i < length; i++) {
        hash *= PRIME_32;
        hash ^= oh_read_signed(bytes[i]);
    }
    return hash;
}

uint32_t oh_hash_fnv1a_32(const uint8_t *bytes, size_t length)
{
    uint32_t hash = START_32;

    for (size_t i = 0; i < length; i++) {
        hash ^= oh_read_signed(bytes[i]);
        hash *= PRIME_32;
    }
    return hash;
}
