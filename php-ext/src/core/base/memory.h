/*
 * Memory: the only door through which the core allocates.
 *
 * Plain malloc in production. A test replaces `oh_memory_allocate` to make the first, second, third
 * ... allocation fail, and checks that each failure is handled and nothing leaks. Replace it only
 * while nothing else runs.
 *
 * An arena holds a value of many small pieces that is released as a whole, such as a configuration.
 */
#ifndef OH_MEMORY_H
#define OH_MEMORY_H

#include <stddef.h>

/*
 * Memory of `size` bytes, size > 0, aligned for any type, contents undefined; NULL if there is
 * none.
 */
extern void *(*oh_memory_allocate)(size_t size);

/* Allocates an array of zeros. Also NULL if its size does not fit into a size_t. */
void *oh_memory_zeroed(size_t count, size_t size);

/* A copy of `length` bytes, followed by a 0; NULL if there is no memory. */
void *oh_memory_copy(const void *bytes, size_t length);

/* Releases memory of the functions above; NULL is allowed. */
void oh_memory_release(void *memory);

/* Overwrites a secret. The compiler cannot remove this call. */
void oh_memory_erase(void *memory, size_t length);

/* Begins as all zeros. */
typedef struct oh_arena {
    struct oh_arena_chunk *chunks;
} oh_arena;

/*
 * The size of an arena's chunks. A usual configuration fits into one chunk. A test makes the size
 * so small that each piece gets its own chunk.
 */
extern size_t oh_arena_chunk_bytes;

/* Zeroed memory that lives as long as the arena; NULL if there is none. */
void *oh_arena_take(oh_arena *arena, size_t size);

/* Releases all that was taken. The arena is empty again. */
void oh_arena_release(oh_arena *arena);

#endif
