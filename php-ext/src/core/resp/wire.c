/*
 * One small machine frames both directions: it is at the beginning of a value, in a length, in a
 * line or in the bytes of a bulk. Every byte moves it on or ends the stream. Commands have the same
 * grammar with only two types.
 *
 * A stack of bounded depth counts how many values each open aggregate still lacks. An attribute is
 * also an aggregate, but when it is complete, the value it belongs to is still to come.
 *
 * Implements spec/wire.
 */
#include "core/resp/wire.h"

#include <string.h>

enum state {
    AT_VALUE,
    IN_LENGTH,
    AT_LENGTH_LF,
    IN_LINE,
    AT_LINE_LF,
    IN_BULK,
    AT_BULK_CR,
    AT_BULK_LF
};

#define IS_ATTRIBUTE 0x80000000u /* A mark in oh_framer.missing, above any count. */
_Static_assert(2u * OH_WIRE_ELEMENTS_MAX < IS_ATTRIBUTE, "The mark must be no part of a count.");

#define DIGITS_MAX 9
_Static_assert(OH_WIRE_BULK_BYTES_MAX <= 999999999, "Every allowed length must fit these digits.");

/* What follows a first byte; 0 if no value begins with it. */
enum form { LINE = 1, BULK, AGGREGATE };

static const uint8_t forms[256] = {
    ['+'] = LINE,
    ['-'] = LINE,
    [':'] = LINE,
    ['_'] = LINE,
    ['#'] = LINE,
    [','] = LINE,
    ['('] = LINE,
    [OH_RESP_BULK] = BULK,
    ['!'] = BULK,
    ['='] = BULK,
    [OH_RESP_LIST] = AGGREGATE,
    ['~'] = AGGREGATE,
    ['%'] = AGGREGATE,
    ['>'] = AGGREGATE,
    ['|'] = AGGREGATE,
};

static const uint8_t *refuse(oh_wire *wire, const uint8_t *at, const char *error)
{
    wire->error = error;
    return at;
}

/* ---- Values ---- */

/* A value is complete, and with it perhaps those around it. */
static void end_value(oh_wire *wire, oh_framer *framer)
{
    framer->state = AT_VALUE;
    while (framer->depth > 0) {
        uint32_t missing = --framer->missing[framer->depth - 1];

        if (missing == IS_ATTRIBUTE) {
            framer->depth--;
            return;
        }
        if (missing != 0) {
            return;
        }
        framer->depth--;
    }
    if (framer == &wire->reader) {
        /*
         * If nothing is owed, a complete value can only be a message: objection() refuses all
         * others.
         */
        bool is_answer = !framer->is_push && oh_wire_owed(wire) > 0;
        wire->pushed += !is_answer;
        wire->answered += is_answer;
    }
}

/* True if this value is itself a reply, an error, and not a part of another reply. */
static bool is_error_reply(const oh_wire *wire, const oh_framer *framer)
{
    return framer->depth == 0 && framer == &wire->reader &&
           (framer->type == '-' || framer->type == '!') && oh_wire_owed(wire) > 0;
}

static void keep_error_text(oh_wire *wire, const uint8_t *bytes, size_t length)
{
    size_t room = sizeof wire->error_text - wire->error_text_length;
    size_t kept = length < room ? length : room;

    memcpy(wire->error_text + wire->error_text_length, bytes, kept);
    wire->error_text_length += (uint32_t)kept;
}

/* Why a value of this type may not begin here; NULL if it may. */
static inline const char *objection(const oh_wire *wire, const oh_framer *framer, uint8_t type)
{
    if (framer == &wire->writer) {
        return type == (framer->depth == 0 ? OH_RESP_LIST : OH_RESP_BULK) ? NULL
                                                                          : OH_REASON_WIRE_COMMAND;
    }
    if (framer->depth == 0 && type != '>' && oh_wire_owed(wire) == 0 && !wire->is_subscribed) {
        return OH_REASON_WIRE_SURPLUS;
    }
    return forms[type] == 0 ? OH_REASON_WIRE_TYPE : NULL;
}

static inline void count_value(oh_wire *wire, oh_framer *framer, uint8_t type)
{
    if (framer->depth == 0) {
        framer->is_push = type == '>';
        wire->written += framer == &wire->writer;
    }
}

static void begin_value(oh_wire *wire, oh_framer *framer, uint8_t type)
{
    framer->state = forms[type] == LINE ? IN_LINE : IN_LENGTH;
    framer->type = type;
    framer->is_negative = framer->has_digits = false;
    framer->number = 0;
    if ((type == '-' || type == '!') && framer == &wire->reader) {
        wire->any_error_number = wire->answered + 1;
    }
    if (is_error_reply(wire, framer)) {
        wire->error_text_length = 0;
        wire->error_number = wire->answered + 1;
    }
}

/* ---- Lines ---- */

static const uint8_t *read_line(
    oh_wire *wire, oh_framer *framer, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *begin = at;

    while (at < end && *at != '\r' && *at != '\n') {
        at++;
    }
    size_t length = (size_t)(at - begin);
    size_t room = OH_WIRE_LINE_BYTES_MAX - framer->number;
    if (length > room) {
        return refuse(wire, begin + room, OH_REASON_WIRE_LINE);
    }
    if (is_error_reply(wire, framer)) {
        keep_error_text(wire, begin, length);
    }
    framer->number += (uint32_t)length;
    if (at == end) {
        return at;
    }
    if (*at == '\n') {
        return refuse(wire, at, OH_REASON_WIRE_LINE);
    }
    framer->state = AT_LINE_LF;
    return at + 1;
}

/* ---- Lengths ---- */

static uint32_t length_max(uint8_t type)
{
    return forms[type] == BULK ? OH_WIRE_BULK_BYTES_MAX : OH_WIRE_ELEMENTS_MAX;
}

/* Only these two types have a null, and no command has one. */
static bool may_be_null(const oh_wire *wire, const oh_framer *framer)
{
    return framer == &wire->reader &&
           (framer->type == OH_RESP_BULK || framer->type == OH_RESP_LIST);
}

/* One more byte of a length. False if the result is not a length. */
static bool grow_length(const oh_wire *wire, oh_framer *framer, uint8_t byte)
{
    if (byte == '-') {
        bool is_sign = may_be_null(wire, framer) && !framer->is_negative && !framer->has_digits;

        framer->is_negative = true;
        return is_sign;
    }
    if (byte < '0' || byte > '9') {
        return false;
    }
    if (framer->is_negative && (framer->has_digits || byte != '1')) {
        return false;
    }
    if (framer->has_digits && framer->number == 0) {
        return false;
    }
    uint64_t number = framer->number * UINT64_C(10) + (byte - '0');
    framer->number = (uint32_t)number;
    framer->has_digits = true;
    return number <= length_max(framer->type);
}

static const uint8_t *read_length(
    oh_wire *wire, oh_framer *framer, const uint8_t *at, const uint8_t *end)
{
    for (; at < end; at++) {
        if (*at == '\r' && framer->has_digits) {
            framer->state = AT_LENGTH_LF;
            return at + 1;
        }
        if (!grow_length(wire, framer, *at)) {
            return refuse(wire, at, OH_REASON_WIRE_LENGTH);
        }
    }
    return at;
}

/* The elements of an aggregate are still to come. */
static void open_aggregate(oh_wire *wire, oh_framer *framer)
{
    bool is_attribute = framer->type == '|';
    uint32_t count = framer->type == '%' || is_attribute ? 2 * framer->number : framer->number;

    if (count == 0 && framer == &wire->writer) {
        wire->error = OH_REASON_WIRE_COMMAND;
    } else if (count == 0 && is_attribute) {
        framer->state = AT_VALUE;
    } else if (count == 0) {
        end_value(wire, framer);
    } else if (framer->depth == OH_WIRE_DEPTH_MAX) {
        wire->error = OH_REASON_WIRE_DEPTH;
    } else {
        framer->missing[framer->depth++] = is_attribute ? count | IS_ATTRIBUTE : count;
        framer->state = AT_VALUE;
    }
}

static void end_length(oh_wire *wire, oh_framer *framer)
{
    if (framer->is_negative) {
        end_value(wire, framer);
    } else if (forms[framer->type] == BULK) {
        framer->state = framer->number > 0 ? IN_BULK : AT_BULK_CR;
    } else {
        open_aggregate(wire, framer);
    }
}

/* ---- Bulks ---- */

static const uint8_t *read_bulk(
    oh_wire *wire, oh_framer *framer, const uint8_t *at, const uint8_t *end)
{
    size_t taken = (size_t)(end - at) < framer->number ? (size_t)(end - at) : framer->number;

    if (is_error_reply(wire, framer)) {
        keep_error_text(wire, at, taken);
    }
    framer->number -= (uint32_t)taken;
    if (framer->number == 0) {
        framer->state = AT_BULK_CR;
    }
    return at + taken;
}

/* ---- The short way ---- */

/* Skips a length whose line is complete. Returns the place after it, or NULL if it is unusual. */
static inline const uint8_t *skip_length(const uint8_t *at, const uint8_t *end, uint32_t *length)
{
    const uint8_t *digits = at, *digits_end = end - at > DIGITS_MAX ? at + DIGITS_MAX : end;
    uint32_t number = 0;

    for (; at < digits_end && *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (uint32_t)(*at - '0');
    }
    *length = number;
    bool is_number = at > digits && (*digits != '0' || at == digits + 1);
    return is_number && end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? at + 2 : NULL;
}

/* Like skip_length, for a complete bulk. */
static inline const uint8_t *skip_bulk(const uint8_t *at, const uint8_t *end)
{
    uint32_t length;

    if (at == end || *at != OH_RESP_BULK || !(at = skip_length(at + 1, end, &length))) {
        return NULL;
    }
    if (length > OH_WIRE_BULK_BYTES_MAX || (size_t)(end - at) < (size_t)length + 2) {
        return NULL;
    }
    at += length;
    return at[0] == '\r' && at[1] == '\n' ? at + 2 : NULL;
}

/* Like skip_bulk, for a bulk or nil; only a reply may have nil. */
static inline const uint8_t *skip_bulk_or_nil(const uint8_t *at, const uint8_t *end)
{
    bool is_nil = end - at >= 5 && memcmp(at, "$-1\r\n", 5) == 0;

    return is_nil ? at + 5 : skip_bulk(at, end);
}

/* Like skip_bulk, for a complete array of bulks. A command must not be empty. */
static inline const uint8_t *skip_array(const uint8_t *at, const uint8_t *end, bool may_have_nils)
{
    uint32_t length;

    if (*at != OH_RESP_LIST || !(at = skip_length(at + 1, end, &length)) || length == 0 ||
        length > OH_WIRE_ELEMENTS_MAX) {
        return NULL;
    }
    while (length > 0 && at) {
        at = may_have_nils ? skip_bulk_or_nil(at, end) : skip_bulk(at, end);
        length--;
    }
    return at;
}

/*
 * Most of the traffic is commands, short bulks and arrays of them that lie complete in the buffer.
 * This function skips such a value in one step. NULL if it is unusual, wrong or not complete: then
 * the machine reads it byte by byte.
 */
static inline const uint8_t *skip_value(
    const oh_framer *framer, const uint8_t *at, const uint8_t *end)
{
    if (*at == OH_RESP_BULK) {
        return skip_bulk(at, end);
    }
    return framer->depth < OH_WIRE_DEPTH_MAX ? skip_array(at, end, false) : NULL;
}

/* Like skip_bulk, for a complete line: a status or an integer. */
static inline const uint8_t *skip_line(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *limit = end - at > OH_WIRE_LINE_BYTES_MAX ? at + OH_WIRE_LINE_BYTES_MAX : end;

    for (at++; at < limit && *at != '\r' && *at != '\n'; at++) {
    }
    return end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? at + 2 : NULL;
}

/* Like skip_bulk, for a reply of a type that most commands have, or nil. */
static inline const uint8_t *skip_usual(const uint8_t *at, const uint8_t *end)
{
    if (*at == ':' || *at == '+') {
        return skip_line(at, end);
    }
    if (*at == OH_RESP_LIST) {
        return skip_array(at, end, true);
    }
    return skip_bulk_or_nil(at, end);
}

/* ---- The machine ---- */

static const uint8_t *read_value(
    oh_wire *wire, oh_framer *framer, const uint8_t *at, const uint8_t *end)
{
    const char *error = objection(wire, framer, *at);

    if (error) {
        return refuse(wire, at, error);
    }
    count_value(wire, framer, *at);
    const uint8_t *behind = skip_value(framer, at, end);
    if (behind) {
        end_value(wire, framer);
        return behind;
    }
    begin_value(wire, framer, *at);
    return at + 1;
}

static const uint8_t *expect(
    oh_wire *wire, oh_framer *framer, const uint8_t *at, uint8_t byte, enum state next)
{
    if (*at != byte) {
        return refuse(wire, at, OH_REASON_WIRE_CRLF);
    }
    framer->state = (uint8_t)next;
    return at + 1;
}

static const uint8_t *step(oh_wire *wire, oh_framer *framer, const uint8_t *at, const uint8_t *end)
{
    switch ((enum state)framer->state) {
    case AT_VALUE: return read_value(wire, framer, at, end);
    case IN_LENGTH: return read_length(wire, framer, at, end);
    case IN_LINE: return read_line(wire, framer, at, end);
    case IN_BULK: return read_bulk(wire, framer, at, end);
    case AT_BULK_CR: return expect(wire, framer, at, '\r', AT_BULK_LF);
    case AT_LENGTH_LF:
        if (*at == '\n') {
            end_length(wire, framer);
            return at + 1;
        }
        break;
    case AT_LINE_LF:
    case AT_BULK_LF:
        if (*at == '\n') {
            end_value(wire, framer);
            return at + 1;
        }
        break;
    }
    return refuse(wire, at, OH_REASON_WIRE_CRLF);
}

static size_t frame(oh_wire *wire, oh_framer *framer, const uint8_t *bytes, size_t length)
{
    size_t at = 0;

    while (at < length && !wire->error) {
        at = (size_t)(step(wire, framer, bytes + at, bytes + length) - bytes);
    }
    return at;
}

void oh_wire_reset(oh_wire *wire)
{
    *wire = (oh_wire){.error = NULL};
}

bool oh_wire_wrote(oh_wire *wire, const uint8_t *bytes, size_t length)
{
    frame(wire, &wire->writer, bytes, length);
    return wire->error == NULL;
}

size_t oh_wire_read_usual(oh_wire *wire, const uint8_t *bytes, size_t length)
{
    const uint8_t *at = bytes, *end = bytes + length, *behind;

    if (wire->reader.state != AT_VALUE || wire->reader.depth > 0 || wire->error) {
        return 0;
    }
    while (at < end && oh_wire_owed(wire) > 0 && (behind = skip_usual(at, end))) {
        wire->answered++;
        at = behind;
    }
    return (size_t)(at - bytes);
}

size_t oh_wire_read(oh_wire *wire, const uint8_t *bytes, size_t length)
{
    size_t at = oh_wire_read_usual(wire, bytes, length);

    return at + frame(wire, &wire->reader, bytes + at, length - at);
}

size_t oh_wire_read_value(oh_wire *wire, const uint8_t *bytes, size_t length)
{
    uint64_t whole = wire->answered + wire->pushed;
    size_t at = 0;

    while (at < length && !wire->error && wire->answered + wire->pushed == whole) {
        at = (size_t)(step(wire, &wire->reader, bytes + at, bytes + length) - bytes);
    }
    return at;
}

void oh_wire_subscribe(oh_wire *wire)
{
    wire->is_subscribed = true;
}

bool oh_wire_is_clean(const oh_wire *wire)
{
    const oh_framer *reader = &wire->reader, *writer = &wire->writer;

    return !wire->error && !wire->is_subscribed && oh_wire_owed(wire) == 0 &&
           reader->state == AT_VALUE && reader->depth == 0 && writer->state == AT_VALUE &&
           writer->depth == 0;
}
