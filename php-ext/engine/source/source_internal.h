/*
 * The inside of room source, the lower parts first: loaded_pool (one server pool in this process),
 * config_watch (when its file is read again), and source (all of them, and how each is found).
 */
#ifndef OH_ENGINE_SOURCE_INTERNAL_H
#define OH_ENGINE_SOURCE_INTERNAL_H

#include "engine/cluster/cluster.h"
#include "engine/snapshot/snapshot.h"

/* ---- Loaded pool ---- */

typedef struct oh_loaded {
    struct oh_loaded *next;
    char *path; /* Absolute. */
    oh_text name;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    oh_snapshot *snapshot; /* NULL while it is being made. */
    uint64_t generation;   /* Of the snapshot; without a store it counts by itself. */
    /* In the store; OH_STORE_NONE if this process does not use the store. */
    uint32_t entry;
    uint64_t looked_ms, version; /* Without a store. */
    /* When this process last found that it may not read the file; 0 if it may. */
    uint64_t refused_ms;
    uint64_t read_at;    /* Without a store; like the word there. */
    char *problem;       /* Without a store, too; NULL if there is none. */
    oh_cluster *cluster; /* NULL if it is no cluster. */
} oh_loaded;

/* A new one, without a snapshot. NULL if there is no memory. */
oh_loaded *oh_loaded_new(oh_text name, const char *path);
void oh_loaded_forget(oh_loaded *loaded);

/*
 * Makes the snapshot of that generation from a config image, which it takes over. False if there is
 * no memory.
 */
bool oh_loaded_adopt(oh_loaded *loaded, oh_config_image *config_image, uint64_t generation);

/* The salt of the host's passwords. */
const uint8_t *oh_loaded_salt(void);

/* A copy of the published image. False if there is none. */
bool oh_loaded_copy(const oh_loaded *loaded, oh_config_image *config_image, uint64_t *generation);

/* Called under the lock. Returns the new generation; 0 if there is no room. */
uint64_t oh_loaded_publish(const oh_loaded *loaded, const oh_config_image *config_image);

/* Notes for the status when the file was read, and why it was refused; NULL if it is in use. */
void oh_loaded_note_read(oh_loaded *loaded, const char *problem);

/* ---- Config watch ---- */

/*
 * True if it is this process' turn to look: once a second one process of the host has it. It must
 * end its look.
 */
bool oh_watch_begin_look(oh_loaded *loaded);

/* Reads the file if its version is not the noted one, and publishes its image. Ends the look. */
void oh_watch_look(oh_loaded *loaded);

/*
 * Notes that a version of the file was read, good or bad, and ends the look. Not earlier: if this
 * process dies while it reads, the next one must read the file.
 */
void oh_watch_note_version(oh_loaded *loaded, uint64_t version);

/*
 * True if this process may read the file. If not, it gets no image that others have read, and does
 * not look for them. Checked once for each change, and once a second while it may not; it warns
 * once.
 */
bool oh_watch_is_allowed(oh_loaded *loaded);

/* Logs one line if every user of the machine has these rights to a file with a password. */
void oh_watch_warn_exposed(const oh_loaded *loaded, mode_t exposed);

#endif
