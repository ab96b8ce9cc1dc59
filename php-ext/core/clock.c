/*
 * Time from the kernel's monotonic clock, without a system call where the kernel offers one in user space.
 */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <time.h>

uint64_t oh_clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
