/*
 * Request: what one write of the caller sends, as it leaves: with a preface in front, with DISCARD
 * in the place of some EXEC, and up to a barrier behind each MULTI.
 *
 * It knows bytes and numbers of replies only: who sends it, and what a failure means, is for
 * exchange.
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
 * Which MULTI of a pipeline, by number from 1 and in order, end in DISCARD though the caller writes
 * EXEC. All zeros: none does.
 */
typedef struct oh_discards {
    uint32_t *numbers; /* Memory of the call. */
    uint32_t count;
} oh_discards;

/* One more, which comes after all others. False: there is no memory for it. */
bool oh_discards_add(oh_discards *discards, uint32_t number);
void oh_discards_drop(oh_discards *discards);

typedef struct oh_request {
    const uint8_t *bytes; /* The caller's memory, valid until its write returns, or `own`. */
    size_t length, sent;
    uint8_t *own; /* As it is sent, if that is not as the caller wrote it. */
    /* Replies of the connection in front of those that the caller waits for. */
    uint64_t before;
    /* Up to here it may be sent: to its end, or as long as MULTI is not answered. */
    size_t barrier;
    uint64_t barrier_reply; /* Which reply of the connection moves the barrier; 0: none. */
} oh_request;

static inline void oh_request_drop_own(oh_request *request)
{
    if (OH_UNLIKELY(request->own != NULL)) {
        oh_call_release(request->own);
        request->own = NULL;
    }
}

/* The node has all of it. */
static inline bool oh_request_is_sent(const oh_request *request)
{
    return request->sent == request->length;
}

/* These change what is sent, before anything is. False: there is no memory. */
bool oh_request_put_in_front(oh_request *request, const char *preface);
bool oh_request_write_discards(oh_request *request, const oh_discards *discards);

/*
 * What follows a MULTI leaves only once the node has answered it: were it refused, the commands
 * behind it would be executed at once, each for itself. The barrier is put up when so many commands
 * were written on the connection before, and moved behind the next MULTI, or to the end, when its
 * reply has come.
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

/* In bytes that wire has seen to: where the command that begins here ends. */
size_t oh_request_end_of_command(const uint8_t *bytes, size_t length, size_t at);

/*
 * One command in front of the request, on the same connection and in the same write, of whose reply
 * the caller sees nothing: CLIENT ID before a command that will have to be unblocked, PUBLISH
 * before WAIT.
 */
typedef struct oh_preface {
    /* Which reply of the connection is its reply; 0: it is not owed. */
    uint64_t number;
    char reply[OH_PREFACE_REPLY_BYTES]; /* As far as it fits, ended by a 0. */
    uint32_t reply_length;
} oh_preface;

/* Takes its reply out of `count` bytes; returns how many are left there. */
size_t oh_preface_take(oh_preface *preface, oh_wire *wire, uint8_t *bytes, size_t count);

#endif
