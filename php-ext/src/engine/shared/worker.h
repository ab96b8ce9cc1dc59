/*
 * Worker: checks if the process that has taken a seat or a turn is still alive.
 */
#ifndef OH_ENGINE_WORKER_H
#define OH_ENGINE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

/* True if the process with this id is still the one that took a seat or a turn at that instant. */
bool oh_worker_is_alive(uint32_t pid, uint64_t since_ms);

#endif
