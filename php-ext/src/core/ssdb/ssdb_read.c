/*
 * Translation of replies. SSDB's replies are flat and mostly those of redis. So only the head of
 * each value is read. Its body is copied, or read if the reply has to become a number.
 *
 *     between ─► line ─► rest (of a long line of text)
 *        ▲         └───► body (of a bulk string) ─► line, while values are missing
 *        └── a whole reply; after the last one of a command, what the caller reads instead
 */
#include "core/ssdb/ssdb_form.h"

#include <string.h>

#include "core/resp/value.h"
#include "core/resp/write.h"

enum { BETWEEN, LINE, REST, BODY };

/* Text that the next round of the loop writes before anything else. */
static void push(oh_ssdb *ssdb, const char *bytes, size_t length)
{
    memcpy(ssdb->pending, bytes, length);
    ssdb->pending_begin = 0;
    ssdb->pending_end = length;
}

static void push_text(oh_ssdb *ssdb, const char *text)
{
    push(ssdb, text, strlen(text));
}

static void push_number(oh_ssdb *ssdb, int64_t number)
{
    char line[OH_RESP_HEAD_BYTES];

    push(ssdb, line, oh_resp_head(line, OH_RESP_NUMBER, number));
}

/* ---- Whole replies ---- */

static const oh_ssdb_shape *shape_of(const oh_ssdb *ssdb)
{
    return (const oh_ssdb_shape *)ssdb->shapes.items + ssdb->shape;
}

static void begin_shape(oh_ssdb *ssdb)
{
    ssdb->is_shape_begun = true;
    ssdb->left = shape_of(ssdb)->replies;
    ssdb->total = 0;
    ssdb->error_length = 0;
    ssdb->is_there = false;
}

static void end_shape(oh_ssdb *ssdb)
{
    const oh_ssdb_shape *shape = shape_of(ssdb);

    if (shape->form && shape->replies == 0) {
        push_text(
            ssdb, shape->form->empty == OH_SSDB_EMPTY_LIST ? OH_RESP_EMPTY_LIST : OH_RESP_ZERO);
    } else if (shape->form && shape->form->reply == OH_SSDB_COUNT_ANY) {
        if (ssdb->error_length > 0) {
            push(ssdb, ssdb->error, ssdb->error_length);
        } else {
            push_number(ssdb, ssdb->total);
        }
    }
    ssdb->is_shape_begun = false;
    ssdb->shape++;
}

/* Counts a reply of a command that became several: was there something? */
static void count_reply(oh_ssdb *ssdb, const oh_ssdb_shape *shape)
{
    size_t place = (shape->replies - ssdb->left) % shape->form->sends_count;

    ssdb->is_there =
        (place > 0 && ssdb->is_there) || (ssdb->value > 0 && shape->form->sends[place].counts);
    if (place + 1 == shape->form->sends_count) {
        ssdb->total += ssdb->is_there;
    }
}

static void end_reply(oh_ssdb *ssdb)
{
    const oh_ssdb_shape *shape = shape_of(ssdb);

    if (!ssdb->is_copied && shape->form->reply == OH_SSDB_COUNT_ANY) {
        count_reply(ssdb, shape);
    } else if (!ssdb->is_copied && shape->form->reply == OH_SSDB_NUMBER) {
        push_number(ssdb, ssdb->value);
    }
    ssdb->left--;
    ssdb->state = BETWEEN;
}

static void begin_value(oh_ssdb *ssdb)
{
    ssdb->state = LINE;
    ssdb->line_length = 0;
}

static void end_value(oh_ssdb *ssdb)
{
    ssdb->missing--;
    if (ssdb->missing == 0) {
        end_reply(ssdb);
    } else {
        begin_value(ssdb);
    }
}

/* False if nothing more is expected. */
static bool go_on_between(oh_ssdb *ssdb)
{
    if (ssdb->shape == ssdb->shapes.count) {
        return false;
    }
    if (!ssdb->is_shape_begun) {
        begin_shape(ssdb);
    }
    if (ssdb->left == 0) {
        end_shape(ssdb);
        return true;
    }
    ssdb->missing = 1;
    ssdb->value = 0;
    ssdb->is_head = ssdb->is_copied = true;
    begin_value(ssdb);
    return true;
}

/* ---- The head of a value ---- */

static bool line_is(const oh_ssdb *ssdb, const char *text)
{
    return ssdb->line_length == strlen(text) && memcmp(ssdb->line, text, ssdb->line_length) == 0;
}

/* Translates the first line of a reply. False if SSDB gives no such reply here. */
static bool replace_head(oh_ssdb *ssdb, oh_ssdb_reply reply)
{
    ssdb->is_copied = false;
    switch (reply) {
    case OH_SSDB_OK_OR_NIL:
        push_text(ssdb, line_is(ssdb, OH_RESP_ONE) ? OH_RESP_OK : OH_RESP_NIL);
        return line_is(ssdb, OH_RESP_ONE) || line_is(ssdb, OH_RESP_ZERO);
    case OH_SSDB_LIST_OR_NIL:
        if (line_is(ssdb, OH_RESP_EMPTY_LIST) || line_is(ssdb, OH_RESP_NIL)) {
            push_text(ssdb, OH_RESP_NIL_LIST);
            return true;
        }
        ssdb->is_copied = true;
        return ssdb->line[0] == OH_RESP_LIST;
    case OH_SSDB_COUNT_ANY:
        return ssdb->line[0] == OH_RESP_NUMBER || line_is(ssdb, OH_RESP_LIST_OF_ONE) ||
               line_is(ssdb, OH_RESP_EMPTY_LIST);
    default: return ssdb->line[0] == OH_RESP_NUMBER || line_is(ssdb, OH_RESP_LIST_OF_ONE);
    }
}

/* Keeps the first error of a command that became several: its caller reads it in the end. */
static void keep_error(oh_ssdb *ssdb, const uint8_t *bytes, size_t length, bool is_whole)
{
    size_t room = sizeof ssdb->error - 2 - ssdb->error_length;
    size_t kept = length < room ? length : room;

    memcpy(ssdb->error + ssdb->error_length, bytes, kept);
    ssdb->error_length += kept;
    if (is_whole && kept < length) {
        memcpy(ssdb->error + ssdb->error_length, OH_RESP_END, 2);
        ssdb->error_length += 2;
    }
}

static void begin_reply(oh_ssdb *ssdb, bool is_whole)
{
    const oh_ssdb_form *form = shape_of(ssdb)->form;

    ssdb->is_head = ssdb->is_error_kept = false;
    if (!form) {
        return;
    }
    if (ssdb->line[0] != OH_RESP_ERROR) {
        ssdb->is_broken = !replace_head(ssdb, (oh_ssdb_reply)form->reply);
    } else if (form->reply == OH_SSDB_COUNT_ANY) {
        ssdb->is_copied = false;
        ssdb->is_error_kept = ssdb->error_length == 0;
        if (ssdb->is_error_kept) {
            keep_error(ssdb, ssdb->line, ssdb->line_length, is_whole);
        }
    }
}

/* A line that is a number. */
static bool read_number(oh_ssdb *ssdb, const uint8_t *bytes, size_t length, int64_t *number)
{
    oh_values values = oh_values_of(bytes, length);

    *number = 0;
    ssdb->is_broken |= !oh_value_take_digits(&values, number);
    return !ssdb->is_broken;
}

/* A line is complete, or a text is longer than the room for a line. */
static void end_line(oh_ssdb *ssdb)
{
    bool is_whole = ssdb->line[ssdb->line_length - 1] == '\n';
    uint8_t type = ssdb->line[0];
    int64_t number = 0;

    if (ssdb->is_head) {
        begin_reply(ssdb, is_whole);
    } else if (!ssdb->is_copied && type != OH_RESP_BULK) {
        ssdb->is_broken = true;
    }
    if (type != OH_RESP_ERROR && type != OH_RESP_TEXT &&
        !read_number(ssdb, ssdb->line + 1, (size_t)ssdb->line_length - 1, &number)) {
        return;
    }
    if (ssdb->is_copied) {
        push(ssdb, (const char *)ssdb->line, ssdb->line_length);
    }
    if (!is_whole) {
        ssdb->state = REST;
        return;
    }
    if (type == OH_RESP_BULK && number >= 0) {
        ssdb->body = (size_t)number + 2;
        ssdb->number_length = 0;
        ssdb->state = BODY;
        return;
    }
    if (type == OH_RESP_LIST && number > 0) {
        ssdb->missing += (size_t)number;
    }
    ssdb->value = type == OH_RESP_NUMBER ? number : 0;
    end_value(ssdb);
}

/* ---- Bytes ---- */

static size_t smallest(size_t one, size_t other)
{
    return one < other ? one : other;
}

static size_t take_line(oh_ssdb *ssdb, const uint8_t *bytes, size_t length)
{
    size_t count = smallest(length, sizeof ssdb->line - ssdb->line_length);
    const uint8_t *end = memchr(bytes, '\n', count);

    count = end ? (size_t)(end - bytes) + 1 : count;
    memcpy(ssdb->line + ssdb->line_length, bytes, count);
    ssdb->line_length = (uint8_t)(ssdb->line_length + count);
    if (end || ssdb->line_length == sizeof ssdb->line) {
        end_line(ssdb);
    }
    return count;
}

/*
 * Copies the rest of a long text, or a body, as far as there is room; or keeps as much as is
 * needed.
 */
static size_t take_rest(
    oh_ssdb *ssdb, const uint8_t *bytes, size_t length, uint8_t *to, size_t room)
{
    const uint8_t *end = memchr(bytes, '\n', length);
    size_t count = end ? (size_t)(end - bytes) + 1 : length;

    if (ssdb->is_copied) {
        count = smallest(count, room);
        memcpy(to, bytes, count);
    } else if (ssdb->is_error_kept) {
        keep_error(ssdb, bytes, count, end != NULL);
    }
    if (count > 0 && bytes[count - 1] == '\n') {
        end_value(ssdb);
    }
    return count;
}

static size_t take_body(
    oh_ssdb *ssdb, const uint8_t *bytes, size_t length, uint8_t *to, size_t room)
{
    size_t count = smallest(length, ssdb->body);

    if (ssdb->is_copied) {
        count = smallest(count, room);
        memcpy(to, bytes, count);
    } else if (count <= sizeof ssdb->number - ssdb->number_length) {
        memcpy(ssdb->number + ssdb->number_length, bytes, count);
        ssdb->number_length = (uint8_t)(ssdb->number_length + count);
    } else {
        ssdb->is_broken = true;
        return count;
    }
    ssdb->body -= count;
    if (ssdb->body == 0) {
        if (!ssdb->is_copied) {
            read_number(ssdb, ssdb->number, ssdb->number_length, &ssdb->value);
        }
        end_value(ssdb);
    }
    return count;
}

static size_t flush(oh_ssdb *ssdb, uint8_t *to, size_t room)
{
    size_t count = smallest(ssdb->pending_end - ssdb->pending_begin, room);

    if (count > 0) {
        memcpy(to, ssdb->pending + ssdb->pending_begin, count);
        ssdb->pending_begin += count;
    }
    return count;
}

size_t oh_ssdb_read(oh_ssdb *ssdb, const uint8_t *bytes, size_t *length, uint8_t *to, size_t room)
{
    size_t used = 0, written = 0, count;
    bool goes_on = true;

    while (goes_on && !ssdb->is_broken) {
        written += flush(ssdb, to + written, room - written);
        if (written == room) {
            break;
        }
        if (ssdb->state == BETWEEN) {
            goes_on = go_on_between(ssdb);
            continue;
        }
        goes_on = used < *length;
        if (!goes_on) {
            break;
        }
        if (ssdb->state == LINE) {
            used += take_line(ssdb, bytes + used, *length - used);
        } else {
            count = (ssdb->state == REST ? take_rest : take_body)(
                ssdb, bytes + used, *length - used, to + written, room - written);
            used += count;
            written += ssdb->is_copied ? count : 0;
        }
    }
    ssdb->is_broken |= ssdb->shape == ssdb->shapes.count && used < *length;
    *length = used;
    return written;
}
