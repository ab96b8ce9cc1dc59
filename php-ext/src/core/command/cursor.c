/*
 * Shifts and masks. The sign bit of the 64 bits stays 0, because the integers of PHP and Java are
 * signed.
 *
 * Implements spec/route, "SCAN".
 */
#include "core/command/cursor.h"

#include "core/generated/timings.h"

#define NODE_AT OH_CURSOR_WITHIN_BITS
#define TOPOLOGY_AT (OH_CURSOR_WITHIN_BITS + OH_CURSOR_NODE_BITS)
#define TICKET (UINT64_C(1) << (OH_CURSOR_WITHIN_BITS - 1)) /* The first bit of a ticket. */

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

/* ---- Cursors that are too large ---- */

/* David Stafford's mix 13, as in splitmix64. No two numbers have the same result. */
static uint64_t mixed(uint64_t number)
{
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

uint64_t oh_cursor_ticket(uint64_t own)
{
    return own < TICKET ? own : TICKET | low(mixed(own), OH_CURSOR_WITHIN_BITS - 1);
}

/* The first of the places where a ticket's cursor may be. */
static uint64_t near(uint64_t ticket)
{
    return ticket % (OH_KEPT_CURSORS_MAX / OH_KEPT_CURSORS_NEAR) * OH_KEPT_CURSORS_NEAR;
}

void oh_cursor_keep(oh_kept_cursors *kept, uint64_t own, uint64_t now_ms)
{
    uint64_t ticket = oh_cursor_ticket(own), first = near(ticket), oldest = first;

    if (ticket == own) {
        return;
    }
    for (uint64_t at = first; at < first + OH_KEPT_CURSORS_NEAR; at++) {
        if (kept->places[at].cursor == own) {
            oldest = at;
            break;
        }
        if (kept->places[at].used_ms < kept->places[oldest].used_ms) {
            oldest = at;
        }
    }
    kept->places[oldest].used_ms = now_ms;
    kept->places[oldest].cursor = own;
}

/*
 * The memory is not trusted: if it has another number than the kept cursor, the ticket of that
 * number does not match.
 */
bool oh_cursor_find(oh_kept_cursors *kept, uint64_t *within, uint64_t now_ms)
{
    uint64_t ticket = *within, first = near(ticket);

    if (ticket < TICKET) {
        return true;
    }
    for (uint64_t at = first; at < first + OH_KEPT_CURSORS_NEAR; at++) {
        uint64_t own = kept->places[at].cursor;

        if (oh_cursor_ticket(own) == ticket &&
            now_ms - kept->places[at].used_ms < OH_KEPT_CURSOR_MS) {
            kept->places[at].used_ms = now_ms;
            *within = own;
            return true;
        }
    }
    return false;
}

/* ---- The caller's cursor ---- */

bool oh_cursor_read(
    const char *fingerprint, uint32_t nodes_count, uint64_t cursor, oh_cursor *found)
{
    if (cursor == 0) {
        *found = (oh_cursor){0, 0};
        return true;
    }
    found->node = (uint32_t)low(cursor >> NODE_AT, OH_CURSOR_NODE_BITS);
    found->within = low(cursor, OH_CURSOR_WITHIN_BITS);
    /*
     * If the sign bit of the cursor is set, it does not match either: that bit is above the 11 bits
     * of the topology.
     */
    return cursor >> TOPOLOGY_AT == topology_of(fingerprint) && found->node < nodes_count;
}

uint64_t oh_cursor_write(const char *fingerprint, uint32_t nodes_count, oh_cursor answered)
{
    if (answered.within == 0 && ++answered.node == nodes_count) {
        return 0;
    }
    return topology_of(fingerprint) << TOPOLOGY_AT | (uint64_t)answered.node << NODE_AT |
           oh_cursor_ticket(answered.within);
}
