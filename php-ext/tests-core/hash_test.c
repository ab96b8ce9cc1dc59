/*
 * The twelve hash functions against the vectors of spec/hash, and at every alignment.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "vectors.h"

static void test_vector(oh_hash hash, const json_t *test)
{
    test_begin("hash %s %u: %s", oh_hash_name(hash), vectors_number(test, "tcId"),
        vectors_string(test, "comment"));
    bytes key = bytes_of_field(test, "key");
    uint32_t expected = vectors_number(json_object_get(test, "hashes"), oh_hash_name(hash));
    CHECK(oh_hash_function(hash)(key.bytes, key.length) == expected);

    uint8_t *moved = malloc(key.length + 3);
    for (size_t offset = 1; offset <= 3; offset++) {
        memcpy(moved + offset, key.bytes, key.length);
        CHECK(oh_hash_function(hash)(moved + offset, key.length) == expected);
    }
    free(moved);
    free(key.bytes);
}

static void test_vectors(void)
{
    json_t *page = vectors_load("hash/vectors/hashes.json");
    json_t *group;
    json_t *test;
    EACH_GROUP(page, group)
    {
        EACH_TEST(group, test)
        {
            for (int i = 0; i < OH_HASHES_COUNT; i++) {
                test_vector((oh_hash)i, test);
            }
        }
    }
    json_decref(page);
}

static void test_names(void)
{
    test_begin("only the exact names of hashes are found");
    for (int i = 0; i < OH_HASHES_COUNT; i++) {
        oh_hash found = OH_HASHES_COUNT;
        const char *name = oh_hash_name((oh_hash)i);
        CHECK(oh_hash_find(name, strlen(name), &found) && found == (oh_hash)i);
        CHECK(!oh_hash_find(name, strlen(name) - 1, &found) || found != (oh_hash)i);
    }
    oh_hash untouched = OH_HASH_MD5;
    CHECK(!oh_hash_find("FNV1A_64", 8, &untouched) && untouched == OH_HASH_MD5);
    CHECK(!oh_hash_find("", 0, &untouched) && !oh_hash_find("sha1", 4, &untouched));
}

void test_hash(void)
{
    test_names();
    test_vectors();
}
