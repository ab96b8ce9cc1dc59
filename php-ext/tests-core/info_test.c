/* Fields of INFO: how they are merged if nodes differ or send invalid values. */
#include <stdlib.h>
#include <string.h>

#include "core/command/info.h"
#include "check.h"

#define NODES_MAX 3

typedef struct info_case {
    oh_info_rule rule;
    const char *values[NODES_MAX]; /* NULL: this node does not have the field. */
    const char *merged;            /* NULL: left out. */
} info_case;

static const info_case cases[] = {
    {OH_INFO_SUM, {"100", "100", "0"}, "200"},
    {OH_INFO_SUM, {"100", "100", NULL}, NULL},
    {OH_INFO_SUM, {"100", "x", "1"}, NULL},
    {OH_INFO_SUM, {"100", "-1", "1"}, NULL},
    {OH_INFO_SUM, {"100", "", "1"}, NULL},
    {OH_INFO_SUM, {"999999999999999", "999999999999999", "2"}, "2000000000000000"},
    {OH_INFO_SUM, {"1000000000000000", "1", "1"}, NULL},
    {OH_INFO_HUMAN, {"1000", "23", "0"}, "1023B"},
    {OH_INFO_HUMAN, {"1000", "24", "0"}, "1.00K"},
    {OH_INFO_HUMAN, {"1024", "1152", "0"}, "2.12K"},
    {OH_INFO_HUMAN, {"1048576", "524288", "1"}, "1.50M"},
    {OH_INFO_HUMAN, {"999999999999999", "999999999999999", "999999999999999"}, "2.66P"},
    {OH_INFO_LOWEST, {"50", "40", "60"}, "40"},
    {OH_INFO_LOWEST, {"50", "40", NULL}, NULL},
    {OH_INFO_LOWEST, {"7.0.15", "7.0.9", "7.1"}, "7.0.9"},
    {OH_INFO_LOWEST, {"7.0", "7", "7.0.0"}, "7"},
    {OH_INFO_LOWEST, {"", "7", "7.0.0"}, ""},
    {OH_INFO_EQUAL, {"noeviction", "noeviction", "noeviction"}, "noeviction"},
    {OH_INFO_EQUAL, {"noeviction", "noeviction", "Noeviction"}, NULL},
    {OH_INFO_EQUAL,
        {"a text of more than 64 bytes, which no server has for such a field of INFO",
            "a text of more than 64 bytes, which no server has for such a field of INFO",
            "a text of more than 64 bytes, which no server has for such a field of INFO"},
        NULL},
    {OH_INFO_KEYS, {"keys=2,expires=1,avg_ttl=100", "keys=5,expires=3", NULL}, "keys=7"},
    {OH_INFO_KEYS, {"keys=2,expires=0", NULL, NULL}, "keys=2"},
    {OH_INFO_KEYS, {"keys=2,expires=0", "keys=2", NULL}, NULL},
    {OH_INFO_KEYS, {"keys=2,expires=0", "keys=,expires=0", NULL}, NULL},
    {OH_INFO_KEYS, {"keys=2,expires=0", "key", NULL}, NULL},
    {OH_INFO_KEYS, {NULL, NULL, NULL}, NULL},
};

/* Values in memory of exactly their size, so that a sanitizer detects a read beyond it. */
static void test_case(const info_case *test)
{
    oh_bytes values[NODES_MAX];
    char text[OH_INFO_ROOM];
    size_t count = 0;

    for (size_t i = 0; i < NODES_MAX; i++) {
        if (test->values[i]) {
            size_t length = strlen(test->values[i]);
            uint8_t *bytes = malloc(length);
            memcpy(bytes, test->values[i], length);
            values[count++] = (oh_bytes){bytes, length};
        }
    }
    size_t length = oh_info_merge(test->rule, values, count, NODES_MAX, text);
    const char *merged = test->merged ? test->merged : "";
    CHECK(length == strlen(merged) && memcmp(text, merged, length) == 0);
    while (count > 0) {
        free((void *)values[--count].bytes);
    }
}

void test_info(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_begin("info %u", (unsigned)i);
        test_case(&cases[i]);
    }
}
