/*
 * Room wire has checked these requests: they are arrays of bulk strings with correct lengths.
 */
#include "engine/exchange/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/resp/value.h"
#include "core/resp/write.h"

/* ---- Its commands ---- */

size_t oh_request_end_of_command(const uint8_t *bytes, size_t length, size_t at)
{
    oh_values values = oh_values_of(bytes + at, length - at);

    return oh_value_skip_command(&values) ? (size_t)(values.at - bytes) : length;
}

static bool is_next(const uint8_t *bytes, size_t left, const char *command)
{
    return oh_bytes_begins((oh_bytes){bytes, left}, command);
}

/* ---- Changes before sending ---- */

static void send_own(oh_request *request, uint8_t *own, size_t length)
{
    oh_request_drop_own(request);
    request->bytes = request->own = own;
    request->length = length;
}

bool oh_request_put_in_front(oh_request *request, const char *preface)
{
    size_t preface_length = strlen(preface);
    uint8_t *joined = oh_call_allocate(preface_length + request->length);

    if (!joined) {
        return false;
    }
    memcpy(joined, preface, preface_length);
    memcpy(joined + preface_length, request->bytes, request->length);
    send_own(request, joined, preface_length + request->length);
    return true;
}

bool oh_request_put_cursor(oh_request *request, uint64_t cursor)
{
    oh_values values = oh_values_of(request->bytes, request->length);
    const uint8_t *end = values.end;
    char digits[sizeof "18446744073709551615"], word[sizeof digits + sizeof "$20\r\n\r\n"];
    oh_resp_room room = {.bytes = word, .capacity = sizeof word};
    size_t words_count;
    oh_bytes skipped;

    if (!oh_value_take_command(&values, &words_count) || !oh_value_take_word(&values, &skipped)) {
        return true;
    }
    size_t before = (size_t)(values.at - request->bytes);
    oh_value_take_word(&values, &skipped);
    size_t after = (size_t)(end - values.at);
    snprintf(digits, sizeof digits, "%" PRIu64, cursor);
    oh_resp_put_text(oh_resp_into(&room), digits);
    uint8_t *own = oh_call_allocate(before + room.length + after);

    if (!own) {
        return false;
    }
    memcpy(own, request->bytes, before);
    memcpy(own + before, word, room.length);
    memcpy(own + before + room.length, values.at, after);
    send_own(request, own, before + room.length + after);
    return true;
}

bool oh_discards_add(oh_discards *discards, uint32_t number)
{
    uint32_t *numbers =
        oh_call_resize(discards->numbers, (size_t)discards->count + 1, sizeof *numbers);

    if (!numbers) {
        return false;
    }
    numbers[discards->count++] = number;
    discards->numbers = numbers;
    return true;
}

bool oh_request_write_discards(oh_request *request, const oh_discards *discards)
{
    const uint8_t *bytes = request->bytes;
    size_t length = request->length, to = 0;
    uint8_t *written = oh_call_allocate(
        length + discards->count * (strlen(OH_RESP_DISCARD) - strlen(OH_RESP_EXEC)));
    uint32_t multis = 0, done = 0;

    if (!written) {
        return false;
    }
    for (size_t from = 0, end; from < length; from = end) {
        end = oh_request_end_of_command(bytes, length, from);
        multis += is_next(bytes + from, length - from, OH_RESP_MULTI);
        bool is_discarded = done < discards->count && discards->numbers[done] == multis;
        if (is_discarded && is_next(bytes + from, length - from, OH_RESP_EXEC)) {
            done++;
            memcpy(written + to, OH_RESP_DISCARD, strlen(OH_RESP_DISCARD));
            to += strlen(OH_RESP_DISCARD);
        } else {
            memcpy(written + to, bytes + from, end - from);
            to += end - from;
        }
    }
    send_own(request, written, to);
    return true;
}

/* ---- The barrier ---- */

/*
 * Moves the barrier to the end of the next MULTI. `reply` is the number of the last reply that is
 * due before the barrier.
 */
static void move_on(oh_request *request, uint64_t reply)
{
    size_t at = request->barrier;
    bool is_multi = false;

    while (at < request->length && !is_multi) {
        is_multi = is_next(request->bytes + at, request->length - at, OH_RESP_MULTI);
        at = oh_request_end_of_command(request->bytes, request->length, at);
        reply++;
    }
    request->barrier = at;
    request->barrier_reply = is_multi ? reply : 0;
}

void oh_request_stop_at_multi(oh_request *request, uint64_t written)
{
    request->barrier = 0;
    move_on(request, written);
}

void oh_request_move_barrier(oh_request *request)
{
    move_on(request, request->barrier_reply);
}

/* ---- The preface ---- */

/* Reads byte by byte, because the end of the reply is not known. The reply is short. */
size_t oh_preface_take(oh_preface *preface, oh_wire *wire, uint8_t *bytes, size_t count)
{
    uint64_t answered = wire->answered;
    size_t taken = 0;

    while (taken < count && wire->answered == answered && !wire->error) {
        if (oh_wire_read(wire, bytes + taken, 1) &&
            preface->reply_length + 1 < OH_PREFACE_REPLY_BYTES) {
            preface->reply[preface->reply_length++] = (char)bytes[taken];
        }
        taken++;
    }
    preface->reply[preface->reply_length] = '\0';
    memmove(bytes, bytes + taken, count - taken);
    if (wire->answered >= preface->number) {
        preface->number = 0;
    } else if (wire->answered > answered) {
        preface->reply_length = 0; /* It was a reply to an introduction. */
    }
    return count - taken;
}
