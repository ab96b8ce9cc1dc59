/*
 * What the parts of the host's pool know of each other: pool_host (places and queues of a node) and pool_tidy
 * (entries that nobody needs any more).
 */
#ifndef OH_ENGINE_POOL_HOST_INSIDE_H
#define OH_ENGINE_POOL_HOST_INSIDE_H

#include "engine/pool/pool_host.h"

/* Whether workers share connections. */
bool oh_host_is_shared(void);

/* Gives up an entry that nobody needs, if there is one. Under the writer's lock. */
bool oh_host_make_room(uint64_t now_ms);

/* A line of the log, but not twice within an hour. */
void oh_host_tell(oh_store_news news);

#endif
