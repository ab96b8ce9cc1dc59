/*
 * The inside of room redirects. Each of its files uses only those above it:
 *
 *     redirects_round    sends the commands that are on their way, all nodes at once
 *     redirects_follow   says where each goes next, until each has a reply
 *     redirects          notices them, and puts their replies in place
 */
#ifndef OH_ENGINE_REDIRECTS_INTERNAL_H
#define OH_ENGINE_REDIRECTS_INTERNAL_H

#include "core/command/command.h"

#include "engine/base/buffer.h"
#include "engine/cluster/cluster.h"
#include "engine/redirects/redirects.h"

/*
 * A reply that has to be replaced. Positions count from the first byte of the first reply of the
 * request.
 */
typedef struct oh_redirect_reply {
    uint32_t command; /* Its number in the request, from 0. */
    size_t begin, end;
} oh_redirect_reply;

struct oh_redirects {
    /* The first field, so that a pointer to it is a pointer to this struct. */
    oh_interceptor interceptor;
    oh_snapshot *map;  /* The caller's. */
    uint32_t node;     /* Its index there. */
    size_t value;      /* Where the value that is being received begins. */
    bool is_between;   /* No value is being received: the next byte begins one. */
    bool is_error;     /* It is an error. */
    bool has_others;   /* There was an error that is no redirect, */
    bool has_nested;   /* or an error inside a reply. */
    bool is_rescue;    /* The node has failed: none of the commands in the list has a reply. */
    bool is_alone;     /* The request is one command. */
    uint32_t block_ms; /* How long the commands may block. */
    /* A copy, if replies are still to come when the caller's write returns. */
    uint8_t *request;
    size_t request_length;
    oh_redirect_reply *list;
    uint32_t count, capacity;
};

/* The reply that replaces a redirect. */
typedef struct oh_replacement {
    uint8_t *bytes; /* Memory of the call. */
    size_t length;
} oh_replacement;

/* A command that has no reply yet. */
typedef struct oh_redirected_command {
    oh_bytes command;
    oh_replacement *reply; /* Its last reply; an error until it is done. */
    uint32_t hops;         /* How often it was forwarded. */
    uint32_t tries;        /* How often it was sent once more. */
    uint32_t slot;         /* OH_SLOTS_COUNT if it has no key. */
    uint32_t node;         /* Its last or next node, in the map of the run. */
    /*
     * The script that is sent before it, because the next node has lost it. No bytes if there is
     * none.
     */
    oh_bytes script;
    bool asks;      /* The next node needs ASKING before it. */
    bool has_moved; /* The next node is said to have the slot. */
    bool goes_home; /* It goes to the node that has the slot by then. */
    bool is_exec;   /* It ends a transaction of the pipeline. */
    bool is_done;
    bool is_sent; /* It was sent in this round, so its reply is new. */
} oh_redirected_command;

/* One write of a round. */
typedef struct oh_redirect_request {
    uint32_t node;
    oh_buffer bytes;
    oh_failure failure;
    oh_exchange exchange;
} oh_redirect_request;

/* The commands of one request that were redirected, until each has a reply. */
typedef struct oh_redirect_run {
    const oh_redirects *redirects;
    oh_exchange *exchange;
    oh_cluster *cluster;
    oh_snapshot *map;
    oh_redirected_command *commands;
    uint32_t count;
    bool is_fresh;   /* The map was asked for since the last replies came. */
    uint32_t *going; /* By slot: where its commands go in this round. */
    oh_redirect_request *requests;
    uint32_t requests_count;
    oh_exchange_set *set;
} oh_redirect_run;

/* Stores the reply of a command. False if there is no memory; the exchange has failed. */
bool oh_redirect_run_reply(oh_redirect_run *run, oh_replacement *reply, oh_bytes bytes);

/*
 * One round: sends each command that is not done, unless it must wait for a later round, and gets a
 * new reply for it. False if the exchange has failed.
 */
bool oh_redirect_run_round(oh_redirect_run *run);

/*
 * Follows the redirects of the list, and fills `replies`, one for each. False if the exchange has
 * failed.
 */
bool oh_redirects_follow(const oh_redirects *redirects, oh_exchange *exchange, oh_bytes request,
    oh_replacement *replies);

/*
 * The slot of a command's first key, OH_SLOTS_COUNT if it has none, and if it begins or ends a
 * transaction. False if there is no memory.
 */
bool oh_redirects_find_slot(const uint8_t *command, size_t length, uint32_t *slot, oh_state *state);

#endif
