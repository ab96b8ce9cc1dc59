/*
 * Queue: the idle connections of a node, held by the kernel, for any worker of the host.
 *
 * Each queue is a socket pair, made before the master forks. A worker that no longer needs a
 * connection sends its descriptor into the pair and closes its own copy. A worker that needs one
 * receives it. Queued connections survive the death of any worker, and no process has to manage the
 * queue.
 *
 * Each descriptor comes with a note. The receiver checks it, because any worker can write to the
 * pair.
 */
#ifndef OH_ENGINE_QUEUE_H
#define OH_ENGINE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/store.h"

typedef struct oh_queue_note {
    uint8_t identity[OH_STORE_IDENTITY_BYTES]; /* The node of the connection. */
    uint32_t seat;                             /* The seat of the connection in the store. */
    uint32_t timeout_ms;                       /* The timeouts that are set on the socket. */
    uint64_t born_ms, used_ms;
    uint64_t is_unproven;  /* No reply ever came over it. */
    uint32_t own_database; /* The database in which its handshake has left it. */
    uint32_t database;     /* The database in which it is. */
    uint64_t named;        /* The name with which it has introduced itself; 0 if it has not. */
} oh_queue_note;

/*
 * Called at program start. Makes `wanted` pairs. If descriptors are short, it makes fewer, with a
 * warning.
 */
void oh_queue_startup(uint32_t wanted);
void oh_queue_shutdown(void);

/* True if the node of this number has a queue. */
bool oh_queue_exists(uint32_t number);

/*
 * Puts a copy of the descriptor into the queue. False if the queue is full, or the kernel refuses.
 */
bool oh_queue_push(uint32_t number, int descriptor, const oh_queue_note *note);

/* Takes the oldest connection. -1 if the queue is empty. */
int oh_queue_pull(uint32_t number, oh_queue_note *note);

/* Waits until there may be one to pull. False if there was none within `wait_ms`. */
bool oh_queue_await(uint32_t number, int wait_ms);

#endif
