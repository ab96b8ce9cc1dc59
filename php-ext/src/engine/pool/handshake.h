/*
 * Handshake: the first commands of a new connection, and the check of their answers. They are AUTH
 * and SELECT, in the order that the configuration requires, and VERSION if the node must be SSDB.
 * Behind them is the introduction: who uses the connection. If the introduction would be all of the
 * handshake, it is sent in front of the caller's first command instead, because waiting for its
 * answers would take a round trip.
 *
 * A connection that is in another database than its caller has a short handshake of its own before
 * the first command: one SELECT.
 *
 * Implements the handshake rules of spec/config, and spec/wire, sections 8 and 9.
 */
#ifndef OH_ENGINE_HANDSHAKE_H
#define OH_ENGINE_HANDSHAKE_H

#include "engine/pool/connection.h"

/*
 * Adds to an endpoint the handshake with this server, and the introduction by this name. The
 * endpoint already has the address of the server. False if there is no memory.
 */
bool oh_handshake_set(
    oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server, const char *name);

/* Erases the handshake, passwords included. */
void oh_handshake_clear(oh_endpoint *endpoint);

/* Sends the handshake and reads the answers, as far as possible without waiting. */
oh_progress oh_handshake_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure);

/*
 * For a connection that is ready and must introduce itself: sends its introduction. The
 * introduction leaves together with the command that the caller sends next. Replies up to the
 * connection's `introduced` belong to it, and the caller drops them. False if the connection is
 * lost; errno says why.
 */
bool oh_handshake_introduce(oh_connection *connection, const oh_endpoint *endpoint);

/*
 * For a connection that is ready: begins to select this database, as a handshake of one command.
 * The connection is ready again when the node has said OK. Any other answer breaks it.
 */
void oh_handshake_select(oh_connection *connection, oh_database database);

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
