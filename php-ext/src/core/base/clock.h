/*
 * Clock: the only place where the core reads the time.
 *
 * It is monotonic, so setting the wall clock neither ends nor extends a deadline. It is the same
 * for all processes of one boot, so workers can compare their instants.
 */
#ifndef OH_CLOCK_H
#define OH_CLOCK_H

#include <stdint.h>

/*
 * Nanoseconds, or whole milliseconds, since some fixed moment before this process began. Never
 * fails, never goes back.
 */
uint64_t oh_clock_now_ns(void);
uint64_t oh_clock_now_ms(void);

/* The same clock, some milliseconds late, at a fraction of the cost. */
uint64_t oh_clock_coarse_ns(void);

/* Seconds since 1970 by the wall clock. That clock may be set, so this is for display only. */
uint64_t oh_clock_unix_s(void);

/*
 * How long the machine has been suspended. The kernel counts that time as a part of the age of
 * processes; the clock above does not count it.
 */
uint64_t oh_clock_asleep_ns(void);

#endif
