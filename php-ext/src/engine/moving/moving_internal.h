/*
 * Internal to room moving. Each file uses only those above it in this list:
 *
 *     round            commands for several nodes, in one write for each, all in parallel
 *     moving_keys      the keys of a request that move, and what its commands do with them
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
    oh_exchange *from; /* The caller's. */
    oh_snapshot *snapshot;
    oh_round_request *requests[OH_EXCHANGE_SET_MAX]; /* Memory of the call. */
    uint32_t requests_count;
    oh_exchange_set set;
    bool is_broken; /* There was no memory. */
} oh_round;

/*
 * Where commands for a node are appended: NULL if they must wait for the next round, because there
 * are too many nodes, or if there is no memory.
 */
oh_buffer *oh_round_to(oh_round *round, uint32_t node);

/* Sends all, and waits for all replies. False if there is no memory. */
bool oh_round_run(oh_round *round, bool is_read_only);

/*
 * The next reply of a node, in the order of its commands; absent if the node has failed. `failed`
 * is that request then.
 */
oh_bytes oh_round_take(oh_round *round, uint32_t node, const oh_round_request **failed);

/* Empties it for the next round. */
void oh_round_end(oh_round *round);

/* Fails the exchange because a node of a round has failed. */
void oh_round_fail(const oh_round *round, const oh_round_request *failed, oh_outcome outcome);

/* ---- Keys ---- */

/* A key of a request that moves. Its bytes are in the request. */
typedef struct oh_moving_key {
    oh_bytes key;
    uint32_t from;    /* Its old owner. */
    uint32_t command; /* The number of its command in the request, from 0. */
    uint32_t element; /* Which key of a command with several keys that asks it is, from 0. */
    bool is_element;
    oh_bytes bytes; /* The command; or only its name, if it is an element. */
} oh_moving_key;

typedef struct oh_moving_keys {
    oh_moving_key *keys; /* Memory of the call. */
    uint32_t count, capacity;
} oh_moving_keys;

struct oh_moving {
    /* The first field, so that a pointer to it is a pointer to this struct. */
    oh_interceptor interceptor;
    oh_snapshot *snapshot; /* The caller's. */
    uint32_t node;
    uint32_t commands_count; /* Of the current request. */
    oh_moving_keys brought;  /* Keys to bring, or brought, each once, in order. */
    oh_moving_keys asked;    /* Keys to ask for if the reply is nothing. */
};

/* Finds the keys of the exchange's request that move. False if the exchange has failed. */
bool oh_moving_find(oh_moving *moving, oh_exchange *exchange);

/* ---- Steps ---- */

/* Brings the keys. False if the exchange has ended: it has failed, or has the answer. */
bool oh_moving_bring(oh_moving *moving, oh_exchange *exchange);

/* All replies are in. Asks for those that are nothing, and puts the answers in place. */
void oh_moving_ask(oh_moving *moving, oh_exchange *exchange);

#endif
