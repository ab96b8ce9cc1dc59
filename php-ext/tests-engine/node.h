/*
 * A node that does what it is told: a server in a process of its own, which answers the commands of
 * redis that the tests need, in the manner that a word in front of the last argument names:
 *
 *     INCR drip:k     the reply comes byte by byte
 *     INCR half:k     half of it, and the connection is closed
 *     INCR close:k    nothing, and the connection is closed
 *     INCR mute:k     nothing
 *     INCR surplus:k  the reply comes twice
 *     INCR noise:k    something that is no reply
 *     INCR last:k     the reply, and the connection is closed
 *
 * INCR answers how often it was sent this key, which ends in a number; the tests see that, too, so
 * a failure's word "not sent" can be held against it. SUBSCRIBE is confirmed, and a message follows
 * at once. A connection is read command by command, as SSDB does.
 */
#ifndef OH_TESTS_NODE_H
#define OH_TESTS_NODE_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#define NODE_KEYS 65536

typedef struct node_counts {
    atomic_uint connections;
    atomic_uint executed[NODE_KEYS]; /* How often it was sent INCR, by the number of the key. */
} node_counts;

typedef struct node {
    uint16_t port;
    pid_t pid;
    node_counts *counts; /* Shared with the process of the node. */
} node;

/* On a free port. Ends the program if it cannot be had. */
node node_start(void);
void node_stop(node *it);

/* A port that nobody listens on. */
uint16_t node_free_port(void);

#endif
