/*
 * The inside of room source, the lower parts first: loaded_pool (one server pool as this process
 * has it), config_watch (when its file is read again), and source (all of them, and how each is
 * found).
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
    oh_snapshot *snapshot;       /* NULL while it is being made. */
    uint64_t generation;         /* Of the snapshot; without a store it counts by itself. */
    uint32_t entry;              /* In the store; OH_STORE_NONE: this process goes without. */
    uint64_t looked_ms, version; /* Without a store. */
    /* When it was last found that this process may not read the file; 0: it may. */
    uint64_t refused_ms;
    uint64_t read_at;    /* Without a store, as there. */
    char *problem;       /* Likewise; NULL: there is none. */
    oh_cluster *cluster; /* NULL: it is none. */
} oh_loaded;

/* Without a snapshot yet. NULL: there is no memory. */
oh_loaded *oh_loaded_new(oh_text name, const char *path);
void oh_loaded_forget(oh_loaded *loaded);

/*
 * Makes a config image, which it takes over, the snapshot of that generation. False: there is no
 * memory.
 */
bool oh_loaded_adopt(oh_loaded *loaded, oh_config_image *config_image, uint64_t generation);

/* The salt of the host's passwords. */
const uint8_t *oh_loaded_salt(void);

/* A copy of what is published. False: there is nothing to be had. */
bool oh_loaded_copy(const oh_loaded *loaded, oh_config_image *config_image, uint64_t *generation);

/* Under the lock. Returns the new generation; 0: there is no room. */
uint64_t oh_loaded_publish(const oh_loaded *loaded, const oh_config_image *config_image);

/*
 * When the file was read, and why it was refused; NULL: it is in use. For those who look at the
 * status.
 */
void oh_loaded_note_read(oh_loaded *loaded, const char *problem);

/* ---- Config watch ---- */

/*
 * Whether this process is the one of the host that looks now: once a second one does. It must end
 * its look.
 */
bool oh_watch_begin_look(oh_loaded *loaded);

/*
 * Reads the file if it has another version than the one that was noted, tells everybody what it
 * says; ends the look.
 */
void oh_watch_look(oh_loaded *loaded);

/*
 * Whatever it turned out to be, a version of the file is done with, and so is the look. Not before:
 * should this process die over it, the next one must read it.
 */
void oh_watch_note_version(oh_loaded *loaded, uint64_t version);

/*
 * Whether this process may read the file. If not, it gets nothing that others have read of it, and
 * does not look for them. Checked once for each change, and once a second while it may not; the
 * warning comes once.
 */
bool oh_watch_is_allowed(oh_loaded *loaded);

/*
 * Writes one line to the log, if every user of the machine has these rights to a file that holds a
 * password.
 */
void oh_watch_warn_exposed(const oh_loaded *loaded, mode_t exposed);

#endif
