/*
 * Segment: the memory that all workers of a server share (in PHP, of one php-fpm master), and the
 * lock for writing to it.
 *
 * It is mapped while the program starts, before it forks, so every worker of every pool and user
 * inherits it at the same address. The lock is the kernel's, on a file without a name: if a process
 * dies, the kernel releases it. core/host/store.h defines the content. Without a segment each
 * process has its own state, and everything still works.
 *
 * A program by itself has a segment, too, and shares it with its children.
 */
#ifndef OH_ENGINE_SEGMENT_H
#define OH_ENGINE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host/store.h"

/*
 * While the program starts, and ends. The end only unmaps, because the process that has started a
 * server in the background may end long before it. 0 bytes: no segment is wanted.
 */
void oh_segment_startup(int64_t bytes, int64_t nodes_max);
void oh_segment_shutdown(void);

/* NULL if there is none. */
oh_store *oh_segment_store(void);

/* The published image of a server pool, copied into the memory of this process. */
typedef struct oh_image_copy {
    void *image; /* NULL if there is none, or it is not valid. The caller releases it. */
    size_t length;
    uint64_t generation;
    bool lacks_memory; /* It could not be copied; its generation is 0. */
} oh_image_copy;

oh_image_copy oh_segment_copy(uint32_t pool);

/*
 * The writer's lock. Between lock and unlock no code may take memory of a call, warn or serve an
 * interrupt: all of these may leave by a long jump. False if another process, perhaps a stopped
 * one, has kept it for a second. Then the caller goes on with what this process has, and does not
 * note its work as done.
 */
bool oh_segment_lock(void);
bool oh_segment_try_lock(void); /* False immediately if another process has it. */
void oh_segment_unlock(void);

#endif
