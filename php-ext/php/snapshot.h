/*
 * Snapshot: one server pool of one version of a configuration, as a process has it: directives, topology, and the
 * connections of each node. Never changed once it is made (but for which nodes
 * are ejected at the moment), and counted: a client holds the one it began with.
 */
#ifndef OH_PHP_SNAPSHOT_H
#define OH_PHP_SNAPSHOT_H

#include "core/topology.h"

#include "ejection.h"
#include "meter.h"
#include "pool.h"
#include "reading.h"

typedef struct oh_snapshot {
    uint32_t references;
    const oh_pool *pool;
    const oh_topology *topology;
    uint32_t nodes_count;
    oh_connections **connections; /* By index of the node; opened when first asked for. */
    oh_metered *meters;           /* Likewise, and together with them. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES]; /* Of the server pool. */
    bool ejects;                  /* auto_eject_hosts: ask oh_ejection_follow what to place by. */
    oh_ejection ejection;

    oh_pool own_pool; /* The memory behind the above. */
    oh_server *servers;
    void *image;
    size_t image_length;
    char *password; /* NULL: none. */
    size_t password_length;
} oh_snapshot;

/* A snapshot of what was read, which it takes over. Given back by release. */
oh_snapshot *oh_snapshot_make(oh_reading *reading, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
void oh_snapshot_release(oh_snapshot *snapshot);

/* The connections of a node, and where its calls are counted. */
oh_connections *oh_snapshot_connections(oh_snapshot *snapshot, uint32_t node);
oh_meter *oh_snapshot_meter(oh_snapshot *snapshot, uint32_t node);

#endif
