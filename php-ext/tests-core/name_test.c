/* The table of host names: a record is found until it expires, and damaged ones are ignored. */
#include <stdlib.h>
#include <string.h>

#include "core/store/store_name.h"
#include "check.h"

#define NOW_MS UINT64_C(1000000)

static void name_at(uint32_t number, uint8_t identity[OH_NAME_IDENTITY_BYTES])
{
    memset(identity, 0, OH_NAME_IDENTITY_BYTES);
    memcpy(identity, &number, sizeof number);
}

static oh_name name_of(uint32_t count, uint64_t until_ms)
{
    oh_name name = {.until_ms = until_ms, .count = count};

    for (uint32_t i = 0; i < count; i++) {
        name.addresses[i].is_v6 = i % 3 == 1;
        memset(name.addresses[i].bytes, (int)(i + count), name.addresses[i].is_v6 ? 16 : 4);
    }
    return name;
}

static bool is_known(
    const oh_store_names *names, uint32_t number, uint64_t now_ms, const oh_name *expected)
{
    uint8_t identity[OH_NAME_IDENTITY_BYTES];
    oh_name found;

    memset(&found, 0, sizeof found);
    name_at(number, identity);
    if (!oh_store_recall(names, identity, now_ms, &found)) {
        return false;
    }
    bool is_same = found.count == expected->count && found.until_ms == expected->until_ms;
    for (uint32_t i = 0; is_same && i < found.count; i++) {
        is_same = found.addresses[i].is_v6 == expected->addresses[i].is_v6 &&
                  memcmp(found.addresses[i].bytes, expected->addresses[i].bytes, 16) == 0;
    }
    CHECK(is_same);
    return true;
}

static void remember(oh_store_names *names, uint32_t number, const oh_name *name)
{
    uint8_t identity[OH_NAME_IDENTITY_BYTES];

    name_at(number, identity);
    oh_store_remember(names, identity, name, NOW_MS);
}

static void test_time(oh_store_names *names)
{
    test_begin("a name is known until it expires, and ignored if no name can expire so late");
    for (uint32_t count = 1; count <= OH_NAME_ADDRESSES_MAX; count++) {
        oh_name name = name_of(count, NOW_MS + 5000);

        remember(names, 7, &name);
        CHECK(is_known(names, 7, NOW_MS, &name));
        CHECK(is_known(names, 7, NOW_MS + 4999, &name));
        CHECK(!is_known(names, 7, NOW_MS + 5000, &name));
        CHECK(!is_known(names, 8, NOW_MS, &name));
    }
    oh_name far = name_of(1, NOW_MS + OH_NAME_KEPT_MS_MAX + 1);
    remember(names, 7, &far);
    CHECK(!is_known(names, 7, NOW_MS, &far));
}

static void test_crowd(oh_store_names *names)
{
    oh_name name = name_of(2, NOW_MS + 5000);
    uint32_t known = 0;

    test_begin(
        "a name that is remembered again has one place; if there are too many names, the last "
        "ones are known");
    for (uint32_t i = 0; i < 8; i++) {
        remember(names, 9 + i % 2 * OH_NAME_PLACES, &name);
    }
    CHECK(is_known(names, 9, NOW_MS, &name) && is_known(names, 9 + OH_NAME_PLACES, NOW_MS, &name));
    for (uint32_t i = 0; i < 16; i++) {
        name.until_ms = NOW_MS + 5000 + i;
        remember(names, 40 + i * OH_NAME_PLACES, &name);
    }
    for (uint32_t i = 0; i < 16; i++) {
        name.until_ms = NOW_MS + 5000 + i;
        known += is_known(names, 40 + i * OH_NAME_PLACES, NOW_MS, &name);
    }
    CHECK(known == 4 && is_known(names, 40 + 15 * OH_NAME_PLACES, NOW_MS, &name));
}

static void test_damage(oh_store_names *names)
{
    oh_name name = name_of(3, NOW_MS + 5000);
    uint8_t *bytes = (uint8_t *)names;

    test_begin("a name is unknown after any bit of its record has changed");
    memset(bytes, 0, sizeof *names);
    remember(names, 3, &name);
    for (size_t at = 0; at < sizeof *names; at++) {
        size_t place = at / sizeof names->places[0];
        for (int bit = 0; place == 3 && bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1 << bit);
            CHECK(!is_known(names, 3, NOW_MS, &name));
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    }
    CHECK(is_known(names, 3, NOW_MS, &name));
    memset(bytes, 0xff, sizeof *names);
    CHECK(!is_known(names, 3, NOW_MS, &name));
}

void test_name(void)
{
    oh_store_names *names = calloc(1, sizeof *names);

    test_time(names);
    test_crowd(names);
    test_damage(names);
    free(names);
}
