/*
 * The entry of a node in the segment: how the workers of a host find it, and how long it lives.
 * Private to pool, except for oh_host_startup, oh_host_is_shared and oh_host_view_now.
 *
 * Implements spec/topology/segment.md, "Entries come and go".
 */
#ifndef OH_ENGINE_POOL_ENTRY_H
#define OH_ENGINE_POOL_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/store.h"

/* A node as all workers of the host and this user share it. */
typedef struct oh_host_node {
    oh_store_node *shared; /* NULL if it has no entry in the segment. */
    uint32_t number, tenure;
    uint32_t joined;     /* How often it was given an entry. */
    uint64_t checked_ms; /* When an entry was last searched for. */
    uint32_t size_max;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
} oh_host_node;

/*
 * Decides whether connections are shared: only if there is a segment and `is_wanted` is true, as in
 * the workers of a server.
 */
void oh_host_startup(bool is_wanted);

/* Sets up a node, identified by a text that includes the password. */
void oh_host_begin(oh_host_node *node, const char *text, size_t length, uint32_t size_max);

/*
 * True if the node still has its entry. Call it before each use: for one second after the call, no
 * process gives up the entry.
 */
bool oh_host_is_joined(const oh_host_node *node, uint64_t now_ms);

/* Finds the entry, or makes one if there is room. `shared` is not NULL if it succeeds. */
void oh_host_join(oh_host_node *node, uint64_t now_ms);

/* Says that the node is not configured any more. */
void oh_host_leave(const oh_host_node *node);

/*
 * Closes connections and gives up entries that are not needed. Only one process of the host does
 * so, once a second.
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

/* True if workers share the connections of the nodes for which there is room. */
bool oh_host_is_shared(void);

/* Logs a line, but not twice within an hour. */
void oh_host_log(oh_store_news news);

#endif
