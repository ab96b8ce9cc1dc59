/*
 * The hash tag rule. nutcracker's rule with `{}` and Redis Cluster's are the same: the part between
 * the first opening byte and the first closing byte after it, if that is not empty. Otherwise the
 * whole key counts, and no other pair is searched.
 *
 * Implements spec/key.
 */
#include "core/key/key.h"

#include <string.h>

#include "core/base/utf8.h"
#include "core/hash/hash.h"

oh_bytes oh_key_hashed(oh_bytes key, const uint8_t tag[2])
{
    if (!tag || key.length == 0) {
        return key;
    }
    const uint8_t *end = key.bytes + key.length;
    const uint8_t *opening = memchr(key.bytes, tag[0], key.length);
    if (!opening) {
        return key;
    }
    const uint8_t *inside = opening + 1;
    const uint8_t *closing = memchr(inside, tag[1], (size_t)(end - inside));
    if (!closing || closing == inside) {
        return key;
    }
    return (oh_bytes){inside, (size_t)(closing - inside)};
}

/* True if a line ends here, as Java's regular expressions see it: LF, CR, NEL, LS and PS. */
static bool ends_line(const uint8_t *at, const uint8_t *end)
{
    size_t length = (size_t)(end - at);

    return *at == '\n' || *at == '\r' || (length > 1 && at[0] == 0xc2 && at[1] == 0x85) ||
           (length > 2 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] | 1) == 0xa9);
}

oh_bytes oh_key_hashed_lazily(oh_bytes key, const uint8_t tag[2])
{
    const uint8_t *end = key.bytes + key.length;
    const uint8_t *inside = NULL; /* Where a part may begin. */

    for (const uint8_t *at = key.bytes; at < end; at++) {
        if (inside && at > inside && *at == tag[1]) {
            oh_bytes part = {inside, (size_t)(at - inside)};

            return oh_utf8_is_valid(key) ? part : key;
        }
        if (inside && ends_line(at, end)) {
            inside = NULL;
        }
        if (!inside && *at == tag[0]) {
            inside = at + 1;
        }
    }
    return key;
}

oh_bytes oh_key_hashed_loosely(oh_bytes key)
{
    const uint8_t *opening = key.length > 0 ? memchr(key.bytes, '{', key.length) : NULL;

    if (!opening) {
        return key;
    }
    const uint8_t *inside = opening + 1;
    const uint8_t *closing = memchr(inside, '}', key.length - (size_t)(inside - key.bytes));
    return closing ? (oh_bytes){inside, (size_t)(closing - inside)} : key;
}

uint32_t oh_key_slot(oh_bytes key)
{
    static const uint8_t braces[2] = {'{', '}'};
    oh_bytes hashed = oh_key_hashed(key, braces);

    return oh_hash_crc16(hashed.bytes, hashed.length) % OH_SLOTS_COUNT;
}
