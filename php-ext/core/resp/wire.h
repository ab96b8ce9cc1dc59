/*
 * Wire: the RESP framing of one connection, without I/O.
 *
 * Everything written to a node is shown to oh_wire_wrote, everything read from it to oh_wire_read,
 * in pieces of any size. The room counts commands and replies, so it always knows how many replies
 * the node still owes; it checks the form and limits of every byte before the client above may
 * believe it. It keeps no byte but the beginning of the last error reply, allocates nothing, and
 * never recurses.
 *
 * On the road it stands beside the socket: transport before, phpredis after. It promises that any
 * byte stream ends in counted replies or in one error that stays; a connection with an error, or
 * one that owes, must be closed and never used again. RESP2 and RESP3 replies are framed; a push
 * frame is no answer and is skipped, an attribute is a part of the answer that follows it; streamed
 * types are refused.
 *
 * Implements spec/wire.
 */
#ifndef OH_WIRE_H
#define OH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/generated/limits.h"

/* What can be wrong with a stream; each completes the sentence "The node sent ...". */
#define OH_WIRE_SURPLUS "a reply that nobody asked for"
#define OH_WIRE_TYPE "a byte that begins no reply"
#define OH_WIRE_LENGTH "a length that is malformed or too large"
#define OH_WIRE_LINE "a line that is malformed or too long"
#define OH_WIRE_CRLF "no CR LF where one must stand"
#define OH_WIRE_DEPTH "a reply that is nested too deeply"

/* And this is not the node's fault: the client above wrote it. */
#define OH_WIRE_COMMAND "something other than commands was written"

/* Where one direction of the stream stands between two bytes. Private to wire. */
typedef struct oh_framer {
    uint8_t state;
    uint8_t type; /* First byte of the value being read. */
    bool is_negative;
    bool has_digits;
    bool is_push; /* The top-level value is a push frame. */
    uint32_t depth;
    /* The length as far as it was read; then bytes still to come, or bytes of the line so far. */
    uint32_t number;
    /* Values still to come of each open aggregate, outermost first. */
    uint32_t missing[OH_WIRE_DEPTH_MAX];
} oh_framer;

/* The counters and texts are read by anyone and written by wire alone. */
typedef struct oh_wire {
    /* Commands that were begun: from its first byte on a command is owed a reply. */
    uint64_t written;
    uint64_t answered; /* Whole replies read. */
    uint64_t pushed;   /* Whole push frames read, and messages of a subscribed connection. */
    /* The node speaks unasked: what is not owed is a message. It stays until reset. */
    bool is_subscribed;
    const char *error; /* NULL, or one of the sentences above; it stays until reset. */

    /*
     * The last error reply at top level, `-...` or `!...`: its first bytes, without type and
     * length.
     */
    /* Its number, from 1; 0: there was none. Whole once `answered` has come to it. */
    uint64_t error_number;
    /* The same of the last reply that is an error, or has one in it, as EXEC's list may. */
    uint64_t any_error_number;
    uint32_t error_text_length;
    char error_text[OH_MESSAGE_BYTES_MAX];

    oh_framer reader;
    oh_framer writer;
} oh_wire;

/* A new connection: nothing written, nothing owed. */
void oh_wire_reset(oh_wire *wire);

/*
 * Shows bytes that are about to be written: arrays of bulk strings, as clients write commands. Call
 * it BEFORE the first byte leaves, so that whatever interrupts the write finds the reply already
 * owed. False: these bytes are no commands, error is set, nothing more may be sent.
 */
bool oh_wire_wrote(oh_wire *wire, const uint8_t *bytes, size_t length);

/*
 * Shows bytes that were read. Returns how many of them may be believed: all, or, once there is an
 * error, those before the first byte that is wrong (a reply that nobody asked for is wrong from its
 * first byte).
 */
size_t oh_wire_read(oh_wire *wire, const uint8_t *bytes, size_t length);

/* As oh_wire_read, but stops behind the first reply, push or message that becomes whole. */
size_t oh_wire_read_value(oh_wire *wire, const uint8_t *bytes, size_t length);

/*
 * The node was, or is about to be, sent a SUBSCRIBE: from now on a whole value that is not owed is
 * a message, not an error, and the connection is never clean again. Call it before the first byte
 * of the answer is shown.
 */
void oh_wire_subscribe(oh_wire *wire);

/* Replies that the node still owes. */
static inline uint64_t oh_wire_owed(const oh_wire *wire)
{
    return wire->written - wire->answered;
}

/*
 * Whether the connection may carry a command of another caller: nothing owed, nothing half written
 * or half read, no error, never subscribed.
 */
bool oh_wire_is_clean(const oh_wire *wire);

#endif
