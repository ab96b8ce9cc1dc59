/*
 * Info: merges a field of INFO of several nodes into one.
 *
 *     field, its values node by node ─► the value of the fleet, or none if all would mislead
 *
 * Quantities of which each node has a share are added. Of versions the lowest is taken. A field
 * without a rule is kept if it is the same on all nodes. Fields that are lists of parts,
 * name=number, are merged part by part:
 *
 *     db0:keys=7,expires=4,avg_ttl=175                        sums; averages computed again
 *     cmdstat_get:calls=7,usec=11,usec_per_call=1.57          the same
 *     latency_percentiles_usec_get:p50=2.007,p99=10.111       the highest of each
 *
 * Pure: nothing is allocated.
 *
 * Implements spec/route, "INFO".
 */
#ifndef OH_INFO_H
#define OH_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/slice.h"

/* No server writes a longer list: such a field is left out. */
#define OH_INFO_PARTS_MAX 64

typedef enum oh_info_kind {
    OH_INFO_LEFT_OUT,
    OH_INFO_VALUE, /* One of the values. */
    OH_INFO_NUMBER,
    OH_INFO_TEXT
} oh_info_kind;

typedef struct oh_info {
    oh_info_kind kind;
    size_t index;   /* VALUE: which one. */
    int64_t number; /* NUMBER */
    size_t length;  /* TEXT: bytes of it. */
} oh_info;

/* The most bytes that a text merged from these values can have. */
size_t oh_info_room(const oh_bytes *values, size_t count);

/*
 * The fleet's value of a field that `count` of the nodes have, at least one. `text` has
 * oh_info_room bytes.
 */
oh_info oh_info_merge(
    oh_bytes name, const oh_bytes *values, size_t count, size_t nodes_count, char *text);

#endif
