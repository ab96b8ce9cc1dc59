/*
 * The inside of room redirects. Its files, each of which uses those above it only:
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
 * A reply that is none yet. Places are counted from the first byte of the first reply of the
 * request.
 */
typedef struct oh_redirect_reply {
    uint32_t command; /* Which of the request, from 0. */
    size_t begin, end;
} oh_redirect_reply;

struct oh_redirects {
    oh_interceptor interceptor; /* First, so that it is found by it. */
    oh_snapshot *map;           /* The caller's. */
    uint32_t node;              /* Its index there. */
    size_t value;               /* Where the value begins that is being received. */
    bool is_between;            /* None is: the next byte begins one. */
    bool is_error;              /* It is an error. */
    bool has_others;            /* There was an error that redirects nothing, */
    bool has_nested;            /* or one inside of a reply. */
    bool is_rescue;    /* The node has failed: none of the commands in the list has a reply. */
    bool is_alone;     /* The request is one command. */
    uint32_t block_ms; /* How long the commands may block. */
    /* A copy, if replies are still to come when the caller is given its write back. */
    uint8_t *request;
    size_t request_length;
    oh_redirect_reply *list;
    uint32_t count, capacity;
};

/* What takes the place of a redirect. */
typedef struct oh_replacement {
    uint8_t *bytes; /* Memory of the call. */
    size_t length;
} oh_replacement;

/* A command on its way to a reply. */
typedef struct oh_redirected_command {
    oh_bytes command;
    oh_replacement *reply; /* The last one; an error as long as it is not done. */
    uint32_t hops;         /* How often it was sent on. */
    uint32_t tries;        /* How often it was sent once more. */
    uint32_t slot;         /* OH_SLOTS_COUNT: of no key. */
    uint32_t node;         /* Where it was last, or goes next; in the map of the run. */
    oh_bytes script;       /* The next node has lost it: it goes in front. No bytes: none. */
    bool asks;             /* The next node wants ASKING in front of it. */
    bool has_moved;        /* The next node is said to have the slot. */
    bool goes_home;        /* It goes to whoever has the slot by then. */
    bool is_exec;          /* It ends a transaction of the pipeline. */
    bool is_done;
    bool is_sent; /* In this round; so its reply is a new one. */
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

/*
 * Makes a reply of a command the one that it has. False: there is no memory; the exchange has
 * failed.
 */
bool oh_redirect_run_reply(oh_redirect_run *run, oh_replacement *reply, oh_bytes bytes);

/*
 * One round: what is not done is sent, unless it must wait for a later one, and has a new reply.
 * False: the exchange has failed.
 */
bool oh_redirect_run_round(oh_redirect_run *run);

/*
 * Follows what the list holds, and fills `replies`, one for each. False: the exchange has failed.
 */
bool oh_redirects_follow(const oh_redirects *redirects, oh_exchange *exchange, oh_bytes request,
    oh_replacement *replies);

/*
 * The slot of a command's first key, OH_SLOTS_COUNT if it has none, and whether it begins or ends a
 * transaction. False: there is no memory.
 */
bool oh_redirects_find_slot(const uint8_t *command, size_t length, uint32_t *slot, oh_state *state);

#endif
