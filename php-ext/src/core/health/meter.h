/*
 * Meter: counts the calls of one node and how they ended, for status pages and metrics.
 *
 * A meter is in memory that several processes share, which then add to its counters in parallel, or
 * in the memory of one process. Adding is relaxed: no decision depends on these numbers, and a
 * reader sees each of them at a slightly different moment. A process that writes nonsense there can
 * only spoil the display: the numbers are never used as an index or a length.
 *
 * In a call, room pool counts leases, and room exchange counts how calls ended.
 *
 * Implements spec/meter.
 */
#ifndef OH_METER_H
#define OH_METER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/generated/limits.h"

#define OH_METER_BUCKETS 101

typedef enum oh_meter_counter {
    OH_METER_LEASES,
    OH_METER_BYTES_SENT,
    OH_METER_BYTES_RECEIVED,
    OH_METER_LATENCY_US, /* The sum of all times in the buckets. */
    OH_METER_UNTIMED,    /* Successful calls without a time. */
    OH_METER_ERRORS,
    OH_METER_REDIRECTS,
    OH_METER_WAITS,
    OH_METER_CONNECTS,
    /* SELECTs in front of a request, because its connection was in another database. */
    OH_METER_SELECTS,
    OH_METER_COUNTERS_COUNT
} oh_meter_counter;

/* A new one is all zero. The counters of the usual call come first, in one cache line. */
typedef struct oh_meter {
    _Atomic uint64_t counters[OH_METER_COUNTERS_COUNT];
    _Atomic uint64_t answered_ns; /* When the last call succeeded; 0 if none has. */
    _Atomic uint64_t buckets[OH_METER_BUCKETS];
    _Atomic uint64_t since_s; /* When it was first opened, in seconds since 1970. */
    /* Recent errors: the number of a slot of time, and the errors in it (32 bits each). */
    _Atomic uint64_t slots[OH_RECENT_SLOTS];
    /*
     * Mean time of reads, if reads go to the fastest node (core/cluster/fastest); 0 if there is
     * none yet.
     */
    _Atomic uint64_t smoothed_ns;
} oh_meter;

/* The numbers of a meter at some moment. */
typedef struct oh_meter_reading {
    uint64_t counters[OH_METER_COUNTERS_COUNT];
    uint64_t buckets[OH_METER_BUCKETS];
    uint64_t timed; /* The sum of the buckets. */
    uint64_t calls;
    uint64_t since_s;     /* 0 if it was never opened. */
    uint64_t answered_ns; /* 0 if no call has succeeded. */
    uint64_t recent_errors;
} oh_meter_reading;

static inline void oh_meter_add(oh_meter *meter, oh_meter_counter counter, uint64_t count)
{
    atomic_fetch_add_explicit(&meter->counters[counter], count, memory_order_relaxed);
}

static inline void oh_meter_count(oh_meter *meter, oh_meter_counter counter)
{
    oh_meter_add(meter, counter, 1);
}

/* Notes that the meter's counters begin now, unless they have begun before. */
void oh_meter_open(oh_meter *meter, uint64_t unix_s);

/*
 * Count a call that succeeded now: the first one with the time it took, the second one, for a
 * blocking call, without a time. Instants are those of the clock, in nanoseconds.
 */
void oh_meter_answered(oh_meter *meter, uint64_t now_ns, uint64_t took_ns);
void oh_meter_answered_untimed(oh_meter *meter, uint64_t now_ns);

/* Counts a call that failed now. */
void oh_meter_failed(oh_meter *meter, uint64_t now_ns);

void oh_meter_read(const oh_meter *meter, uint64_t now_ns, oh_meter_reading *reading);

/* The bucket of a time, and the microseconds with which a bucket begins. */
uint32_t oh_meter_bucket(uint64_t us);
uint64_t oh_meter_begin(uint32_t bucket);

/*
 * A percentile, in microseconds: this many thousandths of the calls took less time. 0 if there were
 * no calls.
 */
uint64_t oh_meter_percentile(const oh_meter_reading *reading, uint32_t thousandths);

/* How many calls took less than `us` microseconds. `us` must be a power of two, and at least 4. */
uint64_t oh_meter_below(const oh_meter_reading *reading, uint64_t us);

#endif
