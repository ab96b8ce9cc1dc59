/*
 * Host names and their addresses. Each name has a few possible places, next to each other. A record
 * is
 *
 *     until | count, a bit for each IPv6 address, and chosen | addresses, 2 words each
 *           | digest, 2 words
 */
#include "core/store/store_name.h"

#include <string.h>

#include "core/hash/md5.h"

#define CHOICES 4
#define COUNT_MASK UINT64_C(0xff)
#define V6_SHIFT 8
#define CHOSEN (UINT64_C(1) << 16)
#define DIGEST_AT (OH_NAME_WORDS - 2)

typedef struct record {
    uint64_t words[OH_NAME_WORDS];
} record;

static size_t place_of(const uint8_t *identity, size_t choice)
{
    return (identity[0] + choice) % OH_NAME_PLACES;
}

static void digest_of(const uint8_t *identity, const record *it, uint64_t digest[2])
{
    uint8_t bytes[OH_MD5_DIGEST_BYTES];
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, identity, OH_NAME_IDENTITY_BYTES);
    oh_md5_add(&md5, it->words, DIGEST_AT * sizeof *it->words);
    oh_md5_end(&md5, bytes);
    memcpy(digest, bytes, sizeof bytes);
}

static record load(const _Atomic uint64_t *place)
{
    record it;

    for (size_t i = 0; i < OH_NAME_WORDS; i++) {
        it.words[i] = atomic_load_explicit(&place[i], memory_order_relaxed);
    }
    return it;
}

/* No record is kept for longer than OH_NAME_KEPT_MS_MAX. An instant beyond that is damage. */
static bool is_alive(const record *it, uint64_t now_ms)
{
    return it->words[0] > now_ms && it->words[0] - now_ms <= OH_NAME_KEPT_MS_MAX;
}

static bool is_of(const record *it, const uint8_t *identity)
{
    uint64_t digest[2], count = it->words[1] & COUNT_MASK;

    digest_of(identity, it, digest);
    return count >= 1 && count <= OH_NAME_ADDRESSES_MAX &&
           memcmp(digest, &it->words[DIGEST_AT], sizeof digest) == 0;
}

/* ---- Both ways ---- */

static void read_name(const record *it, oh_name *name)
{
    name->until_ms = it->words[0];
    name->count = (uint32_t)(it->words[1] & COUNT_MASK);
    name->is_chosen = (it->words[1] & CHOSEN) != 0;
    for (size_t i = 0; i < name->count; i++) {
        name->addresses[i].is_v6 = (it->words[1] >> (V6_SHIFT + i) & 1) != 0;
        memcpy(name->addresses[i].bytes, &it->words[2 + 2 * i], sizeof name->addresses[i].bytes);
    }
}

bool oh_store_recall_last(
    const oh_store_names *names, const uint8_t identity[OH_NAME_IDENTITY_BYTES], oh_name *name)
{
    for (size_t choice = 0; choice < CHOICES; choice++) {
        record it = load(names->places[place_of(identity, choice)]);

        if (is_of(&it, identity)) {
            read_name(&it, name);
            return true;
        }
    }
    return false;
}

bool oh_store_recall(const oh_store_names *names, const uint8_t identity[OH_NAME_IDENTITY_BYTES],
    uint64_t now_ms, oh_name *name)
{
    for (size_t choice = 0; choice < CHOICES; choice++) {
        record it = load(names->places[place_of(identity, choice)]);

        if (is_alive(&it, now_ms) && is_of(&it, identity)) {
            read_name(&it, name);
            return true;
        }
    }
    return false;
}

/* Its own place, if it has one; else a free one; else that of the record that expires first. */
static size_t place_for(const oh_store_names *names, const uint8_t *identity, uint64_t now_ms)
{
    size_t found = place_of(identity, 0);
    uint64_t first_ms = UINT64_MAX;

    for (size_t choice = 0; choice < CHOICES; choice++) {
        size_t place = place_of(identity, choice);
        record it = load(names->places[place]);
        uint64_t until_ms = is_alive(&it, now_ms) ? it.words[0] : 0;

        if (is_of(&it, identity)) {
            return place;
        }
        if (until_ms < first_ms) {
            first_ms = until_ms;
            found = place;
        }
    }
    return found;
}

void oh_store_remember(oh_store_names *names, const uint8_t identity[OH_NAME_IDENTITY_BYTES],
    const oh_name *name, uint64_t now_ms)
{
    record it = {{name->until_ms, name->count | (name->is_chosen ? CHOSEN : 0)}};

    for (size_t i = 0; i < name->count; i++) {
        it.words[1] |= (uint64_t)name->addresses[i].is_v6 << (V6_SHIFT + i);
        memcpy(&it.words[2 + 2 * i], name->addresses[i].bytes, sizeof name->addresses[i].bytes);
    }
    digest_of(identity, &it, &it.words[DIGEST_AT]);
    _Atomic uint64_t *place = names->places[place_for(names, identity, now_ms)];
    for (size_t i = 0; i < OH_NAME_WORDS; i++) {
        atomic_store_explicit(&place[i], it.words[i], memory_order_relaxed);
    }
}

/* ---- The order ---- */

static bool is_same(const oh_ip *one, const oh_ip *other)
{
    return one->is_v6 == other->is_v6 &&
           memcmp(one->bytes, other->bytes, one->is_v6 ? sizeof one->bytes : 4) == 0;
}

bool oh_name_choose(oh_name *name, const oh_ip *address, bool is_first)
{
    oh_ip chosen = *address;
    uint32_t at = 0;

    while (at < name->count && !is_same(&name->addresses[at], &chosen)) {
        at++;
    }
    if (at == name->count) {
        return false;
    }
    if (is_first) {
        memmove(&name->addresses[1], &name->addresses[0], at * sizeof chosen);
        name->addresses[0] = chosen;
    } else {
        memmove(
            &name->addresses[at], &name->addresses[at + 1], (name->count - at - 1) * sizeof chosen);
        name->addresses[name->count - 1] = chosen;
    }
    return name->is_chosen = true;
}
