/*
 * Redirects: commands that a node of a Redis Cluster has not executed, because it does not have the slot, or not now.
 *
 *     request ─► node ─► replies, framed one by one ─► an error that redirects? noted: its command, its place
 *                                  all are in ─► the commands of those, in rounds, to the nodes that were named
 *                                                └─► their replies take the places of the errors ─► phpredis reads
 *
 * It works beneath phpredis, in the memory of an exchange: a pipeline of which some slots have moved is as whole as any
 * other. Commands keep their order where they concern one slot. What is streamed (replies beyond what an exchange reads
 * ahead) is given out up to the first redirect; the rest is gathered until it can be mended.
 *
 * A node that has failed is the same case where that is safe: all commands of the request go, as if redirected, to the
 * master of a replica, or to the node that the newest map has in its place.
 *
 * Implements spec/route, "Redirects".
 */
#ifndef OH_ENGINE_REDIRECTS_H
#define OH_ENGINE_REDIRECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/command/command.h"
#include "core/key/key.h"

#include "engine/snapshot/snapshot.h"

struct oh_exchange;

/* The script with this digest, as far as the program knows it; bytes NULL: it does not. NULL: it knows none. */
extern oh_bytes (*oh_redirects_script)(const char *digest, size_t length);

/* A reply that is none yet. Places are counted from the first byte of the first reply of the request. */
typedef struct oh_redirected {
    uint32_t command; /* Which of the request, from 0. */
    size_t begin, end;
} oh_redirected;

typedef struct oh_redirects {
    oh_snapshot *map;   /* The caller's; it outlives the exchange, or set_map gives a newer one. */
    uint32_t node;      /* Its index there. */
    uint64_t first;     /* Replies of the connection before those of the request. */
    size_t value;       /* Where the value begins that is being received. */
    bool is_between;    /* None is: the next byte begins one. */
    bool is_error;      /* It is an error. */
    bool has_others;    /* There was an error that redirects nothing, */
    bool has_nested;    /* or one inside of a reply. */
    bool is_rescue;     /* The node has failed: none of the commands in the list has a reply. */
    bool is_alone;      /* The request is one command. */
    uint32_t wait_ms;   /* How long the commands may block. */
    uint8_t *request;   /* A copy, if replies are still to come when phpredis is given its write back. */
    size_t request_length;
    oh_redirected *list;
    uint32_t count, capacity;
} oh_redirects;

/* For an exchange with a node of a cluster; freed with the exchange. NULL: there is no memory. */
oh_redirects *oh_redirects_new(oh_snapshot *map, uint32_t node);

/* Between two calls: the node has the same index in a newer map. */
void oh_redirects_set_map(struct oh_exchange *exchange, oh_snapshot *map);
void oh_redirects_free(struct oh_exchange *exchange);

/* A request is about to be sent. */
void oh_redirects_begin(struct oh_exchange *exchange);

/* As oh_wire_read, of `count` bytes behind the replies: finds out which of them redirect. */
size_t oh_redirects_read(struct oh_exchange *exchange, size_t count);

/* How many bytes may be given out: all, or those in front of what redirects, or may turn out to. */
size_t oh_redirects_readable(const struct oh_exchange *exchange);

/* If every reply is in, and some redirect, they are followed. The exchange has failed if that did. */
void oh_redirects_meet(struct oh_exchange *exchange);

/*
 * The slot of a command's first key, OH_SLOTS_COUNT if it has none, and whether it begins or ends a transaction. False:
 * there is no memory.
 */
bool oh_redirects_find_slot(const uint8_t *command, size_t length, uint32_t *slot, oh_state *state);

/* What takes the place of a redirect. */
typedef struct oh_mended {
    uint8_t *bytes; /* Memory of the call. */
    size_t length;
} oh_mended;

/* Follows what the list holds, and fills `replies`, one for each. False: the exchange has failed. */
bool oh_redirects_follow(struct oh_exchange *exchange, const uint8_t *request, size_t length, oh_mended *replies);

#endif
