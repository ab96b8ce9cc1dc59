/*
 * Random: random numbers from the kernel, for choosing among equals.
 *
 * Each number takes one system call. That is fast enough, because numbers are needed only if a call
 * waits or has failed. Two processes cannot get the same numbers after a fork. If the kernel has no
 * random numbers yet, the clock is used.
 */
#ifndef OH_ENGINE_RANDOM_H
#define OH_ENGINE_RANDOM_H

#include <sys/random.h>

#include "core/base/clock.h"

/* A random number from 0 to `bound` - 1. `bound` must not be 0. */
static inline uint32_t oh_random_below(uint32_t bound)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) {
        number = oh_clock_now_ns() * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (uint32_t)((number >> 32) * bound >> 32);
}

#endif
