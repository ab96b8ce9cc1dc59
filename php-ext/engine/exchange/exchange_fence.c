/*
 * A fence behind each MULTI of a pipeline: what follows leaves only once the node has answered it. Were MULTI refused,
 * the commands behind it would be executed at once, each for itself.
 */
#include <string.h>

#include "core/base/compiler.h"
#include "engine/base/environment.h"
#include "engine/exchange/exchange_wait.h"

#define MULTI "*1\r\n$5\r\nMULTI\r\n"
#define EXEC "*1\r\n$4\r\nEXEC\r\n"
#define DISCARD "*1\r\n$7\r\nDISCARD\r\n"

bool oh_discards_add(oh_discards *discards, uint32_t number)
{
    uint32_t *numbers = oh_call_resize(discards->numbers, (size_t)discards->count + 1, sizeof *numbers);

    if (!numbers) {
        return false;
    }
    numbers[discards->count++] = number;
    discards->numbers = numbers;
    return true;
}

void oh_discards_drop(oh_discards *discards)
{
    if (OH_UNLIKELY(discards->numbers != NULL)) {
        oh_call_release(discards->numbers);
        *discards = (oh_discards){0};
    }
}

size_t oh_exchange_read_number(const uint8_t *bytes, size_t length, size_t *at)
{
    size_t number = 0;

    for ((*at)++; *at < length && bytes[*at] != '\r'; (*at)++) {
        number = number * 10 + (size_t)(bytes[*at] - '0');
    }
    *at += strlen("\r\n");
    return number;
}

size_t oh_exchange_end_of_command(const uint8_t *bytes, size_t length, size_t at)
{
    for (size_t words = oh_exchange_read_number(bytes, length, &at); words > 0 && at < length; words--) {
        size_t word = oh_exchange_read_number(bytes, length, &at);

        at += word + strlen("\r\n");
    }
    return OH_MIN(at, length);
}

static bool is_next(const uint8_t *bytes, size_t left, const char *command)
{
    return left >= strlen(command) && memcmp(bytes, command, strlen(command)) == 0;
}

/* phpredis takes the OK of DISCARD for a list without replies. */
bool oh_exchange_write_discards(oh_exchange *exchange)
{
    const uint8_t *request = exchange->request;
    const oh_discards *discards = &exchange->terms.discards;
    size_t length = exchange->request_length, to = 0;
    uint8_t *written = oh_call_allocate(length + discards->count * (strlen(DISCARD) - strlen(EXEC)));
    uint32_t multis = 0, done = 0;

    if (!written) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }

    for (size_t from = 0, end; from < length; from = end) {
        end = oh_exchange_end_of_command(request, length, from);
        multis += is_next(request + from, length - from, MULTI);
        bool is_discarded = done < discards->count && discards->numbers[done] == multis;
        if (is_discarded && is_next(request + from, length - from, EXEC)) {
            done++;
            memcpy(written + to, DISCARD, strlen(DISCARD));
            to += strlen(DISCARD);
        } else {
            memcpy(written + to, request + from, end - from);
            to += end - from;
        }
    }
    oh_exchange_drop_joined(exchange);
    exchange->request = exchange->joined = written;
    exchange->request_length = to;
    oh_discards_drop(&exchange->terms.discards);
    return true;
}

/* The next MULTI behind the fence that has been passed, which is behind command number `reply` of the connection. */
static void move_fence(oh_exchange *exchange, uint64_t reply)
{
    size_t at = exchange->fence;
    bool is_multi = false;

    while (at < exchange->request_length && !is_multi) {
        is_multi = is_next(exchange->request + at, exchange->request_length - at, MULTI);
        at = oh_exchange_end_of_command(exchange->request, exchange->request_length, at);
        reply++;
    }
    exchange->fence = at;
    exchange->fence_reply = is_multi ? reply : 0;
}

void oh_exchange_put_fence(oh_exchange *exchange, uint64_t written)
{
    exchange->fence = exchange->terms.has_multi ? 0 : exchange->request_length;
    exchange->fence_reply = 0;
    if (OH_UNLIKELY(exchange->terms.has_multi)) {
        move_fence(exchange, written);
    }
}

bool oh_exchange_pass_fence(oh_exchange *exchange)
{
    const oh_wire *wire = &exchange->connection->wire;

    if (wire->answered < exchange->fence_reply) {
        return true;
    }
    if (wire->refusal_reply == exchange->fence_reply) {
        oh_failure_set(exchange->failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_MAYBE_EXECUTED,
            "nothing of the transaction was executed, nor what was queued behind it", "The node refused MULTI: ");
        oh_failure_quote(exchange->failure, wire->refusal, wire->refusal_length);
        oh_exchange_fail(exchange);
        return false;
    }
    move_fence(exchange, exchange->fence_reply);
    return true;
}
