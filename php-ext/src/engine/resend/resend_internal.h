/*
 * Internal to room resend. Each file uses only those above it in this list:
 *
 *     resend_command     the words of a command: its slot, its timeout when it is sent again
 *     lookout            whether another node has taken over from the node that a call waits for
 *     resend             the mechanism: sends commands in rounds, and replaces their first replies
 *     redirects_follow   chooses the next node of each command of a Redis Cluster
 *     redirects          finds the commands that a Redis Cluster has redirected, or not answered
 *     succession         finds the commands that another server pool has refused, or not answered:
 *                        READONLY, NOREPLICAS, replicas
 */
#ifndef OH_ENGINE_RESEND_INTERNAL_H
#define OH_ENGINE_RESEND_INTERNAL_H

#include "core/command/command.h"

#include "engine/base/buffer.h"
#include "engine/nodes/nodes.h"
#include "engine/resend/resend.h"

/* ---- Commands ---- */

/* The words of a command that wire has checked. In memory of the call; NULL if there is none. */
oh_bytes *oh_resend_read_words(oh_bytes command, size_t *count);

/*
 * Finds the slot of a command's first key (OH_SLOTS_COUNT without a key), and whether the command
 * begins or ends a transaction. False if there is no memory.
 */
bool oh_resend_find_slot(oh_bytes command, uint32_t *slot, oh_state *state);

/*
 * When the wait of a blocking command ends. 0 if the wait has no end, or if the request has other
 * commands.
 */
uint64_t oh_resend_wait_end(const oh_exchange *exchange, bool is_alone);

/* How long the command may wait from now on; at least 1. */
uint32_t oh_resend_wait_left_ms(uint64_t end_ns);

/*
 * Appends a command. If `wait_end_ns` is not 0, the command's timeout becomes the time that is left
 * until then.
 */
void oh_resend_put_command(oh_buffer *to, oh_bytes bytes, uint64_t wait_end_ns);

/*
 * True if the fallback of its node may answer an exchange: all its commands are reads of keys, and
 * the node has a fallback.
 */
bool oh_resend_may_fall_back(const oh_exchange *exchange, oh_snapshot *snapshot, uint32_t node);

/* ---- Lookout ---- */

/* The newest version that the client knows, counted. No node is asked. */
oh_snapshot *oh_lookout_known(oh_snapshot *snapshot);

/*
 * Finds the node of a plain server pool that has the name of another one. False if there is none
 * that commands can be sent to.
 */
bool oh_lookout_find(oh_snapshot *newest, oh_text name, uint32_t *node);

/* True if the newest map gives the slot of the first key of these commands to another node. */
bool oh_lookout_has_moved(const oh_snapshot *map, uint32_t node, oh_bytes commands);

/* ---- The mechanism ---- */

/* A command that is sent again. */
typedef struct oh_resent_command {
    oh_bytes command;
    uint32_t number; /* In a Redis Cluster: the number of its first reply in the request, from 0. */
    /*
     * Where its first reply is, counted from the first byte of all replies. Both are 0 if it had
     * none.
     */
    size_t begin, end;
    struct {
        uint8_t *bytes; /* Memory of the call. */
        size_t length;
    } reply;        /* Its last reply; in a Redis Cluster an error until it is done. */
    uint32_t hops;  /* How often it was forwarded. */
    uint32_t tries; /* How often it was sent once more. */
    uint32_t slot;  /* OH_SLOTS_COUNT if it has no key; in a plain server pool 0. */
    uint32_t node;  /* Its last or next node, in the map of the run. */
    /* The script to send before it, because the next node has lost it. Empty if none. */
    oh_bytes script;
    bool asks;      /* The next node needs ASKING before it. */
    bool has_moved; /* The redirect says that the next node has the slot. */
    bool goes_home; /* It goes to the node that has the slot at that time. */
    bool fell_back; /* It went to the fallback of its first node. */
    bool is_exec;   /* It ends a transaction of the pipeline. */
    bool is_done;
    bool is_sent; /* It was sent in this round, so its reply is new. */
} oh_resent_command;

typedef struct oh_resent_list {
    oh_resent_command *commands; /* Memory of the call. */
    uint32_t count, capacity;
} oh_resent_list;

/* One write of a round. */
typedef struct oh_resend_request {
    uint32_t node;
    oh_buffer bytes;
    oh_failure failure;
    oh_node_lookout lookout;
    oh_exchange exchange;
} oh_resend_request;

/* The commands of one request that are sent again, until each has a reply. */
typedef struct oh_resend_run {
    oh_exchange *exchange; /* The caller's. */
    oh_snapshot *map;      /* The newest version of the server pool, counted. */
    bool is_alone;         /* The request is one command. */
    oh_resent_list list;
    uint64_t wait_end_ns; /* As oh_resend_wait_end returns it. */
    bool is_fresh;        /* The map was refreshed after the last replies. */
    bool has_left;        /* In the last round a node was replaced by another one. */
    bool waits;           /* A node has failed, and another one takes over or may do so. */
    bool is_over;         /* The exchange has failed during this run. */
    uint32_t *going;      /* By slot: the node to which its commands go in this round. */
    uint32_t slots_count;
    oh_resend_request *requests;
    uint32_t requests_count, requests_max;
    oh_exchange_set *set;
} oh_resend_run;

/*
 * Begins a run for this exchange; the map, which is counted, becomes its own. False if there is no
 * memory. It must be ended in both cases.
 */
bool oh_resend_begin(oh_resend_run *run, oh_exchange *exchange, oh_snapshot *map, bool is_alone);
void oh_resend_end(oh_resend_run *run);

/* Replaces the map by another one, which is counted. */
void oh_resend_set_map(oh_resend_run *run, oh_snapshot *map);

/* Adds a command. False if there is no memory. */
bool oh_resend_add(oh_resent_list *list, const oh_resent_command *command);

/* Stores the reply of a command. False if there is no memory; the exchange has failed. */
bool oh_resend_set_reply(oh_resend_run *run, oh_resent_command *resent, oh_bytes bytes);

/*
 * Runs one round: sends the commands that are not done, except those that must wait for a later
 * round, and gets a new reply for each. False if some node has failed.
 */
bool oh_resend_round(oh_resend_run *run);

/* Replaces the first replies. `has_error`, `has_nested`: other replies are or contain errors. */
void oh_resend_put_in_place(oh_resend_run *run, bool has_error, bool has_nested);

/*
 * True if the commands of an exchange that has failed at its node may go to another one: they were
 * not sent, or only read.
 */
bool oh_resend_may_go_on(const oh_exchange *failed);

/*
 * True if these commands may wait for the promotion of a replica of this node. A failure that says
 * nothing about the node is not a reason to expect that.
 */
bool oh_resend_may_wait(const oh_exchange *failed, const oh_snapshot *map, uint32_t node);

/* ---- Redirects ---- */

struct oh_redirects {
    /* The first field, so that a pointer to it is a pointer to this struct. */
    oh_interceptor interceptor;
    oh_snapshot *map; /* The caller's. */
    uint32_t node;    /* Its index there. */
    size_t value;     /* Where the current value begins. */
    bool is_between;  /* Between two values: the next byte begins one. */
    bool is_error;    /* The current value is an error. */
    bool has_others;  /* Some reply is an error and not a redirect. */
    bool has_nested;  /* Some reply has an error inside. */
    /* A copy, if replies are still to come when the caller's write returns. */
    uint8_t *request;
    size_t request_length;
    oh_resent_list list; /* The redirected commands, until they are followed. */
};

/* Where commands go first. */
typedef enum oh_destination {
    OH_TO_NAMED, /* The commands of the list: to the nodes that their redirects name. */
    /* All commands, because the node has failed: to the nodes that have their slots. */
    OH_TO_OWNERS,
    OH_TO_HEIR,    /* As OH_TO_OWNERS, after a wait for a failover. */
    OH_TO_FALLBACK /* All commands, because the node has failed: to its fallback. */
} oh_destination;

/*
 * Sends the commands of the list or, if the node has failed, all, and puts their replies in place.
 * The list is empty then. The exchange fails if that is not possible.
 */
void oh_redirects_follow(
    oh_redirects *redirects, oh_exchange *exchange, oh_bytes request, oh_destination to);

#endif
