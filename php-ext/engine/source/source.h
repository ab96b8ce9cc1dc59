/*
 * Source: loads server pools from a file, and reloads them when the file changes.
 *
 * One process of the host reads a configuration and builds its topology. The others copy the image
 * it publishes (core/host/store.h). At most once a second one of them checks if the file has
 * changed. In all processes new clients use the new version, and older clients keep theirs. A bad
 * file never replaces a good version: there is one warning, and the good version stays. Only if
 * there is no good version yet, there is a failure.
 *
 *     file ──► reading ──► image ──► store ──► snapshot of each process ──► its clients
 *             (one process)         (shared)  (copied when the generation changes: one load)
 *
 * Without shared memory each process does all of this itself.
 *
 * Implements spec/topology: publishing, and spec/config.
 */
#ifndef OH_ENGINE_SOURCE_H
#define OH_ENGINE_SOURCE_H

#include "engine/snapshot/snapshot.h"

/*
 * The server pool `name` of the file at this absolute path. Counted. NULL and a failure if that
 * fails: of the file or, if the server pool `is_found` in it, of the nodes of a Redis Cluster.
 */
oh_snapshot *oh_source_load(oh_text name, const char *path, oh_failure *failure, bool *is_found);

/* From where a process has a server pool. */
typedef struct oh_source_origin {
    const char *path; /* Absolute. */
    uint64_t generation;
    /* In the store; OH_STORE_NONE if it is not there. Then this process has the rest: */
    uint32_t index;
    uint64_t read_at;    /* As oh_store_read_at has it. */
    const char *problem; /* Why the file was refused; NULL if it was not. */
} oh_source_origin;

/*
 * The server pools of this process, one after another: `at` begins at 0. NULL if there are no more.
 * Not counted.
 */
oh_snapshot *oh_source_next(uint32_t *at, oh_source_origin *origin);

/* The thread ends: releases all server pools. */
void oh_source_shutdown(void);

#endif
