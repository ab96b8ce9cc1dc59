/*
 * Asks old owners for keys whose owner has said nothing, then the owner once more, and puts the
 * answers in the places of the first replies.
 */
#include <string.h>

#include "core/command/moving.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/moving/moving_internal.h"

/* A question, and where its answer belongs. */
typedef struct question {
    const oh_moving_key *key;
    size_t begin, end; /* Of the first reply, or of its element, among all replies. */
    oh_buffer answer;
    bool is_sent;    /* In this round. */
    bool asks_owner; /* The old owner has nothing: the owner is asked once more. */
    bool is_answered;
} question;

typedef struct asking {
    oh_moving *moving;
    oh_exchange *exchange;
    oh_round round;
    question *all; /* Memory of the call. */
    uint32_t count;
    oh_bytes replies;
} asking;

/* ---- Finding what is nothing ---- */

/* Goes to an element of a list, whose head it passes. */
static bool go_to(oh_values *values, uint32_t element)
{
    size_t count;
    bool is_there = oh_value_take_list(values, &count) && element < count;

    for (uint32_t i = 0; is_there && i < element; i++) {
        is_there = oh_value_skip(values);
    }
    return is_there;
}

/* Notes the question if the reply, or its element, is nothing. `at` begins the reply. */
static void note(asking *it, const oh_moving_key *key, oh_values at)
{
    const uint8_t *begin;

    if (key->is_element && !go_to(&at, key->element)) {
        return;
    }
    begin = at.at;
    if (!oh_value_skip(&at) || oh_reply_is_something((oh_bytes){begin, (size_t)(at.at - begin)})) {
        return;
    }
    it->all[it->count++] = (question){.key = key,
        .begin = (size_t)(begin - it->replies.bytes),
        .end = (size_t)(at.at - it->replies.bytes)};
}

/* The keys are in the order of their commands. */
static void find_nothing(asking *it)
{
    const oh_moving_keys *asked = &it->moving->asked;
    oh_values values = oh_values_of(it->replies.bytes, it->replies.length);
    uint32_t number = 0;

    for (uint32_t i = 0; i < asked->count; i++) {
        for (; number < asked->keys[i].command; number++) {
            if (!oh_value_skip(&values)) {
                return;
            }
        }
        note(it, &asked->keys[i], values);
    }
}

/* ---- Asking ---- */

static void put_question(oh_buffer *to, const oh_moving_key *key)
{
    oh_resp_sink sink = oh_buffer_sink(to);

    if (key->is_element) {
        oh_resp_put_list(sink, 2);
        oh_resp_put_text(sink, "MGET");
        oh_resp_put_word(sink, key->key);
    } else {
        oh_buffer_append(to, key->bytes.bytes, key->bytes.length);
    }
}

static uint32_t node_of(const asking *it, const question *one)
{
    return one->asks_owner ? it->moving->node : one->key->from;
}

static void load(asking *it, question *one)
{
    oh_buffer *to = oh_round_to(&it->round, node_of(it, one));

    one->is_sent = to != NULL;
    if (!to) {
        return;
    }
    put_question(to, one->key);
    if (!one->asks_owner) {
        oh_resp_sink sink = oh_buffer_sink(to);
        oh_resp_put_list(sink, 2);
        oh_resp_put_text(sink, "EXISTS");
        oh_resp_put_word(sink, one->key->key);
    }
}

/* The only element of the list that an element's question has as its answer. */
static oh_bytes only_element(oh_bytes reply)
{
    oh_values values = oh_values_of(reply.bytes, reply.length);
    size_t count;

    if (!oh_value_take_list(&values, &count) || count != 1) {
        return reply; /* An error, which stands in its place. */
    }
    return (oh_bytes){values.at, (size_t)(values.end - values.at)};
}

/* False if a node has failed, and the exchange with it. */
static bool unload(asking *it, question *one)
{
    const oh_round_request *failed = NULL;
    uint32_t node = node_of(it, one);
    oh_bytes reply = oh_round_take(&it->round, node, &failed), exists = {NULL, 0};

    if (!failed && !one->asks_owner) {
        exists = oh_round_take(&it->round, node, &failed);
    }
    if (failed) {
        oh_outcome outcome =
            it->exchange->terms.is_read_only ? failed->failure.outcome : OH_OUTCOME_MAYBE_EXECUTED;
        oh_round_fail(&it->round, failed, outcome);
        return false;
    }
    if (!one->asks_owner && oh_bytes_is(exists, ":0\r\n") && !oh_reply_is_something(reply)) {
        one->asks_owner = true;
        return true;
    }
    reply = one->key->is_element ? only_element(reply) : reply;
    oh_buffer_append(&one->answer, reply.bytes, reply.length);
    one->is_answered = true;
    return true;
}

/* False if all are answered, or if the exchange has failed. */
static bool run_round(asking *it)
{
    bool is_done = true;

    for (uint32_t i = 0; i < it->count; i++) {
        it->all[i].is_sent = false;
        if (!it->all[i].is_answered) {
            load(it, &it->all[i]);
            is_done = false;
        }
    }
    if (is_done) {
        return false;
    }
    if (!oh_round_run(&it->round, true)) {
        oh_exchange_fail_without_memory(it->exchange);
        return false;
    }
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->all[i].is_sent && !unload(it, &it->all[i])) {
            return false;
        }
    }
    return true;
}

/* ---- Replacing ---- */

static bool is_error(const void *bytes, size_t length)
{
    return oh_value_begins_error(bytes, length);
}

/* True if a reply that stays, or an answer, is an error or has one inside. */
static bool find_errors(const asking *it, const uint8_t *bytes, size_t length, bool *has_nested)
{
    oh_values values = oh_values_of(bytes, length);
    oh_value value;
    bool has_error = false;

    (void)it;
    while (values.at < values.end) {
        const uint8_t *begin = values.at;

        has_error |= is_error(begin, (size_t)(values.end - begin));
        int64_t pending = 1;
        for (; pending > 0 && oh_value_take(&values, &value); pending--) {
            *has_nested |= value.kind == OH_VALUE_ERROR;
            pending += value.kind == OH_VALUE_LIST ? value.number : 0;
        }
        if (pending > 0) {
            break;
        }
    }
    return has_error;
}

static void put_in_place(asking *it)
{
    oh_buffer all = {0};
    size_t from = 0;
    bool has_nested = false, has_error;

    for (uint32_t i = 0; i < it->count; i++) {
        const question *one = &it->all[i];

        oh_buffer_append(&all, it->replies.bytes + from, one->begin - from);
        oh_buffer_append(&all, one->answer.bytes, one->answer.length);
        all.is_broken |= one->answer.is_broken;
        from = one->end;
    }
    oh_buffer_append(&all, it->replies.bytes + from, it->replies.length - from);
    if (all.is_broken) {
        oh_buffer_free(&all);
        oh_exchange_fail_without_memory(it->exchange);
        return;
    }
    has_error = find_errors(it, (const uint8_t *)all.bytes, all.length, &has_nested);
    oh_exchange_replace(
        it->exchange, (uint8_t *)all.bytes, all.length, has_error, has_error || has_nested);
}

void oh_moving_ask(oh_moving *moving, oh_exchange *exchange)
{
    asking it = {.moving = moving,
        .exchange = exchange,
        .round = {.from = exchange, .snapshot = moving->snapshot},
        .all = oh_call_zeroed(moving->asked.count, sizeof *it.all),
        .replies = oh_replies_unread(&exchange->replies)};

    if (!it.all) {
        oh_exchange_fail_without_memory(exchange);
        return;
    }
    find_nothing(&it);
    while (it.count > 0 && run_round(&it)) {
        oh_round_end(&it.round);
    }
    oh_round_end(&it.round);
    if (it.count > 0 && !oh_exchange_has_failed(exchange)) {
        put_in_place(&it);
    }
    for (uint32_t i = 0; i < it.count; i++) {
        oh_buffer_free(&it.all[i].answer);
    }
    oh_call_release(it.all);
}
