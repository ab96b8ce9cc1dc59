/*
 * The entry of a node in the segment: what all workers of a host know it by, and how long it is
 * theirs. Private to pool, but for oh_host_startup and oh_host_view_now.
 *
 * Implements spec/topology/segment.md, "Entries come and go".
 */
#ifndef OH_ENGINE_POOL_ENTRY_H
#define OH_ENGINE_POOL_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host/store.h"

/* The same node for all workers of the host and this user. */
typedef struct oh_host_node {
    oh_store_node *shared; /* NULL: it has no entry in the segment. */
    uint32_t number, tenure;
    uint32_t joined;    /* How often it was given an entry. */
    uint64_t looked_ms; /* When one was looked for. */
    uint32_t size_max;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
} oh_host_node;

/* Whether connections are shared at all: there is a segment, and this is a server's worker. */
void oh_host_startup(bool is_wanted);

/* A node that is told from all others by a text, password included. */
void oh_host_begin(oh_host_node *node, const char *text, size_t length, uint32_t size_max);

/*
 * Whether it still has its entry, and need not look for one; to be asked before each use. For a
 * second after that nobody takes the entry away.
 */
bool oh_host_is_joined(const oh_host_node *node, uint64_t now_ms);

/* Finds its entry, or makes one if there is room: `shared` is not NULL then. */
void oh_host_join(oh_host_node *node, uint64_t now_ms);

/* It is not configured any more. */
void oh_host_leave(const oh_host_node *node);

/*
 * Once a second, in one process of the host: closes connections that nobody needs, and gives up
 * entries.
 */
void oh_host_tidy(void);

/*
 * For the status: descriptors in queues and their limit (0: there is none), entries in use and
 * their limit.
 */
typedef struct oh_host_view {
    uint32_t idle, nodes, nodes_max;
    uint64_t idle_max;
} oh_host_view;

oh_host_view oh_host_view_now(void);

/* Whether its connections are the host's. False: they are this process' own. */
bool oh_host_keeps(const oh_host_node *node);

/* A line of the log, but not twice within an hour. */
void oh_host_log(oh_store_news news);

#endif
