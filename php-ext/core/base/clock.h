/*
 * Clock: the only door through which time enters.
 *
 * Monotonic, so that setting the wall clock neither ends nor extends a deadline, and the same for
 * all processes of one boot, so that instants may be compared between workers.
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

/* Seconds since 1970 by the wall clock, which anybody may set: for people only. */
uint64_t oh_clock_unix_s(void);

/*
 * How long the machine has been suspended: the kernel counts that in the age of processes, the
 * clock above does not.
 */
uint64_t oh_clock_asleep_ns(void);

#endif
