/*
 * Meter: what became of the calls of one node, for those who look at it.
 *
 * Counters that several processes add to at once, in memory that they share or in a process' own.
 * Adding is relaxed: nothing is ever decided by these numbers, and who reads them while others add
 * sees each of them at a slightly other moment. What others may have written there is shown, never
 * used as a place or a length.
 *
 * On the road: pool tells of leases, exchange of how a call ended.
 *
 * Implements spec/meter.
 */
#ifndef OH_METER_H
#define OH_METER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define OH_METER_BUCKETS 101

typedef enum oh_meter_counter {
    OH_METER_LEASES,
    OH_METER_BYTES_SENT,
    OH_METER_BYTES_RECEIVED,
    OH_METER_LATENCY_US, /* The sum of all times in the buckets. */
    OH_METER_UNTIMED,    /* Calls that ended well and have no time. */
    OH_METER_ERRORS,
    OH_METER_REDIRECTS,
    OH_METER_WAITS,
    OH_METER_CONNECTS,
    OH_METER_COUNTERS_COUNT
} oh_meter_counter;

/* All zero is a new one. The counters of the usual call stand in front, in one cache line. */
typedef struct oh_meter {
    _Atomic uint64_t counters[OH_METER_COUNTERS_COUNT];
    _Atomic uint64_t buckets[OH_METER_BUCKETS];
    /* Of reads, where the fastest node is looked for (core/cluster/fastest); 0: none yet. */
    _Atomic uint64_t smoothed_ns;
} oh_meter;

/* The numbers of a meter at some moment. */
typedef struct oh_meter_reading {
    uint64_t counters[OH_METER_COUNTERS_COUNT];
    uint64_t buckets[OH_METER_BUCKETS];
    uint64_t timed; /* The sum of the buckets. */
    uint64_t calls;
} oh_meter_reading;

static inline void oh_meter_add(oh_meter *meter, oh_meter_counter counter, uint64_t count)
{
    atomic_fetch_add_explicit(&meter->counters[counter], count, memory_order_relaxed);
}

static inline void oh_meter_count(oh_meter *meter, oh_meter_counter counter)
{
    oh_meter_add(meter, counter, 1);
}

/* A call ended well after so many nanoseconds. */
void oh_meter_answered(oh_meter *meter, uint64_t took_ns);

void oh_meter_read(const oh_meter *meter, oh_meter_reading *reading);

/* The bucket of a time, and the microseconds with which a bucket begins. */
uint32_t oh_meter_bucket(uint64_t us);
uint64_t oh_meter_begin(uint32_t bucket);

/* Microseconds that so many thousandths of the calls took less than; 0: there were none. */
uint64_t oh_meter_percentile(const oh_meter_reading *reading, uint32_t thousandths);

/* How many of the calls took less than so many microseconds, a power of two from 4 on. */
uint64_t oh_meter_below(const oh_meter_reading *reading, uint64_t us);

#endif
