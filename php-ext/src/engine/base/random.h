/*
 * Random: random numbers from the kernel, for choosing among equals.
 */
#ifndef OH_ENGINE_RANDOM_H
#define OH_ENGINE_RANDOM_H

#include <stdint.h>

/* A random number from 0 to `bound` - 1. `bound` must not be 0. */
uint32_t oh_random_below(uint32_t bound);

#endif
