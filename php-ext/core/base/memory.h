/*
 * Memory: the only door through which the core allocates.
 *
 * Plain malloc in production. A test replaces `oh_memory_allocate` to make the first, second, third
 * ... allocation fail and to see that each failure is answered and nothing leaks. Replace it only
 * while nothing else runs.
 *
 * What is made of many small pieces and dies as a whole, such as a configuration, lives in an
 * arena.
 */
#ifndef OH_MEMORY_H
#define OH_MEMORY_H

#include <stddef.h>

/*
 * Memory of `size` bytes, size > 0, aligned for any type, contents undefined; NULL if there is
 * none.
 */
extern void *(*oh_memory_allocate)(size_t size);

/* The same for an array, all zeros; NULL as well if it would be larger than any memory. */
void *oh_memory_zeroed(size_t count, size_t size);

/* A copy of `length` bytes, with a 0 behind them; NULL if there is no memory. */
void *oh_memory_copy(const void *bytes, size_t length);

/* Gives back what the functions above gave; NULL is fine. */
void oh_memory_release(void *memory);

/* Overwrites a secret, which no compiler may leave out. */
void oh_memory_erase(void *memory, size_t length);

/* Begins as all zeros. */
typedef struct oh_arena {
    struct oh_arena_chunk *chunks;
} oh_arena;

/*
 * What an arena asks for at once. A usual configuration is one chunk; a test makes every piece one.
 */
extern size_t oh_arena_chunk_bytes;

/* Zeroed memory that lives as long as the arena; NULL if there is none. */
void *oh_arena_take(oh_arena *arena, size_t size);

/* Gives back all that was taken; the arena is as at the beginning. */
void oh_arena_release(oh_arena *arena);

#endif
