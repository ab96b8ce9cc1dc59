/*
 * Request: the bytes that one write of the caller sends. A preface may come before them, DISCARD
 * may stand instead of some EXECs, and there is a barrier after each MULTI.
 *
 * It only handles bytes and counts replies. exchange sends it and interprets failures.
 */
#ifndef OH_ENGINE_REQUEST_H
#define OH_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/compiler.h"
#include "core/resp/wire.h"

#include "engine/base/environment.h"

#define OH_PREFACE_REPLY_BYTES 64

/*
 * The MULTIs of a pipeline that end with DISCARD although the caller writes EXEC: their numbers,
 * from 1, in order. All zeros if there are none.
 */
typedef struct oh_discards {
    uint32_t *numbers; /* Memory of the call. */
    uint32_t count;
} oh_discards;

/* Adds a number, which must be the largest. False if there is no memory. */
bool oh_discards_add(oh_discards *discards, uint32_t number);

static inline void oh_discards_drop(oh_discards *discards)
{
    if (OH_UNLIKELY(discards->numbers != NULL)) {
        oh_call_release(discards->numbers);
        *discards = (oh_discards){0};
    }
}

typedef struct oh_request {
    const uint8_t *bytes; /* The caller's memory, valid until its write returns, or `own`. */
    size_t length, sent;
    uint8_t *own; /* The request as it is sent, if that differs from the caller's bytes. */
    /* How many replies of the connection come before those that the caller waits for. */
    uint64_t before;
    /* It may be sent up to here: the end, or the end of a MULTI that is not answered yet. */
    size_t barrier;
    uint64_t barrier_reply; /* Number of the reply that moves the barrier; 0 if none. */
} oh_request;

static inline void oh_request_drop_own(oh_request *request)
{
    if (OH_UNLIKELY(request->own != NULL)) {
        oh_call_release(request->own);
        request->own = NULL;
    }
}

/* True if all of it is sent. */
static inline bool oh_request_is_sent(const oh_request *request)
{
    return request->sent == request->length;
}

/* Change the request before it is sent. False if there is no memory. */
bool oh_request_put_in_front(oh_request *request, const char *preface);
bool oh_request_put_cursor(oh_request *request, uint64_t cursor); /* The second word of SCAN. */
bool oh_request_write_discards(oh_request *request, const oh_discards *discards);

/*
 * Commands after a MULTI are sent only after the node has answered it. A node that refuses MULTI
 * would execute them immediately, one by one. `written` is how many commands were written on the
 * connection before. When the reply of MULTI has come, the barrier moves to the next MULTI, or to
 * the end.
 */
void oh_request_move_barrier(oh_request *request);
void oh_request_stop_at_multi(oh_request *request, uint64_t written);

static inline void oh_request_put_barrier(oh_request *request, bool has_multi, uint64_t written)
{
    request->barrier = request->length;
    request->barrier_reply = 0;
    if (OH_UNLIKELY(has_multi)) {
        oh_request_stop_at_multi(request, written);
    }
}

/* The end of the command that begins here, in bytes that wire has checked. */
size_t oh_request_end_of_command(const uint8_t *bytes, size_t length, size_t at);

/*
 * A command before the request, on the same connection and in the same write. The caller does not
 * see its reply. An example is PUBLISH before WAIT.
 */
typedef struct oh_preface {
    /*
     * The number of its reply on the connection; without a preface, that of the last reply to an
     * introduction. 0 if no such reply is owed.
     */
    uint64_t number;
    char reply[OH_PREFACE_REPLY_BYTES]; /* Cut to the size, ends with a 0. */
    uint32_t reply_length;
} oh_preface;

/*
 * Removes the reply to the preface, or a reply to an introduction before it, from `count` bytes.
 * Returns how many bytes are left.
 */
size_t oh_preface_take(oh_preface *preface, oh_wire *wire, uint8_t *bytes, size_t count);

#endif
