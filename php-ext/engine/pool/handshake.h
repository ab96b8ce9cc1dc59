/*
 * Handshake: the commands that a new connection sends first, and the check of their answers. They
 * are AUTH and SELECT, in the order that the configuration means, and VERSION if the node has to be
 * SSDB.
 *
 * Implements the sign-in rules of spec/config.
 */
#ifndef OH_ENGINE_HANDSHAKE_H
#define OH_ENGINE_HANDSHAKE_H

#include "engine/pool/connection.h"

/*
 * Writes the handshake, if one is needed, into an endpoint that has its address. False if there is
 * no memory.
 */
bool oh_handshake_set(oh_endpoint *endpoint, const oh_server_pool *pool);

/* Erases it, passwords included. */
void oh_handshake_clear(oh_endpoint *endpoint);

/* Sends it and reads the answers, as far as possible without waiting. */
oh_progress oh_handshake_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure);

/*
 * True if the first reply on a connection without a handshake is an error about the connection, not
 * about the command: too many clients, protected mode, missing sign-in. Then the failure is filled,
 * and nothing was executed. Call it when there is a reply.
 */
bool oh_handshake_turns_away(oh_connection *connection, oh_failure *failure);

#endif
