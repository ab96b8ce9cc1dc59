/*
 * Queue: idle connections of a node that any worker of the host may take, held by the kernel.
 *
 * For each number there is a socket pair, made before the master forks. A worker that has no more
 * use for a connection sends its descriptor into the pair and closes its own; whoever needs one
 * receives it. Nothing can be lost with a worker that dies, and there is no process that looks
 * after it.
 *
 * A note travels with each descriptor. Who receives it checks it: the pair is everybody's.
 */
#ifndef OH_ENGINE_QUEUE_H
#define OH_ENGINE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host/store.h"

typedef struct oh_queue_note {
    uint8_t identity[OH_STORE_IDENTITY_BYTES]; /* Of the node it leads to. */
    uint32_t seat;                             /* Of its owner, in the store. */
    uint32_t timeout_ms;                       /* What the socket's own timeouts are set to. */
    uint64_t born_ms, parked_ms;
    uint64_t is_unproven; /* Nothing was ever answered on it. */
} oh_queue_note;

/*
 * While the program starts: pairs for so many numbers. Fewer, and a warning, where descriptors are
 * short.
 */
void oh_queue_startup(uint32_t wanted);
void oh_queue_shutdown(void);

/* Whether this number has a queue. */
bool oh_queue_exists(uint32_t number);

/* Puts a copy of the descriptor in. False: the queue is full, or the kernel will not. */
bool oh_queue_push(uint32_t number, int descriptor, const oh_queue_note *note);

/* Takes the one that has been in there longest. -1: it is empty. */
int oh_queue_pull(uint32_t number, oh_queue_note *note);

/* Waits until there may be one to pull; false: not within `wait_ms`. */
bool oh_queue_await(uint32_t number, int wait_ms);

#endif
