/*
 * Commands of a request that have no reply of their own: one whose key cannot be brought is not
 * sent, and one whose old owner fails has no answer. In the replies an error stands for each such
 * command, so that all replies keep their places. The caller has the failures beside them.
 */
#include <stdlib.h>
#include <string.h>

#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/moving/moving_internal.h"

/* ---- Keeping ---- */

static bool is_same(const oh_failure *one, const oh_failure *other)
{
    return one->kind == other->kind && one->outcome == other->outcome &&
           one->other_node == other->other_node && strcmp(one->what, other->what) == 0;
}

uint32_t oh_refusals_keep(oh_moving *moving, const oh_failure *failure)
{
    oh_refusals *it = &moving->refused;

    for (uint32_t i = 0; i < it->failures_count; i++) {
        if (is_same(&it->failures[i], failure)) {
            return i;
        }
    }
    oh_failure *grown = oh_call_resize(it->failures, it->failures_count + 1, sizeof *grown);

    if (!grown) {
        it->is_broken = true;
        return 0;
    }
    it->failures = grown;
    it->failures[it->failures_count] = *failure;
    return it->failures_count++;
}

void oh_refusals_add(oh_moving *moving, uint32_t command, uint32_t failure)
{
    oh_refusals *it = &moving->refused;

    if (it->count == it->capacity) {
        uint32_t capacity = it->capacity ? it->capacity * 2 : 16;
        oh_refusal *grown = oh_call_resize(it->all, capacity, sizeof *grown);

        if (!grown) {
            it->is_broken = true;
            return;
        }
        it->capacity = capacity;
        it->all = grown;
    }
    it->all[it->count++] = (oh_refusal){command, failure};
}

static int compare(const void *one, const void *other)
{
    uint32_t a = ((const oh_refusal *)one)->command, b = ((const oh_refusal *)other)->command;

    return (a > b) - (a < b);
}

/* Puts the commands in order, each once. */
static void sort(oh_refusals *it)
{
    uint32_t kept = 0;

    if (it->count > 1) {
        qsort(it->all, it->count, sizeof *it->all, compare);
    }
    for (uint32_t i = 0; i < it->count; i++) {
        if (kept == 0 || it->all[kept - 1].command != it->all[i].command) {
            it->all[kept++] = it->all[i];
        }
    }
    it->count = kept;
}

void oh_refusals_clear(oh_moving *moving)
{
    moving->refused.count = moving->refused.failures_count = 0;
    moving->refused.is_broken = false;
    moving->whole = (oh_bytes){NULL, 0};
    oh_buffer_free(&moving->kept);
}

/* ---- Failing ---- */

/*
 * Fails the exchange if none of its commands has an answer. Also fails it if one is refused in a
 * request with a transaction of a pipeline, which is not taken apart. False if the exchange goes
 * on.
 */
static bool fails(oh_moving *moving)
{
    oh_exchange *exchange = moving->exchange;
    const oh_refusals *it = &moving->refused;

    if (it->is_broken) {
        oh_exchange_fail_without_memory(exchange);
        return true;
    }
    if (it->count == 0 || (it->count < moving->commands_count && !exchange->terms.has_multi)) {
        return false;
    }
    *exchange->failure = it->failures[it->all[0].failure];
    oh_exchange_fail(exchange);
    return true;
}

void oh_refusals_end(oh_moving *moving)
{
    if (oh_exchange_is_complete(moving->exchange)) {
        sort(&moving->refused);
        fails(moving);
    }
}

/* ---- The request ---- */

void oh_refusals_take_out(oh_moving *moving)
{
    oh_exchange *exchange = moving->exchange;
    oh_request *request = &exchange->request;
    oh_refusals *it = &moving->refused;
    size_t at = oh_moving_begin(exchange);
    uint32_t number = 0, next = 0;

    sort(it);
    if (!oh_exchange_is_idle(exchange) || fails(moving) || it->count == 0) {
        return;
    }
    moving->whole = (oh_bytes){request->bytes, request->length};
    oh_buffer_append(&moving->kept, request->bytes, at);
    for (size_t end; at < request->length; at = end, number++) {
        end = oh_request_end_of_command(request->bytes, request->length, at);
        if (next < it->count && it->all[next].command == number) {
            next++;
        } else {
            oh_buffer_append(&moving->kept, request->bytes + at, end - at);
        }
    }
    if (moving->kept.is_broken) {
        oh_exchange_fail_without_memory(exchange);
        return;
    }
    request->bytes = (const uint8_t *)moving->kept.bytes;
    request->length = moving->kept.length;
    if (exchange->terms.commands_count > 0) {
        exchange->terms.commands_count -= it->count;
    }
}

/* ---- The replies ---- */

void oh_refusals_put_back(oh_moving *moving)
{
    oh_exchange *exchange = moving->exchange;
    oh_bytes replies = oh_replies_unread(&exchange->replies);
    oh_values values = oh_values_of(replies.bytes, replies.length);
    oh_buffer all = {0};
    uint32_t number = 0;

    if (!moving->whole.bytes) {
        return;
    }
    exchange->request.bytes = moving->whole.bytes;
    exchange->request.length = moving->whole.length;
    for (uint32_t i = 0; i < moving->refused.count; i++, number++) {
        const uint8_t *begin = values.at;

        for (; number < moving->refused.all[i].command; number++) {
            oh_value_skip(&values);
        }
        oh_buffer_append(&all, begin, (size_t)(values.at - begin));
        oh_buffer_append_text(&all, OH_REFUSAL_REPLY);
    }
    oh_buffer_append(&all, values.at, (size_t)(values.end - values.at));
    if (all.is_broken) {
        oh_buffer_free(&all);
        oh_exchange_fail_without_memory(exchange);
        return;
    }
    oh_exchange_replace(exchange, (uint8_t *)all.bytes, all.length, exchange->found.has_error_reply,
        exchange->found.has_error);
}
