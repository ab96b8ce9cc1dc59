/*
 * Segment: the memory that all workers of a server share, in PHP those of one php-fpm master, and
 * the lock of those who write into it.
 *
 * It is mapped while the program starts, before it forks, so every worker of every pool and user
 * inherits it at the same address. The lock is the kernel's, on a file without a name: whoever dies
 * holding it has let go of it. What is inside is for core/host/store.h to say. If it cannot be had,
 * each process keeps its own knowledge and all works as well.
 *
 * A program by itself has a segment too, shared with whatever it forks.
 */
#ifndef OH_ENGINE_SEGMENT_H
#define OH_ENGINE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host/store.h"

/*
 * While the program starts, and ends: the end only unmaps, since what has started a server in the
 * background may end long before it. No bytes: none is wanted.
 */
void oh_segment_startup(int64_t bytes, int64_t nodes_max);
void oh_segment_shutdown(void);

/* NULL: there is none. */
oh_store *oh_segment_store(void);

/* What a server pool has published, copied into the memory of this process. */
typedef struct oh_image_copy {
    void *image; /* NULL: nothing was, or nothing that is valid. Release it. */
    size_t length;
    uint64_t generation;
    bool lacks_memory; /* It could not be copied; its generation is 0. */
} oh_image_copy;

oh_image_copy oh_segment_copy(uint32_t pool);

/*
 * The writer's lock. Between lock and unlock nothing may take memory of a call, warn or serve an
 * interrupt: all of that may leave by a long jump. False: somebody has kept it for a second,
 * stopped perhaps; then the caller goes on with what this process has, and does not note as done
 * what is not.
 */
bool oh_segment_lock(void);
bool oh_segment_try_lock(void); /* Somebody has it: false at once. */
void oh_segment_unlock(void);

#endif
