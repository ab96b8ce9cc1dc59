/*
 * A fence behind each MULTI of a pipeline: what follows leaves only once the node has answered it. Were MULTI refused,
 * the commands behind it would be executed at once, each for itself.
 */
#include "php_onehop.h"

#include "exchange_wait.h"

#define MULTI "*1\r\n$5\r\nMULTI\r\n"

void oh_exchange_mind_multi(oh_exchange *exchange)
{
    exchange->minds_multi = true;
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
    return MIN(at, length);
}

/* The next MULTI behind the fence that has been passed, which is behind command number `reply` of the connection. */
static void move_fence(oh_exchange *exchange, uint64_t reply)
{
    size_t at = exchange->fence;
    bool is_multi = false;

    while (at < exchange->request_length && !is_multi) {
        size_t left = exchange->request_length - at;

        is_multi = left >= strlen(MULTI) && memcmp(exchange->request + at, MULTI, strlen(MULTI)) == 0;
        at = oh_exchange_end_of_command(exchange->request, exchange->request_length, at);
        reply++;
    }
    exchange->fence = at;
    exchange->fence_reply = is_multi ? reply : 0;
}

void oh_exchange_put_fence(oh_exchange *exchange, uint64_t written)
{
    exchange->fence = exchange->minds_multi ? 0 : exchange->request_length;
    exchange->fence_reply = 0;
    if (UNEXPECTED(exchange->minds_multi)) {
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
        oh_exchange_end_failed(exchange);
        return false;
    }
    move_fence(exchange, exchange->fence_reply);
    return true;
}
