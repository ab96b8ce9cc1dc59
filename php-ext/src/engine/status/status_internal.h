/*
 * Internal to room status: node_status (the nodes), used by status (the list of server pools).
 */
#ifndef OH_ENGINE_STATUS_INTERNAL_H
#define OH_ENGINE_STATUS_INTERNAL_H

#include "engine/snapshot/snapshot.h"
#include "engine/status/status.h"

/* Removes unprintable bytes: any process may have written the text. */
void oh_status_make_printable(char *text);

/*
 * Fills the nodes of a server pool of this identity. `snapshot` is this process' own; NULL if it
 * has none. False if there is no memory.
 */
bool oh_status_describe_nodes(
    oh_server_pool_status *status, const uint8_t *identity, const oh_snapshot *snapshot);

#endif
