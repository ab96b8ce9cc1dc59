/*
 * Replies: what was received and framed, and not read yet, in the memory of the call. It counts
 * against the bounds of the call, and is gone with the call whatever happens.
 */
#ifndef OH_ENGINE_REPLIES_H
#define OH_ENGINE_REPLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/compiler.h"
#include "core/base/slice.h"

/* Beyond it more memory buys nothing: the kernel buffers as much again. */
#define OH_REPLIES_AHEAD_BYTES 262144

typedef struct oh_replies {
    uint8_t *bytes; /* Those from `begin` to `end` were not read yet. */
    size_t begin, end, capacity;
    size_t dropped; /* Bytes of replies of this request that were in front of these. */
    bool gathers;   /* All are kept until the last one is in, however large they are. */
} oh_replies;

static inline size_t oh_replies_length(const oh_replies *replies)
{
    return replies->end - replies->begin;
}

static inline oh_bytes oh_replies_unread(const oh_replies *replies)
{
    return (oh_bytes){replies->bytes + replies->begin, replies->end - replies->begin};
}

/* Nothing of them is of use any more. */
static inline void oh_replies_forget(oh_replies *replies)
{
    replies->begin = replies->end = 0;
}

/* As many should be read before more are fetched. */
static inline bool oh_replies_are_many(const oh_replies *replies)
{
    return oh_replies_length(replies) >= OH_REPLIES_AHEAD_BYTES && !replies->gathers;
}

/* There is room for more. False: there is no memory. */
bool oh_replies_grow(oh_replies *replies);

static inline bool oh_replies_make_room(oh_replies *replies)
{
    if (OH_LIKELY(replies->begin == replies->end)) {
        replies->dropped += replies->end;
        oh_replies_forget(replies);
    }
    return OH_LIKELY(replies->end < replies->capacity) || oh_replies_grow(replies);
}

/* Gives out `count` bytes, which there are. */
static inline void oh_replies_give(oh_replies *replies, void *bytes, size_t count)
{
    memcpy(bytes, replies->bytes + replies->begin, count);
    replies->begin += count;
}

/* The first of them, which is whole, and is read by that. */
oh_bytes oh_replies_take(oh_replies *replies);

/* These take their place: memory of the call, of `capacity` bytes, which is taken over. */
void oh_replies_replace(oh_replies *replies, uint8_t *bytes, size_t length, size_t capacity);

void oh_replies_free(oh_replies *replies);

#endif
