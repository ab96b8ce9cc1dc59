/*
 * Source: where a topology comes from: here, a file.
 *
 * A configuration is read, and its topology built, by one process of the host; the others copy the
 * image it publishes (core/host/store.h). At most once a second one of them looks whether the file
 * has changed. A new version is adopted by clients made from then on, in all processes; clients
 * made before keep theirs. A bad file never replaces anything: there is one warning, and what was
 * good stays. Only if there is nothing good yet, there is a failure.
 *
 *     file ──► reading ──► image ──► store ──► snapshot of each process ──► its clients
 *             (one process)         (shared)    (copied when the generation has changed: one load to know)
 *
 * Without shared memory each process does all of it for itself.
 *
 * Implements spec/topology: publishing, and spec/config.
 */
#ifndef OH_ENGINE_SOURCE_H
#define OH_ENGINE_SOURCE_H

#include "engine/snapshot/snapshot.h"

/*
 * The server pool `name` of the file at this absolute path. Counted. NULL and a failure: of the
 * file, or, if the server pool `is_found` in it, of the nodes of a Redis Cluster.
 */
oh_snapshot *oh_source_load(oh_text name, const char *path, oh_failure *failure, bool *is_found);

/* From where a process has a server pool. */
typedef struct oh_source_origin {
    const char *path; /* Absolute. */
    uint64_t generation;
    uint32_t index;   /* In the store; OH_STORE_NONE: it is in none, and the rest is known here: */
    uint64_t read_at; /* As oh_store_read_at has it. */
    const char *problem; /* Why the file was refused; NULL: it was not. */
} oh_source_origin;

/*
 * The server pools that this process has, one after another: `at` begins at 0. NULL: there are no
 * more. Not counted.
 */
oh_snapshot *oh_source_next(uint32_t *at, oh_source_origin *origin);

/* The thread ends: it forgets all server pools. */
void oh_source_shutdown(void);

#endif
