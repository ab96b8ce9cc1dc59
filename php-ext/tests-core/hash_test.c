/*
 * The twelve hash functions against the vectors of spec/hash, and at every alignment. Hash tags and
 * slots against those of spec/key.
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

/* ---- Hash tags and slots ---- */

static void test_tag(const json_t *group, const json_t *test)
{
    vectors_begin("key", test);
    bool has_tag = json_is_string(json_object_get(group, "tag"));
    bytes tag = bytes_of_hex(has_tag ? vectors_string(group, "tag") : "");
    bytes key = bytes_of_field(test, "key");
    bytes expected = bytes_of_field(test, "hashed");
    oh_bytes hashed = oh_key_hashed((oh_bytes){key.bytes, key.length}, has_tag ? tag.bytes : NULL);
    CHECK(bytes_equal(expected, hashed.bytes, hashed.length));
    free(tag.bytes);
    free(key.bytes);
    free(expected.bytes);
}

static void test_slot(const json_t *test)
{
    bytes key = bytes_of_field(test, "key");
    CHECK(oh_key_slot((oh_bytes){key.bytes, key.length}) == vectors_number(test, "slot"));
    free(key.bytes);
}

static void test_keys(void)
{
    json_t *group;
    json_t *test;
    json_t *page = vectors_load("key/vectors/key.json");
    EACH_GROUP(page, group)
    {
        if (!vectors_is(group, "TagTest")) {
            continue;
        }
        EACH_TEST(group, test)
        {
            test_tag(group, test);
        }
    }
    json_decref(page);
    vectors_run("key/vectors/key.json", "SlotTest", test_slot);
}

void test_hash(void)
{
    test_names();
    test_vectors();
    test_keys();
}
