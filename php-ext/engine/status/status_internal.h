/*
 * The inside of room status: node_status (what is known of the nodes), below status (which server
 * pools).
 */
#ifndef OH_ENGINE_STATUS_INTERNAL_H
#define OH_ENGINE_STATUS_INTERNAL_H

#include "engine/snapshot/snapshot.h"
#include "engine/status/status.h"

/* Leaves out what is not printable: anybody may have written it. */
void oh_status_make_printable(char *text);

/*
 * Fills the nodes of a server pool of this identity, of which this process has a snapshot (NULL: it
 * has none). False: there is no memory.
 */
bool oh_status_describe_nodes(
    oh_server_pool_status *status, const uint8_t *identity, const oh_snapshot *snapshot);

#endif
