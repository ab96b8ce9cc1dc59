/*
 * Buckets: four for each power of two, found by the highest bit and the two bits below it.
 *
 * Implements spec/meter.
 */
#include "core/host/meter.h"

uint32_t oh_meter_bucket(uint64_t us)
{
    if (us < 4) {
        return (uint32_t)us;
    }
    uint32_t highest = 63 - (uint32_t)__builtin_clzll(us);
    uint32_t bucket = 4 * (highest - 1) + ((uint32_t)(us >> (highest - 2)) & 3);
    return bucket < OH_METER_BUCKETS ? bucket : OH_METER_BUCKETS - 1;
}

uint64_t oh_meter_begin(uint32_t bucket)
{
    return bucket < 4 ? bucket : (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

void oh_meter_answered(oh_meter *meter, uint64_t took_ns)
{
    uint64_t us = took_ns / 1000;
    atomic_fetch_add_explicit(&meter->buckets[oh_meter_bucket(us)], 1, memory_order_relaxed);
    oh_meter_add(meter, OH_METER_LATENCY_US, us);
}

void oh_meter_read(const oh_meter *meter, oh_meter_reading *reading)
{
    reading->timed = 0;
    for (uint32_t i = 0; i < OH_METER_COUNTERS_COUNT; i++) {
        reading->counters[i] = atomic_load_explicit(&meter->counters[i], memory_order_relaxed);
    }
    for (uint32_t i = 0; i < OH_METER_BUCKETS; i++) {
        reading->buckets[i] = atomic_load_explicit(&meter->buckets[i], memory_order_relaxed);
        reading->timed += reading->buckets[i];
    }
    reading->calls =
        reading->timed + reading->counters[OH_METER_UNTIMED] + reading->counters[OH_METER_ERRORS];
}

/* In whole calls, rounded up, and without a product that could be too large. */
static uint64_t rank_of(uint64_t count, uint32_t thousandths)
{
    uint64_t rank = count / 1000 * thousandths + (count % 1000 * thousandths + 999) / 1000;
    return rank > 0 ? rank : 1;
}

uint64_t oh_meter_percentile(const oh_meter_reading *reading, uint32_t thousandths)
{
    uint64_t rank = rank_of(reading->timed, thousandths), seen = 0;
    if (reading->timed == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < OH_METER_BUCKETS - 1; i++) {
        seen += reading->buckets[i];
        if (seen >= rank) {
            return oh_meter_begin(i + 1);
        }
    }
    return oh_meter_begin(OH_METER_BUCKETS - 1);
}

uint64_t oh_meter_below(const oh_meter_reading *reading, uint64_t us)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < oh_meter_bucket(us); i++) {
        count += reading->buckets[i];
    }
    return count;
}
