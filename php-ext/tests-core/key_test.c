/*
 * Hash tags and slots against the vectors of spec/key.
 */
#include <stdlib.h>

#include "check.h"
#include "vectors.h"

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

void test_key(void)
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
