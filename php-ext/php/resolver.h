/*
 * Resolver: from the name of a host to its addresses, without ever waiting.
 *
 * In: a name that is no number. Out: its addresses, if somebody of this host has asked within their time to live; else a
 * lookup, which is done when c-ares has asked /etc/hosts and the servers of /etc/resolv.conf, as nsswitch.conf says. All
 * lookups of a thread have one descriptor to be polled for. Who has no patience left leaves; the lookup goes on without
 * him, so that an answer that comes too late for one call is there for the next one.
 *
 *     connection ─► recall ─► known: connect
 *                     └─► ask ─► poll the descriptor ─► is_done? ─► result: connect
 *
 * Before it on the road: connection; behind it: store, which keeps what was found. After a fork a child has no part in
 * the lookups of its parent.
 *
 * Implements spec/topology/segment.md, "Names".
 */
#ifndef OH_PHP_RESOLVER_H
#define OH_PHP_RESOLVER_H

#include <sys/socket.h>

#include "core/store_name.h"

#define OH_ADDRESSES_MAX OH_NAME_ADDRESSES_MAX

/* Where a connection may go. */
typedef struct oh_address {
    struct sockaddr_storage bytes;
    socklen_t length;
} oh_address;

typedef struct oh_lookup oh_lookup;
typedef struct oh_resolver oh_resolver; /* What a thread has of it, in the module's globals; NULL while nothing is asked. */

/* The library begins and ends with the module. */
bool oh_resolver_startup(void);
void oh_resolver_shutdown(void);
const char *oh_resolver_version(void);

/* What the host knows of a name at this moment: how many addresses were filled, with this port. 0: ask. */
uint8_t oh_resolver_recall(const char *host, uint16_t port, oh_address addresses[OH_ADDRESSES_MAX]);

/* Begins a lookup, or takes part in one. NULL: this process lacks what that takes; errno says what. */
oh_lookup *oh_resolver_ask(const char *host);

/* Readable whenever a lookup of this thread has to be looked at again. */
int oh_resolver_descriptor(void);

/* Goes on as far as possible. True: there is a result. */
bool oh_resolver_is_done(oh_lookup *lookup);

/* Of a lookup that is done, as recall. 0: there are none, and `reason` is a constant that says why. */
uint8_t oh_resolver_result(const oh_lookup *lookup, uint16_t port, oh_address addresses[OH_ADDRESSES_MAX],
    const char **reason);

/* Takes no part any more; the lookup must not be used again. */
void oh_resolver_leave(oh_lookup *lookup);

/* A thread ends. */
void oh_resolver_end(oh_resolver *resolver, oh_store_names *names);

#endif
