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
 * Moving is the interceptor of each exchange with a node of a server pool whose keys move. It works
 * on the bytes of requests and replies. So it serves calls, batches and transactions alike. Other
 * server pools have no interceptor of this room.
 *
 * The requests of one call are prepared together: their keys are brought at the same time from all
 * old owners, and asked for in the same way. A command whose key cannot be brought is not sent. A
 * command whose old owner fails has no answer. The other commands of the request do not depend on
 * it.
 *
 * Implements spec/topology, moving.
 */
#ifndef OH_ENGINE_MOVING_H
#define OH_ENGINE_MOVING_H

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

typedef struct oh_moving oh_moving;

/* A command of a request that has no reply of its own. An error stands in its place. */
typedef struct oh_refusal {
    uint32_t command; /* Its number in the request, from 0. */
    uint32_t failure;
} oh_refusal;

/*
 * Attaches itself to an exchange with a node of a server pool whose keys move, and ends with that
 * exchange. The snapshot still belongs to the caller. NULL if there is no memory.
 */
oh_moving *oh_moving_attach(oh_exchange *exchange, oh_snapshot *snapshot, uint32_t node);

/*
 * The refused commands of an exchange that has not failed, in order. Valid until its next request.
 */
const oh_refusal *oh_moving_refusals(const oh_moving *moving, uint32_t *count);
const oh_failure *oh_moving_failure(const oh_moving *moving, const oh_refusal *refusal);

#endif
