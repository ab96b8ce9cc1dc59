/*
 * The pool of a host: the seats for connections to one node, and the queue of idle connections. All
 * workers of a server share it. Private to pool.
 *
 * A lease takes a connection from the queue. If the queue is empty and there is a free seat, it
 * opens a new one. Otherwise it waits, within the deadline, until another worker gives one back.
 * Seats name their owner, so those of a dead worker can be reclaimed.
 *
 * Implements spec/topology/segment.md, owners.
 */
#ifndef OH_ENGINE_POOL_HOST_H
#define OH_ENGINE_POOL_HOST_H

#include "engine/pool/connection.h"
#include "engine/pool/pool_entry.h"

/* The functions below are for nodes with shared connections, see oh_host_keeps. */

/* Takes over a sound idle connection; NULL if there is none. */
oh_connection *oh_host_take(const oh_host_node *node);

/* Takes a seat for a new connection; OH_STORE_NONE if all are taken. */
uint32_t oh_host_claim(const oh_host_node *node);

/*
 * Waits until it is worth trying again, at most until the deadline (0 if there is none). False if
 * it has passed.
 */
bool oh_host_await(const oh_host_node *node, uint64_t deadline_ns);

/*
 * Gives the connection to the next worker that needs it and frees it here. If that fails, closes
 * it.
 */
void oh_host_park(const oh_host_node *node, oh_connection *connection);

/* Frees the seat of a connection that is about to be closed. */
void oh_host_free(const oh_host_node *node, uint32_t seat);

/*
 * True if so few connections have an owner that this process may keep one until its request ends.
 */
bool oh_host_is_roomy(const oh_host_node *node);

#endif
