/*
 * What the parts of the source know of each other: source (the server pools a process knows, and how it found
 * them) and source_change (a file that has changed).
 */
#ifndef OH_ENGINE_SOURCE_KNOWN_H
#define OH_ENGINE_SOURCE_KNOWN_H

#include "engine/cluster/cluster.h"
#include "engine/snapshot/snapshot.h"

#define OH_LOOK_EVERY_MS 1000 /* How often somebody of the host looks whether a file has changed. */

/* A server pool, as this process knows it. */
typedef struct oh_known {
    char *path; /* Absolute. */
    oh_text name;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    oh_snapshot *snapshot; /* NULL while it is being made. */
    uint64_t generation;   /* Of the snapshot; without a store it counts by itself. */
    uint32_t place;        /* In the store; OH_STORE_NONE: this process goes without. */
    uint64_t looked_ms, version; /* Without a store. */
    uint64_t refused_ms; /* When it was last found that this process may not read the file; 0: it may. */
    uint64_t read_at; /* Without a store, as there. */
    char *problem;    /* Likewise; NULL: there is none. */
    oh_cluster *cluster; /* NULL: it is none. */
} oh_known;

/* The salt of the host's passwords. */
const uint8_t *oh_known_salt(void);

/* Makes a reading, which it takes over, the snapshot of that generation. False: there is no memory. */
bool oh_known_adopt(oh_known *known, oh_reading *reading, uint64_t generation);

/* A copy of what is published. False: there is nothing to be had. */
bool oh_known_copy(const oh_known *known, oh_reading *reading, uint64_t *generation);

/* Under the lock. Returns the new generation; 0: there is no room. */
uint64_t oh_known_publish(const oh_known *known, const oh_reading *reading);

/*
 * Whatever it turned out to be, a version of the file is done with. Not before: should this process die over it, the
 * next one must read it.
 */
void oh_known_note_version(oh_known *known, uint64_t version);

/*
 * Whether this process may read the file. If not, it gets nothing that others have read of it, and does not look for
 * them. Checked once for each change, and once a second while it may not; the warning comes once.
 */
bool oh_known_is_allowed(oh_known *known);

/* Writes one line to the log, if every user of the machine has these rights to a file that holds a password. */
void oh_known_tell_exposed(const oh_known *known, mode_t exposed);

/* When the file was read, and why it was refused; NULL: it is in use. For those who look at the status. */
void oh_known_note_reading(oh_known *known, const char *problem);

/* Reads the file if it has another version than the one that was noted, and tells everybody what it says. */
void oh_known_look_again(oh_known *known);

#endif
