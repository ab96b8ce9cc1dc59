/*
 * Meter: finds the counters of one node of one server pool (core/health/meter.h defines them).
 *
 * Meters are in the segment, so that all workers of a host count together and a change of the
 * configuration does not reset them. Without a segment, or without a free meter in it, a snapshot
 * has its own meters, which end with it.
 *
 * Beside these meters, each process counts its own calls in its own memory. So the difference of
 * two such counts is what one request has asked of the nodes, whatever other workers do meanwhile.
 */
#ifndef OH_ENGINE_METER_H
#define OH_ENGINE_METER_H

#include "core/base/slice.h"
#include "core/store/store.h"

/* The calls of this process alone; under ZTS, of this thread. */
typedef struct oh_metered_own {
    uint64_t calls, errors;
    uint64_t took_ns; /* The time of all calls, failed and blocking ones included. */
} oh_metered_own;

typedef struct oh_metered {
    oh_meter *meter;         /* NULL until the first use. */
    oh_metered_own *own;     /* NULL until then. */
    oh_store_meter *shared;  /* Its entry in the segment; NULL if it is the snapshot's own. */
    uint32_t tied;           /* How often its node had been given an entry when this was set. */
    oh_metered_own unshared; /* `own`, unless the meter is in the segment. */
} oh_metered;

/*
 * Finds the meter of a node in the segment. NULL if no process of the host has used the node yet,
 * or if the meter is not in the segment.
 */
const oh_store_meter *oh_metered_find(const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node);

/*
 * Finds or adds a meter by the identity of the server pool and the name of the node. If there is no
 * memory, `meter` is NULL.
 */
void oh_metered_open(
    oh_metered *metered, const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node);
void oh_metered_close(oh_metered *metered);

/* What this process has counted for the node of this meter, which is in the segment. */
oh_metered_own oh_metered_own_of(const oh_store_meter *shared);

#endif
