/*
 * Cursor: SCAN over all nodes with one number for the caller.
 *
 * The cursor contains all that is needed to go on: the node, that node's own cursor, and a few bits
 * of the topology's fingerprint, which reveal a cursor of another topology.
 *
 *     bits 62..52                        51..40             39..0
 *     first 11 bits of the fingerprint | the node's index | the node's own cursor
 *
 * A node's cursor of more than 39 bits is kept, and a ticket takes its place. The ticket is
 * computed from the kept cursor. So if a foreign or damaged cursor is found in its place, the
 * ticket does not match.
 *
 * No I/O. Implements spec/route, "SCAN".
 */
#ifndef OH_CURSOR_H
#define OH_CURSOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/generated/limits.h"

typedef struct oh_cursor {
    uint32_t node;   /* Its index. */
    uint64_t within; /* The node's own cursor, or its ticket. */
} oh_cursor;

/* Cursors that are kept, in memory that processes may share. All zeros: none. */
typedef struct oh_kept_cursors {
    struct {
        _Atomic uint64_t cursor, used_ms;
    } places[OH_KEPT_CURSORS_MAX];
} oh_kept_cursors;

/*
 * What stands for a node's cursor in the caller's cursor: the node's cursor itself or, if it is too
 * large, its ticket.
 */
uint64_t oh_cursor_ticket(uint64_t own);

/* Keeps the node's cursor if it is too large. Another kept cursor may be lost for it. */
void oh_cursor_keep(oh_kept_cursors *kept, uint64_t own, uint64_t now_ms);

/* Replaces a ticket by the cursor that it stands for. False if that is not kept any more. */
bool oh_cursor_find(oh_kept_cursors *kept, uint64_t *within, uint64_t now_ms);

/*
 * Where to go on; `within` may be a ticket. False if the cursor does not belong to the topology
 * with this fingerprint and this many nodes.
 */
bool oh_cursor_read(
    const char *fingerprint, uint32_t nodes_count, uint64_t cursor, oh_cursor *found);

/*
 * The caller's next cursor after `answered.node` answered with `answered.within`; 0 at the end of
 * the last node.
 */
uint64_t oh_cursor_write(const char *fingerprint, uint32_t nodes_count, oh_cursor answered);

#endif
