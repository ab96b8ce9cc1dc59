/*
 * Redirects: commands that a node of a Redis Cluster has not executed, because it does not have the
 * slot, or not now.
 *
 *     request ─► node ─► replies, framed one by one ─► an error that redirects? noted: its command, its place
 *                                  all are in ─► the commands of those, in rounds, to the nodes that were named
 *                                                └─► their replies take the places of the errors ─► the caller reads
 *
 * It works beneath the caller, in the memory of an exchange, as its interceptor: a pipeline of
 * which some slots have moved is as whole as any other. Commands keep their order where they
 * concern one slot. What is streamed (replies beyond what an exchange reads ahead) is given out up
 * to the first redirect; the rest is gathered until it can be replaced.
 *
 * A node that has failed is the same case where that is safe: all commands of the request go, as if
 * redirected, to the master of a replica, or to the node that the newest map has in its place.
 *
 * Implements spec/route, "Redirects".
 */
#ifndef OH_ENGINE_REDIRECTS_H
#define OH_ENGINE_REDIRECTS_H

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

typedef struct oh_redirects oh_redirects;

/*
 * The script with this digest, as far as the program knows it; bytes NULL: it does not. NULL: it
 * knows none.
 */
extern oh_bytes (*oh_redirects_script)(const char *digest, size_t length);

/*
 * For an exchange with a node of a cluster, with which it ends. The map is the caller's. NULL:
 * there is no memory.
 */
oh_redirects *oh_redirects_attach(oh_exchange *exchange, oh_snapshot *map, uint32_t node);

/* Between two calls: the node has the same index in a newer map. */
void oh_redirects_set_map(oh_redirects *redirects, oh_snapshot *map);

#endif
