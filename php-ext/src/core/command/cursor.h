/*
 * Cursor: SCAN over all nodes with one number for the caller.
 *
 * The cursor has all that is needed to go on: the node, that node's own cursor, and a few bits of
 * the topology's fingerprint, by which a cursor of another topology is noticed. Nothing is
 * remembered between two calls.
 *
 *     bits 62..52                        51..40             39..0
 *     first 11 bits of the fingerprint | the node's index | the node's own cursor
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
 * Where to go on. False if the cursor is of another topology than the one with this fingerprint and
 * this many nodes.
 */
bool oh_cursor_read(
    const char *fingerprint, uint32_t nodes_count, uint64_t cursor, oh_cursor *found);

/*
 * The caller's next cursor after `answered.node` answered with `answered.within`; 0 at the end of
 * the last node. False if the node's cursor does not fit.
 */
bool oh_cursor_write(
    const char *fingerprint, uint32_t nodes_count, oh_cursor answered, uint64_t *cursor);

#endif
