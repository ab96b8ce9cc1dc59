/*
 * Internal to room source, the lower parts first: loaded_pool (one server pool in this process),
 * config_watch (reads its file again after a change), and source (the list of all of them).
 */
#ifndef OH_ENGINE_SOURCE_INTERNAL_H
#define OH_ENGINE_SOURCE_INTERNAL_H

#include "engine/nodes/nodes.h"
#include "engine/snapshot/snapshot.h"

/* ---- Loaded pool ---- */

typedef struct oh_loaded {
    struct oh_loaded *next;
    oh_config_origin origin;
    oh_text name;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    /*
     * The generation at which the entry became that of processes whose environment variables have
     * other values; 0 if it has not become that. `other_identity` is the identity with which this
     * process then goes on.
     */
    uint64_t foreign;
    uint8_t other_identity[OH_STORE_IDENTITY_BYTES];
    /* Another loaded pool has taken its place. Old clients may still use its cluster. */
    bool is_moved;
    oh_snapshot *snapshot; /* NULL until it is made. */
    uint64_t generation;   /* The snapshot's. Without a store, each process counts its own. */
    /* Its entry in the store; OH_STORE_NONE if this process does not use the store. */
    uint32_t entry;
    uint64_t checked_ms, version; /* Without a store. */
    /* `followed` is for the newest snapshot, `outdated` for all earlier ones. */
    oh_followed followed, outdated;
    oh_read_counts read_counts; /* Shared by all its snapshots and all its maps. */
    bool is_urgent;             /* The next check does not wait for the second to pass. */
    /* When this process last found that it cannot read what others may read; 0 if it can. */
    uint64_t refused_ms;
    uint64_t read_at; /* Without a store: what the entry of a store would have. */
    char *problem;    /* Without a store: why the file was refused, or NULL. */
    /* Who is asked for its nodes, by oh_map_kind; NULL if the file never needed this kind. */
    oh_nodes *nodes[OH_MAP_KINDS_COUNT];
} oh_loaded;

/* Makes a loaded pool without a snapshot. NULL if there is no memory. */
oh_loaded *oh_loaded_new(oh_text name, const oh_config_origin *origin);
void oh_loaded_forget(oh_loaded *loaded);

/*
 * Notes that the image of that generation is not for this process, whose variables have this
 * digest.
 */
void oh_loaded_be_foreign(
    oh_loaded *loaded, const uint8_t digest[OH_IMAGE_DIGEST_BYTES], uint64_t generation);

/* Begins a loaded pool under the other identity of `like`. */
void oh_loaded_become_other(oh_loaded *loaded, const oh_loaded *like);

/*
 * Makes the snapshot of that generation from a config image, which it takes over. False if there is
 * no memory.
 */
bool oh_loaded_adopt(oh_loaded *loaded, oh_config_image *config_image, uint64_t generation);

/* The salt of digests that depend on a password: the host's, or this process' without a store. */
const uint8_t *oh_loaded_salt(void);

/* Copies the published image. False if there is none. */
bool oh_loaded_copy(const oh_loaded *loaded, oh_config_image *config_image, uint64_t *generation);

/* Called under the lock. Returns the new generation; 0 if there is no room. */
uint64_t oh_loaded_publish(const oh_loaded *loaded, const oh_config_image *config_image);

/* Notes for the status when the file was read and why it was refused, NULL if it was not. */
void oh_loaded_note_read(oh_loaded *loaded, const char *problem);

/* ---- Config watch ---- */

/*
 * True if it is this process' turn to check the file. Once a second, one process of the host gets
 * the turn. That process must end its check.
 */
bool oh_watch_begin_check(oh_loaded *loaded);

/* Reads the file if its version is not the noted one, and publishes its image. Ends the check. */
void oh_watch_check(oh_loaded *loaded);

/*
 * Notes the version of a config image that was made, and ends the check. Must not be called
 * earlier: if this process dies while it reads, the next one must read the file.
 */
void oh_watch_note_version(oh_loaded *loaded, uint64_t version);

/*
 * True if this process may read the file. Otherwise it must not use images that other processes
 * have read, and does not check the file for them. This is checked once for each change, and once a
 * second while reading is forbidden. It warns once.
 */
bool oh_watch_is_allowed(oh_loaded *loaded);

/*
 * Called if this process cannot use what another one has read, for a reason of its own. It keeps
 * what it has and tries again after a second. It warns once.
 */
void oh_watch_refuse(oh_loaded *loaded, const char *what);

/* Warns the operator by a line in the log. */
void oh_watch_warn(const char *format, ...) OH_FORMAT(1, 2);

/*
 * Logs a line for each file with a password to which every user of the machine has rights, and one
 * for a timeout that may be meant as seconds.
 */
void oh_watch_warn_read(const oh_loaded *loaded, oh_exposed exposed);

#endif
