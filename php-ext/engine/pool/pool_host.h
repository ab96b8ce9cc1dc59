/*
 * The pool of a host: what all workers of a php-fpm have in common of one node: places for connections, and the queue of
 * those that are idle. Private to pool, but for oh_host_look.
 *
 * Lease: from the queue; else, while there is a place, a new connection; else wait, within the deadline, for one that
 * another worker gives back. Connections of a worker that died are found by their place: it has an owner's name on it.
 *
 * Implements spec/topology/segment.md, owners.
 */
#ifndef OH_ENGINE_POOL_HOST_H
#define OH_ENGINE_POOL_HOST_H

#include "engine/pool/connection.h"
#include "engine/shared/queue.h"

/* The same node for all workers of the host and this user. */
typedef struct oh_host_node {
    oh_store_node *shared; /* NULL: it has no entry in the segment. */
    uint32_t number, tenure;
    uint32_t joined;       /* How often it was given an entry. */
    uint64_t looked_ms;    /* When one was looked for. */
    uint32_t size_max;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
} oh_host_node;

/* Whether connections are shared at all: there is a segment, and this is a server's worker. */
void oh_host_startup(bool is_wanted);

/* A node that is told from all others by a text, password included. */
void oh_host_begin(oh_host_node *node, const char *text, size_t length, uint32_t size_max);

/*
 * Whether it still has its entry, and need not look for one; to be asked before each use. For a second after
 * that nobody takes the entry away.
 */
bool oh_host_is_joined(const oh_host_node *node, uint64_t now_ms);

/* Finds its entry, or makes one if there is room: `shared` is not NULL then. */
void oh_host_join(oh_host_node *node, uint64_t now_ms);

/* It is not configured any more. */
void oh_host_leave(const oh_host_node *node);

/* Once a second, in one process of the host: closes connections that nobody needs, and gives up entries. */
void oh_host_tidy(void);

/* For the status: descriptors in queues and their limit (0: there is none), entries in use and their limit. */
typedef struct oh_host_view {
    uint32_t idle, nodes, nodes_max;
    uint64_t idle_max;
} oh_host_view;

oh_host_view oh_host_look(void);

/* Whether its connections are the host's. False: they are this process' own, and no function below may be called. */
bool oh_host_keeps(const oh_host_node *node);

/* An idle connection, sound, made a connection of this process; NULL: there is none. */
oh_connection *oh_host_take(const oh_host_node *node);

/* A place for a new connection; OH_STORE_NONE: all are taken. */
uint32_t oh_host_claim(const oh_host_node *node);

/* Waits until it is worth trying again; at most until the deadline (0: there is none). False: it has passed. */
bool oh_host_await(const oh_host_node *node, uint64_t deadline_ns);

/* Gives it to whoever needs it next and forgets it; it is closed if that cannot be. */
void oh_host_park(const oh_host_node *node, oh_connection *connection);

/* Frees the place of a connection that is about to be closed. */
void oh_host_free(const oh_host_node *node, uint32_t place);

/* Whether so few connections have an owner that this process may keep one until its request ends. */
bool oh_host_is_roomy(const oh_host_node *node);

/* Whether a process is still the one that, at that instant, took a place or a turn. */
bool oh_host_is_alive(uint32_t pid, uint64_t since_ms);

#endif
