/*
 * Info: a field of INFO as several nodes say it, made one.
 *
 *     field, its values node by node ─► the value of the fleet, or none where none would be honest
 *
 * Quantities of which each node has its own share are added, versions are the lowest, and what has
 * no rule is kept where it is the same everywhere. Fields that are lists of parts, name=number, are
 * merged part by part:
 *
 *     db0:keys=7,expires=4,avg_ttl=175     cmdstat_get:calls=7,usec=11,usec_per_call=1.57     added up; averages anew
 *     latency_percentiles_usec_get:p50=2.007,p99=10.111                                      the highest of each
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

#define OH_INFO_PARTS_MAX                                                                          \
    64 /* A list of more is none that a server has written: its field is left out. */

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

/* How many bytes a text that is made of these values may have. */
size_t oh_info_room(const oh_bytes *values, size_t count);

/*
 * The fleet's value of a field that `count` of so many nodes have, at least one; `text` has as much
 * room.
 */
oh_info oh_info_merge(
    oh_bytes name, const oh_bytes *values, size_t count, size_t nodes_count, char *text);

#endif
