/*
 * malloc and free, with a hook for tests, and the arena: a chain of chunks, filled from the front.
 */
#include "core/base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *(*oh_memory_allocate)(size_t size) = malloc;
size_t oh_arena_chunk_bytes = 8192;

void *oh_memory_zeroed(size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    size_t bytes = count * size > 0 ? count * size : 1;
    void *memory = oh_memory_allocate(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *oh_memory_copy(const void *bytes, size_t length)
{
    char *copy = length < SIZE_MAX ? oh_memory_allocate(length + 1) : NULL;

    if (copy) {
        if (length > 0) {
            memcpy(copy, bytes, length);
        }
        copy[length] = '\0';
    }
    return copy;
}

void oh_memory_release(void *memory)
{
    free(memory);
}

void oh_memory_erase(void *memory, size_t length)
{
    volatile unsigned char *bytes = memory;

    while (length-- > 0) {
        *bytes++ = 0;
    }
}

struct oh_arena_chunk {
    struct oh_arena_chunk *next;
    size_t used;
    size_t size;
    alignas(max_align_t) char bytes[];
};

static struct oh_arena_chunk *add_chunk(oh_arena *arena, size_t size)
{
    struct oh_arena_chunk *chunk = oh_memory_allocate(sizeof *chunk + size);

    if (chunk) {
        *chunk = (struct oh_arena_chunk){.next = arena->chunks, .size = size};
        arena->chunks = chunk;
    }
    return chunk;
}

void *oh_arena_take(oh_arena *arena, size_t size)
{
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    struct oh_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = add_chunk(arena, size > oh_arena_chunk_bytes ? size : oh_arena_chunk_bytes);
    }
    if (!chunk) {
        return NULL;
    }
    void *memory = memset(chunk->bytes + chunk->used, 0, size);
    chunk->used += size;
    return memory;
}

void oh_arena_release(oh_arena *arena)
{
    while (arena->chunks) {
        struct oh_arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        oh_memory_release(chunk);
    }
}
