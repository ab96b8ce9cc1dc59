/*
 * Internal to room moving. Each file uses only those above it in this list:
 *
 *     round            commands for several nodes, in one write for each, all in parallel
 *     moving_keys      the keys of a request that move, and what its commands do with them
 *     refusals         commands of a request that are not sent, or have no answer
 *     bring            brings keys to their owner
 *     ask              asks old owners for keys that their owner has not got
 *     moving           the interceptor
 */
#ifndef OH_ENGINE_MOVING_INTERNAL_H
#define OH_ENGINE_MOVING_INTERNAL_H

#include "core/command/command.h"

#include "engine/base/buffer.h"
#include "engine/moving/moving.h"

/* ---- Rounds ---- */

typedef struct oh_round_request {
    uint32_t node;
    oh_buffer bytes;
    oh_failure failure;
    oh_exchange exchange;
} oh_round_request;

typedef struct oh_round {
    oh_exchange *from; /* One exchange of the caller. */
    oh_snapshot *snapshot;
    oh_round_request *requests[OH_EXCHANGE_SET_MAX]; /* Memory of the call. */
    uint32_t requests_count;
    oh_exchange_set own_set; /* The set of the round if the caller has none. */
    bool is_broken;          /* There was no memory. */
} oh_round;

/*
 * Where commands for a node are appended: NULL if they must wait for the next round, because there
 * are too many nodes, or if there is no memory.
 */
oh_buffer *oh_round_to(oh_round *round, uint32_t node);

/* Sends all requests, and waits for all replies. False if there is no memory. */
bool oh_round_run(oh_round *round, bool is_read_only);

/*
 * The next reply of a node, in the order of its commands; absent if the node has failed. Then
 * `failed` is its request.
 */
oh_bytes oh_round_take(oh_round *round, uint32_t node, const oh_round_request **failed);

/* Empties the round, so that the next one can begin. */
void oh_round_end(oh_round *round);

/* Sets the failure of a call, because a node of its round has failed. */
void oh_round_tell(
    const oh_round *round, const oh_round_request *failed, oh_outcome outcome, oh_failure *failure);

/* ---- Keys ---- */

/* A key of a request that moves. Its bytes are in the request. */
typedef struct oh_moving_key {
    oh_bytes key;
    uint32_t from;    /* Its old owner. */
    uint32_t command; /* The number of its command in the request, from 0. */
    uint32_t element; /* The number of the key, from 0, in a command that asks for several keys. */
    bool is_element;
    bool is_refused; /* It could not be brought. */
    oh_bytes bytes;  /* The command; or only its name, if it is an element. */
} oh_moving_key;

typedef struct oh_moving_keys {
    oh_moving_key *keys; /* Memory of the call. */
    uint32_t count, capacity;
} oh_moving_keys;

/* The commands of a request that have no reply of their own, and why. */
typedef struct oh_refusals {
    oh_refusal *all; /* Memory of the call, as are the failures. */
    uint32_t count, capacity;
    oh_failure *failures;
    uint32_t failures_count;
    bool is_broken; /* There was no memory. */
} oh_refusals;

struct oh_moving {
    /* The first field, so that a pointer to it is a pointer to this struct. */
    oh_interceptor interceptor;
    oh_exchange *exchange;
    oh_snapshot *snapshot; /* The caller's. */
    uint32_t node;
    uint32_t commands_count; /* How many commands the current request has. */
    /* Keys to bring, or that were brought: sorted by key, then by command. */
    oh_moving_keys brought;
    oh_moving_keys asked; /* Keys to ask for if the reply is nothing, in the order of commands. */
    oh_refusals refused;
    oh_buffer kept; /* The request without the commands that were refused before it was sent. */
    oh_bytes whole; /* The whole request, if `kept` is sent instead of it. */
    bool is_open;   /* Its replies are not final yet. */
};

/* Where the commands of its request begin. */
static inline size_t oh_moving_begin(const oh_exchange *exchange)
{
    const oh_request *request = &exchange->request;

    return exchange->terms.preface ? oh_request_end_of_command(request->bytes, request->length, 0)
                                   : 0;
}

/* Finds the keys of the exchange's request that move. False if the exchange has failed. */
bool oh_moving_find(oh_moving *moving);

/*
 * Removes the keys that were brought from the keys to ask for: an answer from after the batch would
 * be out of order.
 */
void oh_moving_leave_out_brought(oh_moving *moving);

/* ---- Refusals ---- */

/* Keeps a failure. Returns its number. */
uint32_t oh_refusals_keep(oh_moving *moving, const oh_failure *failure);

/* Refuses a command because of the failure with this number. */
void oh_refusals_add(oh_moving *moving, uint32_t command, uint32_t failure);

/* Before the request is sent: takes the refused commands out of it, or fails the exchange. */
void oh_refusals_take_out(oh_moving *moving);

/* When all replies are in: puts an error in the place of each command that was taken out. */
void oh_refusals_put_back(oh_moving *moving);

/* At the end: fails the exchange if none of its commands has an answer. */
void oh_refusals_end(oh_moving *moving);

void oh_refusals_clear(oh_moving *moving);

/* The reply that stands for a refused command. */
#define OH_REFUSAL_REPLY "-ERR refused\r\n"

/* ---- Steps ---- */

/*
 * Brings the keys of requests that belong to one call, all in parallel. Afterwards each request has
 * failed, has its answer, or is ready to be sent.
 */
void oh_moving_bring(oh_moving *const *all, uint32_t count);

/*
 * Called when all replies of these requests, which belong to one call, are in. Asks in parallel for
 * the keys whose replies are nothing, and puts the answers in place.
 */
void oh_moving_ask(oh_moving *const *all, uint32_t count);

#endif
