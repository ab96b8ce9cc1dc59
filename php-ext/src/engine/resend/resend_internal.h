/*
 * Internal to room resend. Each file uses only those above it in this list:
 *
 *     resend_command     the words of a command: its slot, its timeout when it is sent again
 *     lookout            whether another node has taken over from the one that a call waits for
 *     resend_round       sends redirected commands to all nodes in parallel
 *     redirects_follow   chooses the next node of each command, until it has a reply
 *     redirects          finds redirects, and replaces them by replies
 *     succession         the same for what a plain server pool has refused, or not answered:
 *                        READONLY, NOREPLICAS, replicas
 */
#ifndef OH_ENGINE_RESEND_INTERNAL_H
#define OH_ENGINE_RESEND_INTERNAL_H

#include "core/command/command.h"

#include "engine/base/buffer.h"
#include "engine/nodes/nodes.h"
#include "engine/resend/lookout.h"
#include "engine/resend/redirects.h"

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
    size_t value;      /* Where the current value begins. */
    bool is_between;   /* Between two values: the next byte begins one. */
    bool is_error;     /* The current value is an error. */
    bool has_others;   /* There was an error that is not a redirect, */
    bool has_nested;   /* or an error inside a reply. */
    bool is_rescue;    /* The node has failed, so no command in the list has a reply. */
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

/*
 * Builds the replies again, each one at a place replaced. Memory of the call; NULL if there is
 * none.
 */
uint8_t *oh_redirects_put_together(const oh_redirect_reply *places, uint32_t count,
    const oh_replies *replies, const oh_replacement *replacements, size_t *length);

/* The words of a command that wire has checked. In memory of the call; NULL if there is none. */
oh_bytes *oh_redirects_read_words(oh_bytes command, size_t *count);

/*
 * Finds the slot of a command's first key (OH_SLOTS_COUNT without a key), and whether the command
 * begins or ends a transaction. False if there is no memory.
 */
bool oh_redirects_find_slot(const uint8_t *command, size_t length, uint32_t *slot, oh_state *state);

/*
 * When the wait of a blocking command ends, if it is the only one of its request; 0 if it has no
 * end.
 */
uint64_t oh_redirects_wait_end(const oh_exchange *exchange, bool is_alone);

/*
 * The time that nodes have let a command wait does not count: moves the deadline by the time since
 * then.
 */
void oh_redirects_extend(oh_exchange *exchange, uint64_t since_ns);

/* How long it may wait now; at least 1. */
uint32_t oh_redirects_wait_left_ms(uint64_t end_ns);

/* Appends a command. Its timeout becomes what is left until this end, if that is not 0. */
void oh_redirects_put_command(oh_buffer *to, oh_bytes bytes, uint64_t wait_end_ns);

/* A command that was redirected. */
typedef struct oh_redirected_command {
    oh_bytes command;
    oh_replacement *reply; /* Its last reply; an error until it is done. */
    uint32_t hops;         /* How often it was forwarded. */
    uint32_t tries;        /* How often it was sent once more. */
    uint32_t slot;         /* OH_SLOTS_COUNT if it has no key. */
    uint32_t node;         /* Its last or next node, in the map of the run. */
    /* The script to send before it, because the next node has lost it. Empty if none. */
    oh_bytes script;
    bool asks;      /* The next node needs ASKING before it. */
    bool has_moved; /* The redirect says that the next node has the slot. */
    bool goes_home; /* It goes to the node that has the slot at that time. */
    bool is_exec;   /* It ends a transaction of the pipeline. */
    bool is_done;
    bool is_sent; /* It was sent in this round, so its reply is new. */
} oh_redirected_command;

/* One write of a round. */
typedef struct oh_redirect_request {
    uint32_t node;
    oh_buffer bytes;
    oh_failure failure;
    oh_node_lookout lookout;
    oh_exchange exchange;
} oh_redirect_request;

/* The redirected commands of one request, until each has a reply. */
typedef struct oh_redirect_run {
    const oh_redirects *redirects;
    oh_exchange *exchange;
    oh_nodes *nodes;
    oh_snapshot *map;
    oh_redirected_command *commands;
    uint32_t count;
    uint64_t wait_end_ns; /* As of oh_redirects_wait_end. */
    bool is_fresh;        /* The map was refreshed after the last replies. */
    bool has_left;        /* In the last round another node has taken over from one. */
    uint32_t *going;      /* By slot: where its commands go in this round. */
    oh_redirect_request *requests;
    uint32_t requests_count;
    oh_exchange_set *set;
} oh_redirect_run;

/* Stores the reply of a command. False if there is no memory; the exchange has failed. */
bool oh_redirect_run_reply(oh_redirect_run *run, oh_replacement *reply, oh_bytes bytes);

/*
 * Runs one round: sends the commands that are not done, except those that must wait for a later
 * round, and gets a new reply for each. False if the exchange has failed.
 */
bool oh_redirect_run_round(oh_redirect_run *run);

/*
 * Follows the redirects of the list, and fills `replies`, one for each. False if the exchange has
 * failed.
 */
bool oh_redirects_follow(const oh_redirects *redirects, oh_exchange *exchange, oh_bytes request,
    oh_replacement *replies);

#endif
