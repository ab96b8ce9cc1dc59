/*
 * Handshake: what a new connection says before it may carry commands: AUTH and SELECT, in the order
 * the configuration means, VERSION where the node is to be SSDB, and the judgement of what the node
 * answers.
 *
 * Implements the sign-in rules of spec/config.
 */
#ifndef OH_ENGINE_HANDSHAKE_H
#define OH_ENGINE_HANDSHAKE_H

#include "engine/pool/connection.h"

/*
 * Writes the handshake, if one is needed, into an endpoint that has its address. False: there is no
 * memory.
 */
bool oh_handshake_set(oh_endpoint *endpoint, const oh_server_pool *pool);

/* Forgets it, passwords included. */
void oh_handshake_clear(oh_endpoint *endpoint);

/* Says it and hears the answers as far as that goes without waiting. */
oh_progress oh_handshake_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure);

/*
 * Whether the first thing ever heard on a connection that had nothing to say is an error about the
 * connection, not about the command: too many clients, protected mode, sign-in missing. If so, the
 * failure is filled and nothing has been executed. To be asked when something has been answered.
 */
bool oh_handshake_turns_away(oh_connection *connection, oh_failure *failure);

#endif
