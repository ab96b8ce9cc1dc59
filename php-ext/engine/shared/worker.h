/*
 * Worker: whether a process of this host that took something is still there.
 */
#ifndef OH_ENGINE_WORKER_H
#define OH_ENGINE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a process is still the one that, at that instant, took a place or a turn. */
bool oh_worker_is_alive(uint32_t pid, uint64_t since_ms);

#endif
