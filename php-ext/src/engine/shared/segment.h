/*
 * Segment: the memory that all workers of a server share (in PHP, of one php-fpm master), and the
 * lock for writing to it.
 *
 * It is mapped at program start, before any fork, so every worker of every pool and user inherits
 * it at the same address. The lock is a kernel lock on an unnamed file: if a process dies, the
 * kernel releases it. core/store/store.h defines the content. Without a segment each process has
 * its own state, and everything still works.
 *
 * A single program also has a segment, and shares it with its children.
 */
#ifndef OH_ENGINE_SEGMENT_H
#define OH_ENGINE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/command/cursor.h"
#include "core/command/kept_commands.h"
#include "core/store/store.h"

/*
 * Called when the program starts and ends. The end only unmaps the segment, because a process that
 * starts a server in the background may end long before that server. 0 bytes means no segment.
 */
void oh_segment_startup(int64_t bytes, int64_t nodes_max);
void oh_segment_shutdown(void);

/* NULL if there is none. */
oh_store *oh_segment_store(void);

/* The host's kept cursors of SCAN, or those of this process. They need no lock. */
oh_kept_cursors *oh_segment_cursors(void);

/*
 * What nodes have told this host, or without a segment this process, about commands that the table
 * does not hold.
 */
oh_kept_commands *oh_segment_commands(void);

/* The published image of a server pool, copied into the memory of this process. */
typedef struct oh_image_copy {
    void *image; /* Released by the caller. NULL if there is no valid image. */
    size_t length;
    uint64_t generation;
    bool lacks_memory; /* There was no memory for the copy; the generation is 0. */
} oh_image_copy;

oh_image_copy oh_segment_copy(uint32_t pool);

/*
 * The writer's lock. Code that holds it must not take memory of a call, warn or serve an interrupt,
 * because all of these may leave by a long jump. False if another process, perhaps a stopped one,
 * has held it for a second. Then the caller continues with what this process has, and does not mark
 * its work as done.
 */
bool oh_segment_lock(void);
bool oh_segment_try_lock(void); /* Returns false immediately if another process has it. */
void oh_segment_unlock(void);

/* ---- Workers ---- */

/* True if the process with this id is still the one that took a seat or a turn at that instant. */
bool oh_worker_is_alive(uint32_t pid, uint64_t since_ms);

#endif
