/* Names: the set of subscribed names, each with its node, in the memory of a call. */
#ifndef OH_ENGINE_NAMES_H
#define OH_ENGINE_NAMES_H

#include "core/base/slice.h"

/* All zeros is an empty set. */
typedef struct oh_names {
    struct oh_name **buckets;
    uint32_t buckets_count, count;
} oh_names;

bool oh_names_has(const oh_names *names, oh_text name);

/* Sets the name's node; adds the name unless it is there. False if there is no memory. */
bool oh_names_add(oh_names *names, oh_text name, uint32_t node);

/* The name's node, or `other` if it is not there. */
uint32_t oh_names_node(const oh_names *names, oh_text name, uint32_t other);

/* Removes a name if it is there. */
void oh_names_remove(oh_names *names, oh_text name);

/* A position among the names; all zeros is the beginning. */
typedef struct oh_names_place {
    uint32_t bucket;
    struct oh_name *last;
    oh_text name;
    uint32_t *node; /* The node of the name, which may be changed. */
} oh_names_place;

/*
 * Finds the next name, in no order. False after the last one. The set must not change between two
 * calls.
 */
bool oh_names_next(const oh_names *names, oh_names_place *place);

/* Releases the memory of the set, which is empty then. */
void oh_names_free(oh_names *names);

#endif
