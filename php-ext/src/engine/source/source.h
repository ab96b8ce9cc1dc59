/*
 * Source: loads server pools from a file, and reloads them when the file changes.
 *
 * One process of the host reads a configuration and builds its topology. The others copy the image
 * it publishes (core/store/store.h). At most once a second one of them checks if the file has
 * changed. In all processes, new clients use the new version, and existing clients follow between
 * two calls. A bad file never replaces a good version: it causes one warning. It causes a failure
 * only if there is no good version yet.
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

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/snapshot/snapshot.h"

/*
 * Loads the server pool `name` of the file at this absolute path. Counted. NULL and a failure
 * otherwise. If `is_found` is true, the file has the server pool, and the failure is that of the
 * nodes of a Redis Cluster.
 */
oh_snapshot *oh_source_load(oh_text name, const char *path, oh_failure *failure, bool *is_found);

/*
 * Like oh_source_load, for a text that the program has. Processes with the same text share the
 * pool; the text itself stays in the process. It never changes: another text is another
 * configuration, and each one is kept until the thread ends. `is_array`: the text was made of an
 * array or a DSN.
 */
oh_snapshot *oh_source_load_text(
    oh_text name, oh_text text, bool is_array, oh_failure *failure, bool *is_found);

/* For an existing client, when a call begins: true if it is time to follow. Reads the clock. */
static inline bool oh_source_is_due(const oh_snapshot *snapshot)
{
    return OH_LIKELY(snapshot->followed != NULL) &&
           OH_UNLIKELY(oh_clock_coarse_ns() >= snapshot->followed->due_ns);
}

/*
 * Returns the newest snapshot, counted; NULL if `snapshot` is the newest. If the caller does not
 * switch to it, it is returned again later. Nothing here calls the program, except for signals
 * while the nodes of a new Redis Cluster are asked.
 */
oh_snapshot *oh_source_follow(const oh_snapshot *snapshot);

/*
 * During a call: returns the newest snapshot of its server pool, counted. Looks at the file even if
 * less than a second has passed since the last look, and waits for a process that is checking, at
 * most until the deadline. With Sentinels it asks the Sentinels instead.
 */
oh_snapshot *oh_source_newest(oh_snapshot *snapshot, uint64_t deadline_ns);

/*
 * Like oh_source_newest, but without asking a node: the newest version whose configuration has no
 * Redis Cluster and no Sentinels, counted. Looks at the file once a second.
 */
oh_snapshot *oh_source_known(oh_snapshot *snapshot);

/* Where a process got a server pool from. */
typedef struct oh_source_origin {
    const char *path; /* Absolute; for a text it is `text:` and a digest. */
    uint64_t generation;
    /* Its entry in the store. If it is OH_STORE_NONE, the fields below are set instead. */
    uint32_t index;
    uint64_t read_at;    /* As oh_store_read_at returns it. */
    const char *problem; /* Why the file was refused; NULL if it was not. */
} oh_source_origin;

/*
 * Iterates over the server pools of this process. `at` starts at 0. Returns NULL after the last
 * one. The snapshot is not counted.
 */
oh_snapshot *oh_source_next(uint32_t *at, oh_source_origin *origin);

/* Called when the thread ends. Releases all server pools. */
void oh_source_shutdown(void);

#endif
