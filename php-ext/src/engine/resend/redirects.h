/*
 * Redirects: forwards commands that a node of a Redis Cluster has not executed, because it does not
 * have the slot, or cannot serve it now.
 *
 *     request ─► node ─► replies, framed one by one ─► notes each redirect, with its command
 *                               │ all are in
 *                               ▼
 *     sends those commands, in rounds, to the nodes named in the redirects
 *                               │ all have a reply
 *                               ▼
 *     replaces the redirects by these replies ─► the caller reads
 *
 * It is the interceptor of an exchange and works in its memory, so the caller does not notice that
 * some slots of a pipeline have moved. Commands of one slot keep their order. Large replies (beyond
 * OH_REPLIES_AHEAD_BYTES) reach the caller up to the first redirect; the rest is gathered until the
 * redirects are replaced.
 *
 * A failed node is handled in the same way if that is safe. All commands of the request go to the
 * master, if the node is a replica, or to the node that has the slot in the newest map.
 *
 * Implements spec/route, "Redirects".
 */
#ifndef OH_ENGINE_REDIRECTS_H
#define OH_ENGINE_REDIRECTS_H

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

typedef struct oh_redirects oh_redirects;

/*
 * A function that returns the script with this digest; bytes NULL if the program does not know it.
 * The function is NULL if the program keeps no scripts.
 */
extern oh_bytes (*oh_redirects_script)(const char *digest, size_t length);

/*
 * Attaches to an exchange with a node of a cluster, and ends with the exchange. The caller
 * goes on owning the map. NULL if there is no memory.
 */
oh_redirects *oh_redirects_attach(oh_exchange *exchange, oh_snapshot *map, uint32_t node);

/* Switches to a newer map in which the node has the same index. Only between two calls. */
void oh_redirects_set_map(oh_redirects *redirects, oh_snapshot *map);

#endif
