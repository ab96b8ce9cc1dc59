/*
 * Info: the fields of INFO that a fleet of several nodes has, and how each becomes one value. They
 * are the fields that programs are known to read. Implements spec/route, "INFO".
 */
#ifndef OH_INFO_H
#define OH_INFO_H

#include "core/base/slice.h"

#define OH_INFO_ROOM 64 /* The most bytes of a value; a longer one is left out. */

typedef enum oh_info_rule {
    OH_INFO_EQUAL,
    OH_INFO_LOWEST,
    OH_INFO_SUM,
    OH_INFO_HUMAN,
    OH_INFO_KEYS
} oh_info_rule;

typedef struct oh_info_field {
    const char *section, *name;
    oh_info_rule rule;
} oh_info_field;

/* In the order of INFO. The last one has no name. */
extern const oh_info_field oh_info_fields[];

/*
 * Writes the fleet's value of a field, from its values on the nodes that have it. For
 * OH_INFO_HUMAN, `values` are those of the field without `_human` in its name. Returns the length;
 * 0 if the fleet's INFO leaves it out.
 */
size_t oh_info_merge(oh_info_rule rule, const oh_bytes *values, size_t count, size_t nodes_count,
    char text[OH_INFO_ROOM]);

#endif
