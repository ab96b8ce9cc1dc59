/*
 * Names: a set of names, each once, for what is subscribed. In the memory of a call.
 */
#ifndef OH_ENGINE_NAMES_H
#define OH_ENGINE_NAMES_H

#include "core/base/slice.h"

/* Begins as all zeros. */
typedef struct oh_names {
    struct oh_name **buckets;
    uint32_t buckets_count, count;
} oh_names;

bool oh_names_has(const oh_names *names, oh_text name);

/* Nothing happens if it is there. False: there is no memory. */
bool oh_names_add(oh_names *names, oh_text name);

/* Nothing happens if it is not there. */
void oh_names_remove(oh_names *names, oh_text name);

/* Gives its memory back; it is empty then. */
void oh_names_free(oh_names *names);

#endif
