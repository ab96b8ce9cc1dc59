/*
 * Handshake: the first commands of a new connection, and the check of their answers. They are AUTH
 * and SELECT, in the order that the configuration requires, and VERSION if the node must be SSDB.
 *
 * Implements the handshake rules of spec/config.
 */
#ifndef OH_ENGINE_HANDSHAKE_H
#define OH_ENGINE_HANDSHAKE_H

#include "engine/pool/connection.h"

/*
 * Adds the handshake with this server, if one is needed, to an endpoint that has its address. False
 * if there is no memory.
 */
bool oh_handshake_set(oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server);

/* Erases it, passwords included. */
void oh_handshake_clear(oh_endpoint *endpoint);

/* Sends it and reads the answers, as far as possible without waiting. */
oh_progress oh_handshake_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure);

/*
 * For a connection without a handshake, when its first reply is in. True if this reply is an error
 * about the connection, not about the command: too many clients, protected mode, missing password.
 * Then the failure is set, and no command was executed.
 */
bool oh_handshake_turns_away(oh_connection *connection, oh_failure *failure);

/*
 * For a connection that was lost: true if the node has refused this client's certificate. Then the
 * failure says so, and nothing was executed.
 */
bool oh_handshake_is_refused(oh_connection *connection, oh_failure *failure);

#endif
