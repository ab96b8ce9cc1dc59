/*
 * Memory for replies. It grows only if moving the unread bytes makes no room, and is kept for the
 * next request.
 */
#include "engine/exchange/replies.h"

#include "core/resp/wire.h"

#include "engine/base/environment.h"

#define OH_REPLIES_BYTES_MIN 32768

static void move_to_front(oh_replies *replies)
{
    memmove(replies->bytes, replies->bytes + replies->begin, oh_replies_length(replies));
    replies->dropped += replies->begin;
    replies->end -= replies->begin;
    replies->begin = 0;
}

bool oh_replies_grow(oh_replies *replies)
{
    if (replies->begin > 0) {
        move_to_front(replies);
        return true;
    }
    size_t capacity = replies->capacity ? replies->capacity * 2 : OH_REPLIES_BYTES_MIN;
    uint8_t *bytes = oh_call_resize(replies->bytes, capacity, 1);

    if (!bytes) {
        return false;
    }
    replies->bytes = bytes;
    replies->capacity = capacity;
    return true;
}

oh_bytes oh_replies_take(oh_replies *replies)
{
    oh_bytes unread = oh_replies_unread(replies);
    oh_wire wire;

    oh_wire_reset(&wire);
    wire.written = 1;
    size_t length = oh_wire_read_value(&wire, unread.bytes, unread.length);
    replies->begin += length;
    return (oh_bytes){unread.bytes, length};
}

void oh_replies_replace(oh_replies *replies, uint8_t *bytes, size_t length, size_t capacity)
{
    oh_call_release(replies->bytes);
    replies->bytes = bytes;
    replies->capacity = capacity;
    replies->end = length;
    replies->begin = replies->dropped = 0;
}

void oh_replies_free(oh_replies *replies)
{
    oh_call_release(replies->bytes);
    *replies = (oh_replies){.bytes = NULL};
}
