/*
 * Time from the kernel's monotonic clock, without a system call where the kernel offers one in user
 * space.
 */
#define _DEFAULT_SOURCE /* CLOCK_BOOTTIME and CLOCK_MONOTONIC_COARSE are Linux' own. */
#include "core/base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t oh_clock_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t oh_clock_now_ms(void)
{
    return oh_clock_now_ns() / 1000000;
}

uint64_t oh_clock_coarse_ns(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE);
}

uint64_t oh_clock_unix_s(void)
{
    return read_clock(CLOCK_REALTIME) / 1000000000u;
}

uint64_t oh_clock_asleep_ns(void)
{
    uint64_t now_ns = read_clock(CLOCK_MONOTONIC), with_sleep_ns = read_clock(CLOCK_BOOTTIME);

    return with_sleep_ns > now_ns ? with_sleep_ns - now_ns : 0;
}
