/*
 * Each number takes one system call. That is fast enough, because numbers are needed only if a call
 * waits or has failed. Two processes cannot get the same numbers after a fork. If the kernel has
 * none yet, the clock is used.
 */
#include "engine/base/random.h"

#include <sys/random.h>

#include "core/base/clock.h"

uint32_t oh_random_below(uint32_t bound)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) {
        number = oh_clock_now_ns() * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (uint32_t)((number >> 32) * bound >> 32);
}
