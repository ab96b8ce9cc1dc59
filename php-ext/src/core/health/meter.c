/*
 * Buckets: four for each power of two, found by the highest bit and the two bits below it.
 *
 * Recent errors: a ring of slots. Each slot knows for which half minute it counts, so the first
 * error of a later half minute starts it again.
 *
 * Implements spec/meter.
 */
#include "core/health/meter.h"

#include "core/generated/timings.h"

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

void oh_meter_open(oh_meter *meter, uint64_t unix_s)
{
    uint64_t never = 0;

    atomic_compare_exchange_strong_explicit(
        &meter->since_s, &never, unix_s, memory_order_relaxed, memory_order_relaxed);
}

void oh_meter_answered(oh_meter *meter, uint64_t now_ns, uint64_t took_ns)
{
    uint64_t us = took_ns / 1000;

    atomic_fetch_add_explicit(&meter->buckets[oh_meter_bucket(us)], 1, memory_order_relaxed);
    oh_meter_add(meter, OH_METER_LATENCY_US, us);
    atomic_store_explicit(&meter->answered_ns, now_ns, memory_order_relaxed);
}

void oh_meter_answered_untimed(oh_meter *meter, uint64_t now_ns)
{
    oh_meter_count(meter, OH_METER_UNTIMED);
    atomic_store_explicit(&meter->answered_ns, now_ns, memory_order_relaxed);
}

/* ---- Recent errors ---- */

static uint32_t slot_of(uint64_t now_ns)
{
    return (uint32_t)(now_ns / 1000000 / OH_RECENT_SLOT_MS);
}

void oh_meter_failed(oh_meter *meter, uint64_t now_ns)
{
    uint32_t slot = slot_of(now_ns);
    _Atomic uint64_t *place = &meter->slots[slot % OH_RECENT_SLOTS];
    uint64_t found = atomic_load_explicit(place, memory_order_relaxed), next;

    oh_meter_count(meter, OH_METER_ERRORS);
    do {
        uint64_t count = found >> 32 == slot ? (uint32_t)found : 0;

        next = (uint64_t)slot << 32 | (count + (count < UINT32_MAX));
    } while (!atomic_compare_exchange_weak_explicit(
        place, &found, next, memory_order_relaxed, memory_order_relaxed));
}

static uint64_t recent_errors(const oh_meter *meter, uint64_t now_ns)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < OH_RECENT_SLOTS; i++) {
        uint64_t found = atomic_load_explicit(&meter->slots[i], memory_order_relaxed);

        if (slot_of(now_ns) - (uint32_t)(found >> 32) < OH_RECENT_SLOTS) {
            sum += (uint32_t)found;
        }
    }
    return sum;
}

void oh_meter_read(const oh_meter *meter, uint64_t now_ns, oh_meter_reading *reading)
{
    reading->since_s = atomic_load_explicit(&meter->since_s, memory_order_relaxed);
    reading->answered_ns = atomic_load_explicit(&meter->answered_ns, memory_order_relaxed);
    reading->recent_errors = recent_errors(meter, now_ns);
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

/* The rank in whole calls, rounded up. No product on the way can be too large. */
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
