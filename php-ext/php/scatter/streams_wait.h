/*
 * Streams wait: XREAD or XREADGROUP with BLOCK over several nodes. All are asked; the first that
 * has entries ends the wait of all.
 *
 *     CLIENT ID, XREADGROUP ... BLOCK ─► a   blocked ◄── CLIENT UNBLOCK id of a ◄─┐
 *     CLIENT ID, XREADGROUP ... BLOCK ─► b   entries ─────────────────────────────┤
 *     CLIENT ID, XREADGROUP ... BLOCK ─► c   blocked ◄── CLIENT UNBLOCK id of c ◄─┘
 *
 * The replies of released waits are read like any other. Between the first reply and the release a
 * node may have handed entries to this consumer; closing its connection would lose them. If UNBLOCK
 * answers 0, the client is not blocked: its reply is on the way, or its command has not arrived
 * yet. So UNBLOCK is sent again until the reply is in. No connection goes back to the pool before
 * each UNBLOCK is answered: a late one might release the wait of another caller.
 *
 * Implements spec/route, "XREAD and XREADGROUP with BLOCK over several nodes".
 */
#ifndef OH_PHP_STREAMS_WAIT_H
#define OH_PHP_STREAMS_WAIT_H

#include "php/scatter/scatter.h"

/* What to do instead if that many nodes cannot be waited for together. NULL: they can. */
const char *oh_streams_wait_objection(const oh_client *client, uint32_t nodes_count);

/*
 * Makes the calls, each on a node client whose command may block. As oh_scatter_run; false,
 * too, if a signal handler threw.
 */
bool oh_streams_wait_run(oh_client *client, oh_node_call *node_calls, uint32_t count);

#endif
