/*
 * The pool of a host: what all workers of a server have in common of one node: seats for
 * connections, and the queue of those that are idle. Private to pool.
 *
 * Lease: from the queue; else, while there is a seat, a new connection; else wait, within the
 * deadline, for one that another worker gives back. Connections of a worker that died are found by
 * their seat: it has an owner's name on it.
 *
 * Implements spec/topology/segment.md, owners.
 */
#ifndef OH_ENGINE_POOL_HOST_H
#define OH_ENGINE_POOL_HOST_H

#include "engine/pool/connection.h"
#include "engine/pool/pool_entry.h"

/* The functions below are for a node whose connections are the host's: oh_host_keeps. */

/* An idle connection, sound, made a connection of this process; NULL: there is none. */
oh_connection *oh_host_take(const oh_host_node *node);

/* A seat for a new connection; OH_STORE_NONE: all are taken. */
uint32_t oh_host_claim(const oh_host_node *node);

/*
 * Waits until it is worth trying again; at most until the deadline (0: there is none). False: it
 * has passed.
 */
bool oh_host_await(const oh_host_node *node, uint64_t deadline_ns);

/* Gives it to whoever needs it next and forgets it; it is closed if that cannot be. */
void oh_host_park(const oh_host_node *node, oh_connection *connection);

/* Frees the seat of a connection that is about to be closed. */
void oh_host_free(const oh_host_node *node, uint32_t seat);

/*
 * Whether so few connections have an owner that this process may keep one until its request ends.
 */
bool oh_host_is_roomy(const oh_host_node *node);

#endif
