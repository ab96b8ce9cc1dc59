/*
 * Shifts and masks. The sign bit of the 64 bits stays 0, because the integers of PHP and Java are
 * signed.
 *
 * Implements spec/route, "SCAN".
 */
#include "core/command/cursor.h"

#include "core/generated/limits.h"

#define NODE_AT OH_CURSOR_WITHIN_BITS
#define TOPOLOGY_AT (OH_CURSOR_WITHIN_BITS + OH_CURSOR_NODE_BITS)

static uint64_t digit_of(char digit)
{
    return (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* The first OH_CURSOR_TOPOLOGY_BITS of 32 hexadecimal digits; three digits have 12 bits. */
static uint64_t topology_of(const char *fingerprint)
{
    return (digit_of(fingerprint[0]) << 8 | digit_of(fingerprint[1]) << 4 |
               digit_of(fingerprint[2])) >>
           (12 - OH_CURSOR_TOPOLOGY_BITS);
}

static uint64_t low(uint64_t number, unsigned bits)
{
    return number & (((uint64_t)1 << bits) - 1);
}

bool oh_cursor_read(
    const char *fingerprint, uint32_t nodes_count, uint64_t cursor, oh_cursor *found)
{
    if (cursor == 0) {
        *found = (oh_cursor){0, 0};
        return true;
    }
    found->node = (uint32_t)low(cursor >> NODE_AT, OH_CURSOR_NODE_BITS);
    found->within = low(cursor, OH_CURSOR_WITHIN_BITS);
    /* A set sign bit is none of the topology's 11 bits, so it does not match either. */
    return cursor >> TOPOLOGY_AT == topology_of(fingerprint) && found->node < nodes_count;
}

bool oh_cursor_write(
    const char *fingerprint, uint32_t nodes_count, oh_cursor answered, uint64_t *cursor)
{
    if (answered.within >> NODE_AT != 0) {
        return false;
    }
    if (answered.within == 0 && ++answered.node == nodes_count) {
        *cursor = 0;
        return true;
    }
    *cursor = topology_of(fingerprint) << TOPOLOGY_AT | (uint64_t)answered.node << NODE_AT |
              answered.within;
    return true;
}
