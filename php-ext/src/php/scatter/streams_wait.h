/*
 * Streams wait: XREAD or XREADGROUP with BLOCK over several nodes. The command goes to all; the
 * first node with entries ends the wait.
 *
 *     CLIENT ID, XREADGROUP ... BLOCK ─► a   blocked ◄── CLIENT UNBLOCK id of a ◄─┐
 *     CLIENT ID, XREADGROUP ... BLOCK ─► b   entries ─────────────────────────────┤
 *     CLIENT ID, XREADGROUP ... BLOCK ─► c   blocked ◄── CLIENT UNBLOCK id of c ◄─┘
 *
 * The replies of released waits are read like any other. A node may have delivered entries to this
 * consumer just before its release, and closing the connection would lose them. If UNBLOCK answers
 * 0, the client is not blocked: its reply is on the way, or its command has not arrived yet. So
 * UNBLOCK is repeated until the reply has arrived. No connection returns to the pool before its
 * UNBLOCK is answered, because a late one might release the wait of another caller.
 *
 * Implements spec/route, "XREAD and XREADGROUP with BLOCK over several nodes".
 */
#ifndef OH_PHP_STREAMS_WAIT_H
#define OH_PHP_STREAMS_WAIT_H

#include "php/scatter/scatter.h"

/*
 * Returns NULL if one call may wait for this many nodes. Otherwise returns advice for the refusal.
 */
const char *oh_streams_wait_objection(const oh_client *client, uint32_t nodes_count);

/*
 * Makes the blocking calls. Like oh_scatter_run, but also returns false if a signal handler threw.
 */
bool oh_streams_wait_run(oh_client *client, oh_node_call *node_calls, uint32_t count);

#endif
