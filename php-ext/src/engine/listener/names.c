/*
 * A hash table with chains. It is doubled when it has as many names as chains.
 */
#include "engine/listener/names.h"

#include <string.h>

#include "core/hash/hash.h"

#include "engine/base/environment.h"

#define OH_BUCKETS_MIN 8

typedef struct oh_name {
    struct oh_name *next;
    uint32_t hash;
    uint32_t node;
    size_t length;
    char bytes[];
} oh_name;

static uint32_t hash_of(oh_text name)
{
    return oh_hash_fnv1a_32((const uint8_t *)name.bytes, name.length);
}

/* The position of the name, or where it belongs. */
static oh_name **find(const oh_names *names, oh_text name, uint32_t hash)
{
    oh_name **place = &names->buckets[hash % names->buckets_count];

    while (*place && ((*place)->hash != hash || (*place)->length != name.length ||
                         memcmp((*place)->bytes, name.bytes, name.length) != 0)) {
        place = &(*place)->next;
    }
    return place;
}

bool oh_names_has(const oh_names *names, oh_text name)
{
    return names->count > 0 && *find(names, name, hash_of(name)) != NULL;
}

uint32_t oh_names_node(const oh_names *names, oh_text name, uint32_t other)
{
    const oh_name *found = names->count > 0 ? *find(names, name, hash_of(name)) : NULL;

    return found ? found->node : other;
}

static void put(oh_names *names, oh_name *name)
{
    oh_name **place = &names->buckets[name->hash % names->buckets_count];

    name->next = *place;
    *place = name;
}

/* False if there is no memory. */
static bool grow(oh_names *names)
{
    oh_names larger = {.count = names->count,
        .buckets_count = names->buckets_count ? names->buckets_count * 2 : OH_BUCKETS_MIN};

    larger.buckets = oh_call_zeroed(larger.buckets_count, sizeof(oh_name *));
    if (!larger.buckets) {
        return false;
    }
    for (uint32_t i = 0; i < names->buckets_count; i++) {
        for (oh_name *name = names->buckets[i], *next; name; name = next) {
            next = name->next;
            put(&larger, name);
        }
    }
    oh_call_release(names->buckets);
    *names = larger;
    return true;
}

bool oh_names_add(oh_names *names, oh_text name, uint32_t node)
{
    uint32_t hash = hash_of(name);

    if (oh_names_has(names, name)) {
        (*find(names, name, hash))->node = node;
        return true;
    }
    if (names->count == names->buckets_count && !grow(names)) {
        return false;
    }
    oh_name *added = oh_call_allocate(sizeof *added + name.length);
    if (!added) {
        return false;
    }
    added->hash = hash;
    added->node = node;
    added->length = name.length;
    memcpy(added->bytes, name.bytes, name.length);
    put(names, added);
    names->count++;
    return true;
}

void oh_names_remove(oh_names *names, oh_text name)
{
    if (names->count == 0) {
        return;
    }
    oh_name **place = find(names, name, hash_of(name)), *removed = *place;

    if (!removed) {
        return;
    }
    *place = removed->next;
    names->count--;
    oh_call_release(removed);
}

bool oh_names_next(const oh_names *names, oh_names_place *place)
{
    oh_name *next = place->last ? place->last->next : NULL;

    while (!next && place->bucket < names->buckets_count) {
        next = names->buckets[place->bucket++];
    }
    place->last = next;
    if (next) {
        place->name = (oh_text){next->bytes, next->length};
        place->node = &next->node;
    }
    return next != NULL;
}

void oh_names_free(oh_names *names)
{
    for (uint32_t i = 0; i < names->buckets_count; i++) {
        while (names->buckets[i]) {
            oh_name *name = names->buckets[i];

            names->buckets[i] = name->next;
            oh_call_release(name);
        }
    }
    oh_call_release(names->buckets);
    *names = (oh_names){0};
}
