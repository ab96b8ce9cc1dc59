/*
 * Resolver: from the name of a host to its addresses, without waiting.
 *
 * In: a host name, not a numeric address. Out: its addresses, if the host knows them and their time
 * to live is not over; otherwise a look-up. c-ares asks /etc/hosts and the servers of
 * /etc/resolv.conf, in the order of nsswitch.conf. All look-ups of a thread share one descriptor to
 * poll. A caller leaves when its deadline passes, but the look-up continues. So an answer that is
 * too late for one call serves the next one.
 *
 *     connection ─► recall ─► known: connect
 *                     └─► ask ─► poll the descriptor ─► is_done? ─► result: connect
 *
 * connection calls it; store keeps the answers. A child of a fork does not use the look-ups of its
 * parent.
 *
 * Implements spec/topology/segment.md, "Names".
 */
#ifndef OH_ENGINE_RESOLVER_H
#define OH_ENGINE_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "core/store/store_name.h"

#define OH_ADDRESSES_MAX OH_NAME_ADDRESSES_MAX

/* An address to connect to. */
typedef struct oh_address {
    struct sockaddr_storage bytes;
    socklen_t length;
} oh_address;

typedef struct oh_lookup oh_lookup;

/* Start and end the library, when the program starts and ends. */
bool oh_resolver_startup(void);
void oh_resolver_shutdown(void);
const char *oh_resolver_version(void);

/*
 * Fills in the known addresses of a name, with this port. Returns how many; if 0, call
 * oh_resolver_ask.
 */
uint8_t oh_resolver_recall(const char *host, uint16_t port, oh_address addresses[OH_ADDRESSES_MAX]);

/*
 * Starts a look-up, or joins a running one. NULL if this process lacks memory or descriptors; errno
 * says which.
 */
oh_lookup *oh_resolver_ask(const char *host);

/* Becomes readable when a look-up of this thread can continue; then call oh_resolver_is_done. */
int oh_resolver_descriptor(void);

/* Continues without waiting. True if there is a result. */
bool oh_resolver_is_done(oh_lookup *lookup);

/*
 * Like recall, for a look-up that is done. If it returns 0, there are no addresses, and `reason`
 * says why. Then `own_error` is the errno for what this process lacks, or 0 if it lacks nothing.
 */
uint8_t oh_resolver_result(const oh_lookup *lookup, uint16_t port,
    oh_address addresses[OH_ADDRESSES_MAX], const char **reason, int *own_error);

/* This address of the name comes first from now on, or last. */
void oh_resolver_choose(const char *host, const oh_address *address, bool is_first);

/* Leaves a look-up; it must not be used again. */
void oh_resolver_leave(oh_lookup *lookup);

/* Called when a thread ends. */
void oh_resolver_end(void);

#endif
