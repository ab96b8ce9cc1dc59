/*
 * Meter: the place where the calls of one node of one server pool are counted (core/host/meter.h
 * has the counters).
 *
 * Meters are in the segment, so that all workers of a host count together, and counts continue when
 * the configuration changes. Without a segment, or a free meter in it, a snapshot has meters of its
 * own, which end with it.
 */
#ifndef OH_ENGINE_METER_H
#define OH_ENGINE_METER_H

#include "core/base/slice.h"
#include "core/host/store.h"

typedef struct oh_metered {
    oh_meter *meter;        /* NULL until the first use. */
    oh_store_meter *shared; /* Its entry in the segment; NULL if it is the snapshot's own. */
    uint32_t tied;          /* How often its node had been given an entry when they were tied. */
} oh_metered;

/* NULL if no process of the host has used it yet, or it is in no segment. */
const oh_store_meter *oh_metered_find(const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node);

/*
 * Finds it, or adds it, by the identity of the server pool and the name of the node. Without memory
 * for one `meter` is NULL.
 */
void oh_metered_open(
    oh_metered *metered, const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node);
void oh_metered_close(oh_metered *metered);

#endif
