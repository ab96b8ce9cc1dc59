/*
 * One command in front of the request, on the same connection and in the same write, of whose reply phpredis sees
 * nothing: CLIENT ID before a command that will have to be unblocked, PUBLISH before WAIT.
 */
#include <string.h>

#include "core/base/compiler.h"
#include "engine/base/environment.h"
#include "engine/exchange/exchange_wait.h"

bool oh_exchange_join_preface(oh_exchange *exchange)
{
    size_t preface_length = strlen(exchange->terms.preface);

    oh_exchange_drop_joined(exchange);
    exchange->joined = oh_call_allocate(preface_length + exchange->request_length);
    if (!exchange->joined) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    memcpy(exchange->joined, exchange->terms.preface, preface_length);
    memcpy(exchange->joined + preface_length, exchange->request, exchange->request_length);
    exchange->request = exchange->joined;
    exchange->request_length += preface_length;
    return true;
}

void oh_exchange_drop_joined(oh_exchange *exchange)
{
    if (OH_UNLIKELY(exchange->joined != NULL)) {
        oh_call_release(exchange->joined);
        exchange->joined = NULL;
    }
}

static void refuse_preface(oh_exchange *exchange)
{
    oh_failure_set(exchange->failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_MAYBE_EXECUTED,
        "give the user of the server pool the right to send that, too",
        "The node refused a command that is sent in front of this one: ");
    oh_failure_quote(exchange->failure, exchange->preface_reply + 1, strcspn(exchange->preface_reply + 1, "\r\n"));
    oh_exchange_fail(exchange);
}

size_t oh_exchange_take_preface(oh_exchange *exchange, size_t count)
{
    oh_wire *wire = &exchange->connection->wire;
    uint8_t *bytes = exchange->replies + exchange->end;
    size_t taken = 0;

    /* Byte by byte, because nobody knows yet where it ends. It is short. */
    while (taken < count && wire->answered < exchange->preface_number && !wire->error) {
        if (oh_wire_read(wire, bytes + taken, 1) && exchange->preface_reply_length + 1 < OH_PREFACE_REPLY_BYTES) {
            exchange->preface_reply[exchange->preface_reply_length++] = (char)bytes[taken];
        }
        taken++;
    }
    exchange->preface_reply[exchange->preface_reply_length] = '\0';
    memmove(bytes, bytes + taken, count - taken);
    if (wire->answered >= exchange->preface_number) {
        exchange->preface_number = 0;
        if (exchange->preface_reply[0] == '-') {
            refuse_preface(exchange);
        }
    }
    return count - taken;
}
