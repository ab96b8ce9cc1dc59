/*
 * Succession: resends commands to a node's successor: those it refused with READONLY, and those
 * that never reached it.
 *
 *     request ─► node ─► replies; some are READONLY: the node has become a replica
 *                               │ all are in
 *                               ▼
 *     gets the newest version of the server pool ─► same address: the caller reads the errors
 *                               │ the node has another address
 *                               ▼
 *     sends those commands there ─► replaces the errors by the replies ─► the caller reads
 *
 * A node that answers READONLY has not executed the command, so a write may be sent again. This is
 * never done in a transaction or in a batch with a MULTI.
 *
 * With Sentinels NOREPLICAS is also such a refusal, and their current answer is the newest version.
 * Until the deadline the Sentinels are asked again and again, at most every 100 ms, and the node
 * that they name is tried. So a call that begins while a master dies waits for the next one. A call
 * that has left its node, because its lookout knows the next one (lookout.h), goes there
 * immediately.
 *
 * A read that a replica has not answered goes to its master immediately, if `read_from` allows it.
 *
 * It is the interceptor of an exchange only from the first error on, so calls without errors pay
 * nothing for it.
 *
 * Implements spec/wire, section 5, "After READONLY", spec/topology/sentinel.md, section 5, and
 * spec/topology/cluster.md, section 7.
 */
#ifndef OH_ENGINE_SUCCESSION_H
#define OH_ENGINE_SUCCESSION_H

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

typedef struct oh_succession {
    /* The first field, so that a pointer to it is a pointer to this struct. */
    oh_interceptor interceptor;
    oh_snapshot *snapshot; /* The caller's. */
    uint32_t node;         /* Its index there. */
} oh_succession;

/*
 * Returns the newest version of the server pool, counted. Room source provides it. NULL if the
 * program has no such room; then nothing is sent again.
 */
extern oh_snapshot *(*oh_succession_newest)(oh_snapshot *snapshot, uint64_t deadline_ns);

/* Sets it up, or switches to another snapshot between two calls. It needs no memory and no end. */
void oh_succession_set(oh_succession *succession, oh_snapshot *snapshot, uint32_t node);

#endif
