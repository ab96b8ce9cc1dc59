/*
 * Cursor: SCAN over all nodes with one number for the caller.
 *
 * All that is needed to go on stands in the cursor: which node is being walked through, how far,
 * and a few bits of the topology's fingerprint, so that a cursor of another topology is noticed.
 * Nothing is remembered between two calls.
 *
 *     bits 0..39 the node's own cursor | 40..51 the node's index | 52..62 the first 11 bits of the fingerprint
 *
 * Pure. Implements spec/route, "SCAN".
 */
#ifndef OH_CURSOR_H
#define OH_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct oh_cursor {
    uint32_t node;   /* Its index. */
    uint64_t within; /* The node's own cursor. */
} oh_cursor;

/*
 * Where to go on. False: the cursor was not made under the topology of this fingerprint and this
 * many nodes.
 */
bool oh_cursor_read(
    const char *fingerprint, uint32_t nodes_count, uint64_t cursor, oh_cursor *found);

/*
 * The caller's next cursor after `answered.node` answered with `answered.within`; 0 at the end of
 * the last node. False: the node's cursor has no room in ours.
 */
bool oh_cursor_write(
    const char *fingerprint, uint32_t nodes_count, oh_cursor answered, uint64_t *cursor);

#endif
