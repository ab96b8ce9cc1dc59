/* Names: the set of subscribed names, in the memory of a call. */
#ifndef OH_ENGINE_NAMES_H
#define OH_ENGINE_NAMES_H

#include "core/base/slice.h"

/* All zeros is an empty set. */
typedef struct oh_names {
    struct oh_name **buckets;
    uint32_t buckets_count, count;
} oh_names;

bool oh_names_has(const oh_names *names, oh_text name);

/* Adds a name unless it is there. False if there is no memory. */
bool oh_names_add(oh_names *names, oh_text name);

/* Removes a name if it is there. */
void oh_names_remove(oh_names *names, oh_text name);

/* A position among the names; all zeros is the beginning. */
typedef struct oh_names_place {
    uint32_t bucket;
    const struct oh_name *last;
} oh_names_place;

/* Finds the next name, in no order. False after the last one. The set must not change meanwhile. */
bool oh_names_next(const oh_names *names, oh_names_place *place, oh_text *name);

/* Releases its memory. It is empty then. */
void oh_names_free(oh_names *names);

#endif
