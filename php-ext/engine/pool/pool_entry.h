/*
 * The entry of a node in the segment: how all workers of a host find it, and how long they have it.
 * Private to pool, but for oh_host_startup and oh_host_view_now.
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
    oh_store_node *shared; /* NULL if it has no entry in the segment. */
    uint32_t number, tenure;
    uint32_t joined;    /* How often it was given an entry. */
    uint64_t looked_ms; /* When one was searched for. */
    uint32_t size_max;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
} oh_host_node;

/* Decides if connections are shared: there is a segment, and this is a server's worker. */
void oh_host_startup(bool is_wanted);

/* A node, identified by a text that includes the password. */
void oh_host_begin(oh_host_node *node, const char *text, size_t length, uint32_t size_max);

/*
 * True if it still has its entry and need not search for one. Call it before each use: for a second
 * after that no process gives the entry up.
 */
bool oh_host_is_joined(const oh_host_node *node, uint64_t now_ms);

/* Finds its entry, or makes one if there is room. Then `shared` is not NULL. */
void oh_host_join(oh_host_node *node, uint64_t now_ms);

/* The node is not configured any more. */
void oh_host_leave(const oh_host_node *node);

/*
 * Once a second, in one process of the host: closes connections that are not needed, and gives up
 * entries.
 */
void oh_host_tidy(void);

/*
 * For the status: descriptors in queues and their limit (0 if there is none), entries in use and
 * their limit.
 */
typedef struct oh_host_view {
    uint32_t idle, nodes, nodes_max;
    uint64_t idle_max;
} oh_host_view;

oh_host_view oh_host_view_now(void);

/* True if its connections are the host's, false if they are this process' own. */
bool oh_host_keeps(const oh_host_node *node);

/* Logs a line, but not twice within an hour. */
void oh_host_log(oh_store_news news);

#endif
