/*
 * Connection name: what a connection is called in a node's CLIENT LIST. It tells operators which
 * server pool uses the connection, and by which version of its configuration.
 *
 * Implements spec/wire, section 8.
 */
#ifndef OH_CONNECTION_NAME_H
#define OH_CONNECTION_NAME_H

#include "core/generated/limits.h"
#include "core/topology/server_pool.h"

/* With a NUL. */
#define OH_CONNECTION_NAME_BYTES                                                                   \
    (OH_CLIENT_NAME_BYTES_MAX + OH_POOL_NAME_BYTES_MAX + sizeof "::01234567")

/* Writes the name for the connections of a server pool that was read from an image. */
void oh_connection_name_write(const oh_server_pool *pool, char name[OH_CONNECTION_NAME_BYTES]);

#endif
