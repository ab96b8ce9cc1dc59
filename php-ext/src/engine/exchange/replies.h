/*
 * Replies: bytes that were received and framed, but not read yet. They are in memory of the call:
 * they count against its limit and are always released with it.
 */
#ifndef OH_ENGINE_REPLIES_H
#define OH_ENGINE_REPLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/compiler.h"
#include "core/base/slice.h"

/* More memory would not help: the kernel buffers the same amount. */
#define OH_REPLIES_AHEAD_BYTES 262144

typedef struct oh_replies {
    uint8_t *bytes; /* Those from `begin` to `end` are not read yet. */
    size_t begin, end, capacity;
    size_t dropped; /* Bytes of earlier replies of this request. */
    bool gathers;   /* All replies are kept until the last one has arrived, even large ones. */
} oh_replies;

static inline size_t oh_replies_length(const oh_replies *replies)
{
    return replies->end - replies->begin;
}

static inline oh_bytes oh_replies_unread(const oh_replies *replies)
{
    return (oh_bytes){replies->bytes + replies->begin, replies->end - replies->begin};
}

/* Drops all unread replies. */
static inline void oh_replies_forget(oh_replies *replies)
{
    replies->begin = replies->end = 0;
}

/* True if the caller should read before more is received. */
static inline bool oh_replies_are_many(const oh_replies *replies)
{
    return oh_replies_length(replies) >= OH_REPLIES_AHEAD_BYTES && !replies->gathers;
}

/* Makes room for more. False if there is no memory. */
bool oh_replies_grow(oh_replies *replies);

static inline bool oh_replies_make_room(oh_replies *replies)
{
    if (OH_LIKELY(replies->begin == replies->end)) {
        replies->dropped += replies->end;
        oh_replies_forget(replies);
    }
    return OH_LIKELY(replies->end < replies->capacity) || oh_replies_grow(replies);
}

/* Reads `count` bytes, which must be there. */
static inline void oh_replies_give(oh_replies *replies, void *bytes, size_t count)
{
    memcpy(bytes, replies->bytes + replies->begin, count);
    replies->begin += count;
}

/* Takes the first reply, which must be complete. */
oh_bytes oh_replies_take(oh_replies *replies);

/* Replaces the replies. Takes over `bytes`, memory of the call with a size of `capacity`. */
void oh_replies_replace(oh_replies *replies, uint8_t *bytes, size_t length, size_t capacity);

void oh_replies_free(oh_replies *replies);

#endif
