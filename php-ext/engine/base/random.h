/*
 * Random: numbers of the kernel, for choosing among equals.
 */
#ifndef OH_ENGINE_RANDOM_H
#define OH_ENGINE_RANDOM_H

#include <stdint.h>

/* At least 0 and less than `bound`, which is more than 0. */
uint32_t oh_random_below(uint32_t bound);

#endif
