/*
 * Wire: the RESP framing of one connection, without I/O.
 *
 * oh_wire_wrote is given all bytes written to a node, oh_wire_read all bytes read from it, in
 * pieces of any size. The room counts commands and replies, so it always knows how many replies the
 * node still owes. It checks the form and the limits of every byte before the client above uses it.
 * It keeps only the beginning of the last error reply, allocates nothing, and never recurses.
 *
 * It works beside the socket. Any byte stream ends in counted replies or in one error that stays. A
 * connection with an error, or one that still owes, must be closed and never used again. RESP2 and
 * RESP3 replies are framed. A push frame is not an answer and is skipped; an attribute is a part of
 * the answer that follows it; streamed types are refused.
 *
 * Implements spec/wire.
 */
#ifndef OH_WIRE_H
#define OH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/slice.h"
#include "core/generated/limits.h"
#include "core/generated/messages.h"
#include "core/resp/literal.h"

/* The state of one direction of the stream between two bytes. Private to wire. */
typedef struct oh_framer {
    uint8_t state;
    uint8_t type; /* First byte of the value being read. */
    bool is_negative;
    bool has_digits;
    bool is_push; /* The top-level value is a push frame. */
    uint32_t depth;
    /*
     * The length as far as it is read; then the bytes still to come, or the bytes of the line so
     * far.
     */
    uint32_t number;
    /* Values still to come of each open aggregate, outermost first. */
    uint32_t missing[OH_WIRE_DEPTH_MAX];
} oh_framer;

/* Other rooms may read the counters and texts; only wire writes them. */
typedef struct oh_wire {
    /* Commands that were begun. A command is owed a reply from its first byte on. */
    uint64_t written;
    uint64_t answered; /* Whole replies read. */
    uint64_t pushed;   /* Whole push frames read, and messages of a subscribed connection. */
    /*
     * The node sends messages unasked: a value that is not owed is a message. True until the reset.
     */
    bool is_subscribed;
    const char *error; /* NULL, or one of OH_REASON_WIRE_...; it stays until reset. */

    /*
     * The last error reply at top level, `-...` or `!...`: its first bytes, without type and
     * length.
     */
    /*
     * The number of that error reply, from 1; 0 if there was none. The error reply is complete when
     * `answered` has reached this number.
     */
    uint64_t error_number;
    /* The number of the last reply that is an error or contains one, as EXEC's list may. */
    uint64_t any_error_number;
    uint32_t error_text_length;
    char error_text[OH_MESSAGE_BYTES_MAX];

    oh_framer reader;
    oh_framer writer;
} oh_wire;

/* A new connection: nothing written, nothing owed. */
void oh_wire_reset(oh_wire *wire);

/*
 * Takes the bytes that are about to be written: arrays of bulk strings, as clients write commands.
 * Call it BEFORE the first byte leaves: then the reply is owed, whatever interrupts the write.
 * False if these bytes are not commands; error is set, and nothing more may be sent.
 */
bool oh_wire_wrote(oh_wire *wire, const uint8_t *bytes, size_t length);

/* Like oh_wire_wrote, for whole commands that are known to be well-formed and within the limits. */
static inline void oh_wire_wrote_whole(oh_wire *wire, uint32_t commands_count)
{
    wire->written += commands_count;
}

/*
 * Takes bytes that were read. Returns how many of them are good: all, or, if there is an error,
 * those before the first wrong byte. A reply that was not asked for is wrong from its first byte.
 */
size_t oh_wire_read(oh_wire *wire, const uint8_t *bytes, size_t length);

/*
 * Like oh_wire_read, for complete replies of the usual types (a bulk, nil, an integer, a status, a
 * list of bulks and nils) that follow each other. Returns how many bytes these replies have; 0 if
 * the next bytes are anything else.
 */
size_t oh_wire_read_usual(oh_wire *wire, const uint8_t *bytes, size_t length);

/* Like oh_wire_read, but stops after the first complete reply, push or message. */
size_t oh_wire_read_value(oh_wire *wire, const uint8_t *bytes, size_t length);

/*
 * The node was, or is about to be, sent a SUBSCRIBE: from now on a whole value that is not owed is
 * a message, not an error, and the connection is never clean again. Call it before the first byte
 * of the answer is shown.
 */
void oh_wire_subscribe(oh_wire *wire);

/* The text of the last error reply at top level, as far as it is kept. */
static inline oh_text oh_wire_error_text(const oh_wire *wire)
{
    return (oh_text){wire->error_text, wire->error_text_length};
}

/* True if a word of a command is being written, or was when the error came. */
static inline bool oh_wire_is_in_word(const oh_wire *wire)
{
    return wire->writer.type == OH_RESP_BULK;
}

/* Replies that the node still owes. */
static inline uint64_t oh_wire_owed(const oh_wire *wire)
{
    return wire->written - wire->answered;
}

/*
 * True if the connection may carry another caller's command: nothing owed, nothing half written or
 * half read, no error, never subscribed.
 */
bool oh_wire_is_clean(const oh_wire *wire);

#endif
