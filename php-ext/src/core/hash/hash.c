/*
 * The tables of the algorithms, function and name of each, made from the one list in hash.h.
 */
#include "core/hash/hash.h"

#include <string.h>

const oh_hash_fn oh_hash_functions[OH_HASHES_COUNT] = {
#define ROW(constant, name) [constant] = oh_hash_##name,
    OH_HASHES(ROW)
#undef ROW
};

static const char *const names[OH_ALL_HASHES_COUNT] = {
#define ROW(constant, name) [constant] = #name,
    OH_HASHES(ROW) OH_FOREIGN_HASHES(ROW)
#undef ROW
};

oh_hash_fn oh_hash_function(oh_hash hash)
{
    return oh_hash_functions[hash];
}

const char *oh_hash_name(oh_hash hash)
{
    return names[hash];
}

bool oh_hash_find(const char *name, size_t length, oh_hash *hash)
{
    for (int i = 0; i < OH_HASHES_COUNT; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
            *hash = (oh_hash)i;
            return true;
        }
    }
    return false;
}
