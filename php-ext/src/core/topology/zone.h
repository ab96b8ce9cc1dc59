/* The zone of a server pool, and the hosts that are in it (spec/config/config.md, section 7). */
#ifndef OH_ZONE_H
#define OH_ZONE_H

#include <stdbool.h>

#include "core/base/slice.h"

typedef struct oh_zone {
    oh_text name;  /* Absent if the pool has none. */
    oh_text hosts; /* "HOST HOST ...", shorter ones first; absent if none. */
} oh_zone;

/* True if the zone has this host: it is one of `hosts`, or has the zone's name as a label. */
bool oh_zone_has(const oh_zone *zone, oh_text host);

#endif
