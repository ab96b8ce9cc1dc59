/*
 * Asks old owners for keys of which the owner has nothing, then the owner once more, and puts the
 * answers in the places of the first replies.
 */
#include <string.h>

#include "core/command/command.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/moving/moving_internal.h"

/* A question, and where its answer belongs. */
typedef struct question {
    oh_moving *moving;
    const oh_moving_key *key;
    size_t reply, reply_end; /* Where the first reply is, among all replies. */
    size_t begin, end;       /* Where the part to replace is: that reply, or an element of it. */
    oh_buffer answer;
    bool is_sent;    /* It was sent in this round. */
    bool asks_owner; /* The old owner has nothing: the owner is asked once more. */
    bool is_answered;
} question;

typedef struct asking {
    oh_round round;
    question *all; /* Memory of the call. In the order of requests, commands and elements. */
    uint32_t count;
} asking;

/* ---- Finding what is nothing ---- */

/* Passes the head of a list and goes to one of its elements. False if there is no such element. */
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
static void note(asking *it, oh_moving *moving, const oh_moving_key *key, oh_values at)
{
    const uint8_t *all = oh_replies_unread(&moving->exchange->replies).bytes;
    oh_values rest = at;
    size_t reply = (size_t)(at.at - all);

    if (key->is_element && !go_to(&at, key->element)) {
        return;
    }
    const uint8_t *begin = at.at;
    if (!oh_value_skip(&rest) || !oh_value_skip(&at) ||
        oh_reply_is_something((oh_bytes){begin, (size_t)(at.at - begin)})) {
        return;
    }
    it->all[it->count++] = (question){.moving = moving,
        .key = key,
        .reply = reply,
        .reply_end = (size_t)(rest.at - all),
        .begin = (size_t)(begin - all),
        .end = (size_t)(at.at - all)};
}

/* The keys are in the order of their commands. */
static void find_nothing(asking *it, oh_moving *moving)
{
    const oh_moving_keys *asked = &moving->asked;
    oh_bytes replies = oh_replies_unread(&moving->exchange->replies);
    oh_values values = oh_values_of(replies.bytes, replies.length);
    uint32_t number = 0;

    for (uint32_t i = 0; i < asked->count; i++) {
        for (; number < asked->keys[i].command; number++) {
            if (!oh_value_skip(&values)) {
                return;
            }
        }
        note(it, moving, &asked->keys[i], values);
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

static uint32_t node_of(const question *one)
{
    return one->asks_owner ? one->moving->node : one->key->from;
}

static void load(asking *it, question *one)
{
    oh_buffer *to = oh_round_to(&it->round, node_of(one));

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

/* An element is asked for alone, so its answer is a list of one element. Returns this element. */
static oh_bytes only_element(oh_bytes reply)
{
    oh_values values = oh_values_of(reply.bytes, reply.length);
    size_t count;

    if (!oh_value_take_list(&values, &count) || count != 1) {
        return reply;
    }
    return (oh_bytes){values.at, (size_t)(values.end - values.at)};
}

static bool is_of_one_command(const question *one, const question *other)
{
    return one->moving == other->moving && one->key->command == other->key->command;
}

/* An error is the answer to the command as a whole, not to one of its keys. */
static void answer_whole(asking *it, question *one, oh_bytes error)
{
    question *first = one, *end = it->all + it->count;

    while (first > it->all && is_of_one_command(first - 1, one)) {
        first--;
    }
    for (question *each = first; each < end && is_of_one_command(each, one); each++) {
        oh_buffer_free(&each->answer);
        each->begin = each->end = each->reply_end;
        each->is_answered = true;
    }
    first->begin = first->reply;
    oh_buffer_append(&first->answer, error.bytes, error.length);
}

static void answer_one(asking *it, question *one, oh_bytes reply)
{
    if (one->key->is_element && oh_value_begins_error(reply.bytes, reply.length)) {
        answer_whole(it, one, reply);
        return;
    }
    reply = one->key->is_element ? only_element(reply) : reply;
    oh_buffer_append(&one->answer, reply.bytes, reply.length);
    one->is_answered = true;
}

/*
 * The node that was asked has failed. Its outcome is kept, because a question only reads. If the
 * program has ended the wait, the whole request fails.
 */
static void take_failure(asking *it, question *one, const oh_round_request *failed)
{
    static const char reply[] = OH_REFUSAL_REPLY;
    oh_exchange *exchange = one->moving->exchange;
    oh_failure failure;

    oh_round_tell(&it->round, failed, failed->failure.outcome, &failure);
    if (oh_exchange_was_interrupted(&failed->exchange) && oh_exchange_is_complete(exchange)) {
        *exchange->failure = failure;
        oh_exchange_fail_like(exchange, &failed->exchange);
    }
    oh_refusals_add(one->moving, one->key->command, oh_refusals_keep(one->moving, &failure));
    answer_whole(it, one, (oh_bytes){(const uint8_t *)reply, sizeof reply - 1});
}

static void unload(asking *it, question *one)
{
    const oh_round_request *failed = NULL;
    uint32_t node = node_of(one);
    oh_bytes reply = oh_round_take(&it->round, node, &failed), exists = {NULL, 0};

    if (!failed && !one->asks_owner) {
        exists = oh_round_take(&it->round, node, &failed);
    }
    if (one->is_answered) {
        return; /* Another key of the same command has failed. */
    }
    if (failed) {
        take_failure(it, one, failed);
    } else if (!one->asks_owner && oh_bytes_is(exists, ":0\r\n") && !oh_reply_is_something(reply)) {
        one->asks_owner = true;
    } else {
        answer_one(it, one, reply);
    }
}

/* False if all are answered, or if there is no memory. */
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
    if (is_done || !oh_round_run(&it->round, true)) {
        return false;
    }
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->all[i].is_sent) {
            unload(it, &it->all[i]);
        }
    }
    return true;
}

/* ---- Replacing ---- */

/*
 * True if one of the replies is an error. `has_nested` is set if an error is inside a reply, too.
 */
static bool find_errors(const uint8_t *bytes, size_t length, bool *has_nested)
{
    oh_values values = oh_values_of(bytes, length);
    oh_value value;
    bool has_error = false;

    while (values.at < values.end) {
        const uint8_t *begin = values.at;

        has_error |= oh_value_begins_error(begin, (size_t)(values.end - begin));
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

/*
 * Puts the answers to the questions of one request in place. `first` is the first of these
 * questions. Returns how many there are.
 */
static uint32_t put_in_place(const asking *it, uint32_t first)
{
    oh_exchange *exchange = it->all[first].moving->exchange;
    oh_bytes replies = oh_replies_unread(&exchange->replies);
    bool has_nested = false, has_error;
    oh_buffer all = {0};
    size_t from = 0;
    uint32_t i;

    for (i = first; i < it->count && it->all[i].moving == it->all[first].moving; i++) {
        const question *one = &it->all[i];

        oh_buffer_append(&all, replies.bytes + from, one->begin - from);
        oh_buffer_append(&all, one->answer.bytes, one->answer.length);
        all.is_broken |= one->answer.is_broken || !one->is_answered;
        from = one->end;
    }
    if (!oh_exchange_is_complete(exchange)) {
        oh_buffer_free(&all);
        return i - first;
    }
    oh_buffer_append(&all, replies.bytes + from, replies.length - from);
    if (all.is_broken) {
        oh_buffer_free(&all);
        oh_exchange_fail_without_memory(exchange);
        return i - first;
    }
    has_error = find_errors((const uint8_t *)all.bytes, all.length, &has_nested);
    oh_exchange_replace(
        exchange, (uint8_t *)all.bytes, all.length, has_error, has_error || has_nested);
    return i - first;
}

void oh_moving_ask(oh_moving *const *all, uint32_t count)
{
    asking it = {.round = {.from = all[0]->exchange, .snapshot = all[0]->snapshot}};
    size_t keys_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        keys_count += all[i]->asked.count;
    }
    it.all = keys_count > 0 ? oh_call_zeroed(keys_count, sizeof *it.all) : NULL;
    for (uint32_t i = 0; i < count && keys_count > 0; i++) {
        if (!it.all) {
            oh_exchange_fail_without_memory(all[i]->exchange);
        } else if (oh_exchange_is_complete(all[i]->exchange)) {
            find_nothing(&it, all[i]);
        }
    }
    while (it.count > 0 && run_round(&it)) {
        oh_round_end(&it.round);
    }
    oh_round_end(&it.round);
    for (uint32_t i = 0; i < it.count;) {
        i += put_in_place(&it, i);
    }
    for (uint32_t i = 0; i < it.count; i++) {
        oh_buffer_free(&it.all[i].answer);
    }
    oh_call_release(it.all);
}
