/*
 * The hash tag rule. nutcracker's rule with `{}` and Redis Cluster's are the same: the part between
 * the first opening byte and the first closing byte after it, if that is not empty. Otherwise the
 * whole key counts, and no other pair is searched.
 *
 * Implements spec/key.
 */
#include "core/key/key.h"

#include <string.h>

#include "core/hash/hash.h"

oh_bytes oh_key_hashed(oh_bytes key, const uint8_t tag[2])
{
    if (tag == NULL || key.length == 0) {
        return key;
    }
    const uint8_t *end = key.bytes + key.length;
    const uint8_t *opening = memchr(key.bytes, tag[0], key.length);
    if (opening == NULL) {
        return key;
    }
    const uint8_t *inside = opening + 1;
    const uint8_t *closing = memchr(inside, tag[1], (size_t)(end - inside));
    if (closing == NULL || closing == inside) {
        return key;
    }
    return (oh_bytes){inside, (size_t)(closing - inside)};
}

uint32_t oh_key_slot(oh_bytes key)
{
    static const uint8_t braces[2] = {'{', '}'};
    oh_bytes hashed = oh_key_hashed(key, braces);
    return oh_hash_crc16(hashed.bytes, hashed.length) % OH_SLOTS_COUNT;
}
