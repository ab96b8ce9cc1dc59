/*
 * Node: a scripted server in its own process. It knows the Redis commands that the tests need. The
 * beginning of the last argument selects how the node answers, its manner:
 *
 *     INCR drip:k     sends the reply byte by byte
 *     INCR half:k     sends half of the reply, then closes the connection
 *     INCR close:k    closes the connection without a reply
 *     INCR mute:k     sends nothing
 *     INCR surplus:k  sends the reply twice
 *     INCR noise:k    sends bytes that are not a reply
 *     INCR last:k     sends the reply, then closes the connection
 *     INCR part:k     sends the reply, and the first k bytes of a record with another reply. The
 *                     rest of that record comes before the next reply; only with TLS
 *     INCR spoil:k    sends the reply, and a record that cannot be opened; only with TLS
 *     INCR renew:k    changes its keys NODE_RENEWALS times, then sends the reply; only with TLS
 *
 * INCR replies how often the node has received it for this key, which ends in a number. The tests
 * read the same counter, so they can check whether a command that was reported as not sent has
 * arrived. The test sets what a node of an old ring and a node of the new ring do: see node_part.
 * The node confirms SUBSCRIBE and sends a message immediately after that. It reads a connection one
 * command at a time, as SSDB does.
 */
#ifndef OH_TESTS_NODE_H
#define OH_TESTS_NODE_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#define NODE_KEYS 65536
#define NODE_RENEWALS 2000
#define NODE_SPOILT_BYTES 40 /* The head of a record, and data of no meaning. */

/* What a node does while keys move. All zeros is what other tests need. */
typedef struct node_part {
    atomic_bool is_empty; /* GET and EXISTS find nothing, and the manner is ignored. */
    atomic_uint migrates; /* How it answers MIGRATE: one of these. */
    /*
     * The node holds back its answers until this many commands have arrived, at all nodes that
     * hold back together.
     */
    atomic_uint holds_until;
    atomic_uint questions; /* How many GET, MIGRATE and DUMP it has received. */
} node_part;

enum {
    NODE_MIGRATES,
    NODE_MIGRATE_FAILS,
    NODE_MIGRATE_IS_BUSY, /* The owner has the key. Then INFO closes the connection. */
    NODE_MIGRATE_CLOSES,
    NODE_MIGRATE_IS_MUTE
};

typedef struct node_counts {
    atomic_uint connections;
    node_part part;
    atomic_uint executed[NODE_KEYS]; /* How often INCR was received, by the key's number. */
} node_counts;

typedef struct node {
    uint16_t port;
    pid_t pid;
    node_counts *counts; /* Shared with the process of the node. */
} node;

/* Starts a node on a free port. Exits if that fails. */
node node_start(void);

/* The same for a node that speaks TLS. Its certificate becomes the file node.crt in the directory.
 */
node node_start_encrypted(const char *directory);
void node_stop(node *it);

/* All nodes that hold back their answers begin to count again. */
void node_hold_again(void);

/* A port on which no process listens. */
uint16_t node_free_port(void);

#endif
