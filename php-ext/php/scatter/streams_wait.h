/*
 * Streams wait: XREAD or XREADGROUP with BLOCK over several nodes. All are asked; the first that
 * has entries ends the wait of all.
 *
 *     CLIENT ID, XREADGROUP ... BLOCK ─► a   blocked ◄── CLIENT UNBLOCK id of a ◄─┐
 *     CLIENT ID, XREADGROUP ... BLOCK ─► b   entries ─────────────────────────────┤
 *     CLIENT ID, XREADGROUP ... BLOCK ─► c   blocked ◄── CLIENT UNBLOCK id of c ◄─┘
 *
 * The replies of those that are released are read like any other: between the winner's reply and
 * the release a node may have handed entries to this consumer, and closing its connection would
 * lose them. UNBLOCK's 0 says that the client is not blocked: its reply is on the way, or its
 * command has not arrived yet; so it is asked again until the reply is in. No connection goes back
 * to the pool before each UNBLOCK is answered: it might release somebody else's wait.
 *
 * Implements spec/route, "XREAD and XREADGROUP with BLOCK over several nodes".
 */
#ifndef OH_PHP_STREAMS_WAIT_H
#define OH_PHP_STREAMS_WAIT_H

#include "php/scatter/scatter.h"

/* Why so many nodes cannot be waited for at once: what to do instead. NULL: they can be. */
const char *oh_streams_wait_objection(const oh_client *client, uint32_t nodes_count);

/*
 * Makes the calls, each on a node client whose command may block. As oh_scatter_run; false,
 * too, if a signal handler threw.
 */
bool oh_streams_wait_run(oh_client *client, oh_node_call *node_calls, uint32_t count);

#endif
