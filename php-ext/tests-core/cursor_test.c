/*
 * The cursor of SCAN against the vectors of spec/route.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/command/cursor.h"
#include "core/generated/timings.h"
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
    uint64_t expected;

    /* The exchange refuses what is not a number of 64 bits. */
    if (number_of(vectors_string(test, "nodeCursor"), &answered.within)) {
        CHECK(number_of(vectors_string(test, "cursor"), &expected));
        CHECK(oh_cursor_write(vectors_string(test, "fingerprint"), vectors_number(test, "nodes"),
                  answered) == expected);
    } else {
        CHECK(json_is_string(json_object_get(test, "fails")));
    }
}

static void test_read(const json_t *test)
{
    static oh_kept_cursors kept;
    oh_cursor found = {0, 0};
    uint64_t cursor, expected, own;
    json_t *each;
    size_t i;

    kept = (oh_kept_cursors){0};
    json_array_foreach(json_object_get(test, "kept"), i, each)
    {
        CHECK(number_of(json_string_value(each), &own));
        oh_cursor_keep(&kept, own, 1000 + i);
    }
    bool is_read = number_of(vectors_string(test, "cursor"), &cursor) &&
                   oh_cursor_read(vectors_string(test, "fingerprint"),
                       vectors_number(test, "nodes"), cursor, &found) &&
                   oh_cursor_find(&kept, &found.within, 2000);

    CHECK(is_read == !json_is_string(json_object_get(test, "fails")));
    if (is_read) {
        CHECK(found.node == vectors_number(test, "node"));
        CHECK(number_of(vectors_string(test, "nodeCursor"), &expected) && found.within == expected);
    }
}

static void test_kept(void)
{
    static oh_kept_cursors kept;
    uint64_t first = UINT64_MAX - 8 * OH_KEPT_CURSORS_MAX, left = 0, within;

    test_begin("kept cursors: if there are too many, the oldest is dropped");
    for (uint64_t own = first; own < UINT64_MAX; own++) {
        oh_cursor_keep(&kept, own, own - first);
        within = oh_cursor_ticket(own);
        CHECK(oh_cursor_find(&kept, &within, own - first) && within == own);
    }
    for (uint64_t own = first; own < UINT64_MAX; own++) {
        within = oh_cursor_ticket(own);
        left += oh_cursor_find(&kept, &within, UINT64_MAX - first);
    }
    CHECK(left > 0 && left <= OH_KEPT_CURSORS_MAX);
    test_begin("kept cursors: each is kept for an hour after its last use");
    oh_cursor_keep(&kept, UINT64_MAX, 1);
    within = oh_cursor_ticket(UINT64_MAX);
    CHECK(oh_cursor_find(&kept, &within, OH_KEPT_CURSOR_MS));
    within = oh_cursor_ticket(UINT64_MAX);
    CHECK(!oh_cursor_find(&kept, &within, 2 * OH_KEPT_CURSOR_MS));
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
            vectors_begin("cursor", test);
            (is_write ? test_write : test_read)(test);
        }
    }
    json_decref(page);
    test_kept();
}
