/*
 * Queue: the idle connections of a node, held by the kernel, for any worker of the host.
 *
 * For each number there is a socket pair, made before the master forks. A worker that does not need
 * a connection any more sends its descriptor into the pair and closes its own copy; a worker that
 * needs one receives it. A worker that dies takes no queued connection with it, and no process has
 * to manage the queue.
 *
 * A note travels with each descriptor. The receiver checks it, because any worker can write to the
 * pair.
 */
#ifndef OH_ENGINE_QUEUE_H
#define OH_ENGINE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host/store.h"

typedef struct oh_queue_note {
    uint8_t identity[OH_STORE_IDENTITY_BYTES]; /* Of the node it leads to. */
    uint32_t seat;                             /* Of its owner, in the store. */
    uint32_t timeout_ms;                       /* The timeouts that are set on the socket. */
    uint64_t born_ms, parked_ms;
    uint64_t is_unproven; /* No reply ever came over it. */
} oh_queue_note;

/*
 * While the program starts: pairs for `wanted` numbers. If descriptors are short, fewer and a
 * warning.
 */
void oh_queue_startup(uint32_t wanted);
void oh_queue_shutdown(void);

/* True if this number has a queue. */
bool oh_queue_exists(uint32_t number);

/* Puts a copy of the descriptor in. False if the queue is full, or the kernel refuses. */
bool oh_queue_push(uint32_t number, int descriptor, const oh_queue_note *note);

/* Takes the oldest one. -1 if the queue is empty. */
int oh_queue_pull(uint32_t number, oh_queue_note *note);

/* Waits until there may be one to pull. False if there was none within `wait_ms`. */
bool oh_queue_await(uint32_t number, int wait_ms);

#endif
