/*
 * Meters and shares, against the vectors of spec/meter.
 */
#include <stdlib.h>
#include <string.h>

#include "core/health/meter.h"
#include "check.h"
#include "vectors.h"

static void test_bucket(const json_t *test)
{
    uint64_t us = (uint64_t)json_integer_value(json_object_get(test, "us"));
    uint32_t bucket = vectors_number(test, "bucket");
    CHECK(oh_meter_bucket(us) == bucket);
    CHECK(oh_meter_begin(bucket) == vectors_number(test, "begin"));
}

static void test_percentiles(const json_t *test)
{
    oh_meter meter = {0};
    oh_meter_reading reading;
    uint64_t count = 0, below = 0;
    const json_t *times = json_object_get(test, "times");
    for (size_t i = 0; i < json_array_size(times); i++) {
        const json_t *pair = json_array_get(times, i);
        uint64_t us = (uint64_t)json_integer_value(json_array_get(pair, 0));
        for (json_int_t left = json_integer_value(json_array_get(pair, 1)); left > 0; left--) {
            oh_meter_answered(&meter, count + 1, us * 1000 + 999);
            count++;
            below += us < 64;
        }
    }
    oh_meter_failed(&meter, count + 1);
    oh_meter_read(&meter, count + 1, &reading);
    CHECK(oh_meter_percentile(&reading, 500) == vectors_number(test, "p50"));
    CHECK(oh_meter_percentile(&reading, 990) == vectors_number(test, "p99"));
    CHECK(oh_meter_percentile(&reading, 999) == vectors_number(test, "p999"));
    CHECK(oh_meter_below(&reading, 64) == below);
    CHECK(reading.timed == count && reading.calls == count + 1);
}

static uint64_t member(const json_t *list, size_t index)
{
    return (uint64_t)json_integer_value(json_array_get(list, index));
}

static void test_recent(const json_t *test)
{
    oh_meter meter = {0};
    oh_meter_reading reading;
    uint64_t total = 0;
    uint64_t now_ms = (uint64_t)json_integer_value(json_object_get(test, "nowMs"));
    const json_t *errors = json_object_get(test, "errors");
    for (size_t i = 0; i < json_array_size(errors); i++) {
        const json_t *pair = json_array_get(errors, i);
        for (uint64_t left = member(pair, 1); left > 0; left--, total++) {
            oh_meter_failed(&meter, member(pair, 0) * 1000000 + 999999);
        }
    }
    oh_meter_read(&meter, now_ms * 1000000, &reading);
    CHECK(reading.recent_errors == vectors_number(test, "recent"));
    CHECK(reading.counters[OH_METER_ERRORS] == total);
}

/* A meter keeps the instant of its first use and that of the last answer. */
static void test_since(void)
{
    test_begin("meter: the instants of the first use and of the last answer");
    oh_meter meter = {0};
    oh_meter_reading reading;
    oh_meter_read(&meter, 1, &reading);
    CHECK(reading.since_s == 0 && reading.answered_ns == 0);
    oh_meter_open(&meter, 77);
    oh_meter_open(&meter, 99);
    oh_meter_answered(&meter, 5000, 4);
    oh_meter_failed(&meter, 6000);
    oh_meter_read(&meter, 6000, &reading);
    CHECK(reading.since_s == 77 && reading.answered_ns == 5000);
    oh_meter_answered_untimed(&meter, 7000);
    oh_meter_read(&meter, 7000, &reading);
    CHECK(reading.answered_ns == 7000 && reading.calls == 3);
}

/* Whatever the memory contains, each percentile is in a bucket. */
static void test_nonsense(void)
{
    test_begin("meter: percentiles of a damaged meter stay in range");
    oh_meter meter;
    oh_meter_reading reading;
    memset(&meter, 0xff, sizeof meter);
    oh_meter_read(&meter, 1, &reading);
    CHECK(oh_meter_percentile(&reading, 990) <= oh_meter_begin(OH_METER_BUCKETS - 1));
}

static void test_share(const json_t *test)
{
    oh_config *config = config_of(vectors_string(test, "config"));
    const oh_server_pool *pool = oh_config_pool(config, "p", 1);
    bool *ejected = calloc(pool->servers_count, sizeof *ejected);
    uint32_t *shares = malloc(pool->servers_count * sizeof *shares);
    const json_t *dead = json_object_get(test, "dead");
    for (size_t i = 0; i < pool->servers_count; i++) {
        for (size_t j = 0; j < json_array_size(dead); j++) {
            ejected[i] |= strcmp(pool->servers[i].name.bytes,
                              json_string_value(json_array_get(dead, j))) == 0;
        }
    }
    oh_topology *topology = topology_of(pool, ejected);
    oh_topology_shares(topology, shares);
    for (size_t i = 0; i < pool->servers_count; i++) {
        CHECK(shares[i] ==
              vectors_number(json_object_get(test, "shares"), pool->servers[i].name.bytes));
    }
    free(topology);
    free(shares);
    free(ejected);
    oh_config_free(config);
}

void test_meter(void)
{
    static const char page[] = "meter/vectors/meter.json";
    vectors_run(page, "BucketTest", test_bucket);
    vectors_run(page, "PercentileTest", test_percentiles);
    vectors_run(page, "ShareTest", test_share);
    vectors_run(page, "RecentTest", test_recent);
    test_since();
    test_nonsense();
}
