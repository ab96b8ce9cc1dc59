/* Fields of INFO: how they are merged if nodes differ or send invalid values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/command/info.h"
#include "check.h"

#define NODES_MAX 3

typedef struct info_case {
    const char *name;
    const char *values[NODES_MAX]; /* NULL: this node does not have the field. */
    const char *merged;            /* NULL: left out. */
} info_case;

static const info_case cases[] = {
    {"used_memory", {"100", "100", NULL}, "200"},
    {"used_memory", {"9223372036854775808", "x", "-1"}, "9223372036854775806"},
    {"uptime_in_seconds", {"50", "-40", "60"}, "-40"},
    {"uptime_in_seconds", {"50", "40", NULL}, NULL},
    {"loading", {"0", "1", "0"}, "1"},
    {"redis_version", {"7.0.15", "7.0.9", "7.1"}, "7.0.9"},
    {"redis_version", {"7.0", "7", "7.0.0"}, "7"},
    {"os", {"Linux", "Linux", "Linux"}, "Linux"},
    {"os", {"Linux", "Linux", "linux"}, NULL},
    {"", {"", "", ""}, ""},
    {"db0", {"keys=2,expires=1,avg_ttl=100", "keys=5,expires=3,avg_ttl=200", NULL},
        "keys=7,expires=4,avg_ttl=175"},
    {"db0", {"keys=2,expires=0,avg_ttl=100", NULL, NULL}, "keys=2,expires=0,avg_ttl=0"},
    {"db", {"keys=2", "keys=3", "keys=4"}, NULL},
    {"cmdstat_get", {"calls=3,usec=10,usec_per_call=3.33", "usec_per_call=9,usec=1,calls=4", NULL},
        "calls=7,usec=11,usec_per_call=1.57"},
    {"cmdstat_get", {"calls=3", "calls=x", NULL}, NULL},
    {"cmdstat_get", {"calls=3", "", NULL}, NULL},
    {"errorstat_ERR", {"count=2", "count", NULL}, NULL},
    {"errorstat_ERR", {"count=2", "count=", NULL}, NULL},
    {"latency_percentiles_usec_get", {"p50=9.5,p99=10.111", "p50=10.003,p99=010.11", NULL},
        "p50=10.003,p99=10.111"},
    {"latency_percentiles_usec_get", {"p50=1.", "p50=1e9", NULL}, NULL},
};

static oh_bytes bytes_of(const char *text)
{
    return (oh_bytes){(const uint8_t *)text, strlen(text)};
}

/* Merges into memory of exactly the requested size, so a sanitizer detects a write beyond it. */
static void test_case(const info_case *test)
{
    oh_bytes values[NODES_MAX];
    char number[32];
    size_t count = 0;
    for (size_t i = 0; i < NODES_MAX; i++) {
        if (test->values[i]) {
            values[count++] = bytes_of(test->values[i]);
        }
    }
    char *text = malloc(oh_info_room(values, count));
    oh_info info = oh_info_merge(bytes_of(test->name), values, count, NODES_MAX, text);
    oh_bytes merged = {(const uint8_t *)text, info.length};

    if (info.kind == OH_INFO_NUMBER) {
        snprintf(number, sizeof number, "%lld", (long long)info.number);
        merged = bytes_of(number);
    } else if (info.kind == OH_INFO_VALUE) {
        merged = values[info.index];
    }
    CHECK((info.kind == OH_INFO_LEFT_OUT) == !test->merged);
    if (test->merged && info.kind != OH_INFO_LEFT_OUT) {
        CHECK(merged.length == strlen(test->merged) &&
              memcmp(merged.bytes, test->merged, merged.length) == 0);
    }
    free(text);
}

static void test_too_many_parts(void)
{
    char list[OH_INFO_PARTS_MAX * 8 + 16];
    size_t length = 0;
    for (unsigned i = 0; i <= OH_INFO_PARTS_MAX; i++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "p%u=1,", i);
    }
    list[length - 1] = '\0';
    oh_bytes value = bytes_of(list);
    char *text = malloc(oh_info_room(&value, 1));
    CHECK(oh_info_merge(bytes_of("cmdstat_get"), &value, 1, 1, text).kind == OH_INFO_LEFT_OUT);
    free(text);
}

void test_info(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_begin("info %u: %s", (unsigned)i, cases[i].name);
        test_case(&cases[i]);
    }
    test_begin("info: a list of too many parts is left out");
    test_too_many_parts();
}
