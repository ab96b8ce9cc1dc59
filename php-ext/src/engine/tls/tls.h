/*
 * TLS: encrypted connections, by OpenSSL over a socket of ours.
 *
 * Like a plain socket, a channel does what is possible now and never waits; its owner polls. So
 * deadlines, parallel nodes and duplex writing are the same with and without TLS.
 *
 *     oh_tls          the settings of server pools, and what OpenSSL has made of their files
 *       └ oh_tls_peer   one node: its name, and the session that its next handshake resumes
 *           └ oh_tls_channel   one connection
 *
 * Everything belongs to one thread. A channel belongs to the process that opened it: its keys are
 * in the memory of that process, so no other process may use its socket.
 */
#ifndef OH_ENGINE_TLS_H
#define OH_ENGINE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/topology/server_pool.h"

#include "engine/base/wait.h"
#include "engine/failure/failure.h"

typedef struct oh_tls_peer oh_tls_peer;
typedef struct oh_tls_channel oh_tls_channel;

/*
 * Sets up the handshakes with the node at this host. No file is read yet. NULL if there is no
 * memory.
 */
oh_tls_peer *oh_tls_peer_open(const oh_server_pool *pool, oh_text host);
void oh_tls_peer_close(oh_tls_peer *peer); /* NULL is allowed. */

/* The settings as bytes. They contain a password, and are never shown. */
oh_bytes oh_tls_peer_settings(const oh_tls_peer *peer);

/*
 * Reads the files of certificates and keys, for the first time or because they have changed. False,
 * with a failure, if they cannot be used and no earlier ones are in use.
 */
bool oh_tls_peer_prepare(oh_tls_peer *peer, oh_failure *failure);

/*
 * Begins to encrypt a connected socket, which still belongs to its owner. NULL and a failure if
 * there is no memory.
 */
oh_tls_channel *oh_tls_channel_open(oh_tls_peer *peer, int socket, oh_failure *failure);

/* Advances the handshake. WAITS: poll for `events`. BROKEN: `failure` says why. */
oh_progress oh_tls_channel_advance(oh_tls_channel *channel, short *events, oh_failure *failure);

/* True if the last call that could receive has got bytes from the node. */
bool oh_tls_channel_has_received(const oh_tls_channel *channel);

/*
 * Receives and sends like recv() and send(), with their results and errno; sending never waits.
 * With MSG_DONTWAIT, receiving never waits; without it, receiving waits at most once. Receiving
 * fails with EINTR if bytes have come that are not data yet.
 */
ssize_t oh_tls_channel_receive(oh_tls_channel *channel, void *bytes, size_t size, int flags);
ssize_t oh_tls_channel_send(oh_tls_channel *channel, const void *bytes, size_t size);

/* True if a receive will have a result that poll() does not report. */
bool oh_tls_channel_has_buffered(const oh_tls_channel *channel);

/*
 * True if the channel is open, and the node has sent no data and no part of a record. Takes tickets
 * for later sessions.
 */
bool oh_tls_channel_is_silent(oh_tls_channel *channel);

/* True if the node has sent more data, or a part of a record. The end of the stream is neither. */
bool oh_tls_channel_has_more(oh_tls_channel *channel);

/*
 * For a channel that was lost: true if the node has refused this client's certificate. (With TLS
 * 1.3 a node does so after the handshake of the client is over.) Then the failure says so, and no
 * command was executed.
 */
bool oh_tls_channel_is_turned_away(oh_tls_channel *channel, oh_failure *failure);

/* Frees everything. Sends nothing, so a forked child may close its copies. */
void oh_tls_channel_close(oh_tls_channel *channel);

/* The version of the OpenSSL library in use, for display. */
const char *oh_tls_version(void);

#endif
