/*
 * Meter: where the calls of one node of one server pool are counted (core/host/meter.h has what is
 * counted).
 *
 * In the segment, so that all workers of a host count together and go on counting when the
 * configuration changes. Where there is none, or no place in it, a snapshot has meters of its own,
 * which end with it.
 */
#ifndef OH_ENGINE_METER_H
#define OH_ENGINE_METER_H

#include "core/base/slice.h"
#include "core/host/store.h"

typedef struct oh_metered {
    oh_meter *meter;        /* NULL: nobody has asked for it yet. */
    oh_store_meter *shared; /* That it is in; NULL: it is the snapshot's own. */
    uint32_t tied;          /* How often its node had been given a place when they were tied. */
} oh_metered;

/* NULL: nobody of the host has used it yet, or it is in no segment. */
const oh_store_meter *oh_metered_find(const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node);

/*
 * Finds it, or adds it, by the identity of the server pool and the name of the node. Without memory
 * for one `meter` is NULL.
 */
void oh_metered_open(
    oh_metered *metered, const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node);
void oh_metered_close(oh_metered *metered);

#endif
