/*
 * The cursor of SCAN against the vectors of spec/route.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/command/cursor.h"
#include "check.h"
#include "vectors.h"

/*
 * Converts decimal text to a number, because phpredis passes numbers to the extension. False if it
 * does not fit into 64 bits.
 */
static bool number_of(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static void test_write(const json_t *test)
{
    oh_cursor answered = {vectors_number(test, "node"), 0};
    uint64_t expected, cursor = 0;
    bool is_written = number_of(vectors_string(test, "nodeCursor"), &answered.within) &&
                      oh_cursor_write(vectors_string(test, "fingerprint"),
                          vectors_number(test, "nodes"), answered, &cursor);

    CHECK(is_written == !json_is_string(json_object_get(test, "fails")));
    if (is_written) {
        CHECK(number_of(vectors_string(test, "cursor"), &expected) && cursor == expected);
    }
}

static void test_read(const json_t *test)
{
    oh_cursor found = {0, 0};
    uint64_t cursor, expected;
    bool is_read = number_of(vectors_string(test, "cursor"), &cursor) &&
                   oh_cursor_read(vectors_string(test, "fingerprint"),
                       vectors_number(test, "nodes"), cursor, &found);

    CHECK(is_read == !json_is_string(json_object_get(test, "fails")));
    if (is_read) {
        CHECK(found.node == vectors_number(test, "node"));
        CHECK(number_of(vectors_string(test, "nodeCursor"), &expected) && found.within == expected);
    }
}

void test_cursor(void)
{
    json_t *page = vectors_load("route/vectors/cursor.json");
    json_t *group;
    json_t *test;

    EACH_GROUP(page, group)
    {
        bool is_write = vectors_string(group, "type")[0] == 'W';

        EACH_TEST(group, test)
        {
            test_begin(
                "cursor %u: %s", vectors_number(test, "tcId"), vectors_string(test, "comment"));
            (is_write ? test_write : test_read)(test);
        }
    }
    json_decref(page);
}
