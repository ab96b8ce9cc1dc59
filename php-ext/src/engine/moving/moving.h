/*
 * Moving: keys that move from an old owner to their owner, because the ring has changed.
 *
 *     request ─► which of its keys move? ─none──────────────────────────────► node ─► replies
 *                      │ of commands that do not only read
 *                      ▼
 *                brings them: MIGRATE, or DUMP, RESTORE and UNLINK ─► node ─► replies
 *                                                                              │ nothing
 *                                                                              ▼
 *                           asks the old owner, then the node once more ─► replaces them
 *
 * It is the interceptor of each exchange with a node of such a server pool, and works on the bytes
 * of requests and replies. So it serves calls, batches and transactions alike. Other server pools
 * have no interceptor of this room.
 *
 * All keys of a request are brought before it is sent, all nodes in parallel, and all questions are
 * asked in the same way. If a key cannot be brought, nothing of the request is sent.
 *
 * Implements spec/topology, moving.
 */
#ifndef OH_ENGINE_MOVING_H
#define OH_ENGINE_MOVING_H

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

typedef struct oh_moving oh_moving;

/*
 * Attaches to an exchange with a node of a server pool whose keys move, and ends with the exchange.
 * The caller goes on owning the snapshot. False if there is no memory.
 */
bool oh_moving_attach(oh_exchange *exchange, oh_snapshot *snapshot, uint32_t node);

#endif
