/*
 * Source: where a topology comes from: here, a file.
 *
 * A configuration is read and its topologies are built once per process (thread, under ZTS) and version of the file,
 * and stay over requests. Each use asks the file system whether the file is still the same (one system call); if it is
 * not, it is read anew, and clients made from now on see the new version while older ones keep theirs. A bad file never
 * replaces anything: it is an exception for whoever names it.
 */
#ifndef OH_PHP_SOURCE_H
#define OH_PHP_SOURCE_H

#include "core/config.h"
#include "core/topology.h"

#include "pool.h"

/* One server pool of one version of a file. Counted. */
typedef struct oh_snapshot {
    uint32_t references;
    struct oh_file *file;
    const oh_pool *pool;
    oh_topology *topology;
    uint32_t nodes_count;
    oh_connections **connections; /* By index of the node; opened when first asked for. */
} oh_snapshot;

/* The server pool `name` of the file `path`, or of onehop.config if `path` is NULL. NULL and ConfigInvalid. */
oh_snapshot *oh_source_take(zend_string *name, zend_string *path);
void oh_source_release(oh_snapshot *snapshot);

/* The connections of a node. */
oh_connections *oh_source_connections(oh_snapshot *snapshot, uint32_t node);

/* The server pool of a configuration that was read, or NULL and ConfigInvalid that names those there are. */
const oh_pool *oh_source_find_pool(const oh_config *config, const zend_string *name, const char *from);

/* Throws ConfigInvalid for a text that is no configuration. */
void oh_source_refuse(const char *from, const oh_config_error *error);

/* The list of the files of a thread begins, and ends. */
void oh_source_prepare(HashTable *files);
void oh_source_shutdown(HashTable *files);

#endif
