/*
 * Noticing, and mending: what lies in the memory of the exchange. Where it goes meanwhile is for redirects_follow.
 */
#include <string.h>

#include "core/base/compiler.h"
#include "engine/base/environment.h"
#include "core/cluster/redirect.h"

#include "engine/cluster/cluster.h"
#include "engine/exchange/exchange_wait.h"
#include "engine/redirects/readers.h"

#define ABORT "EXECABORT"

oh_redirects *oh_redirects_new(oh_snapshot *map, uint32_t node)
{
    oh_redirects *redirects = oh_call_zeroed(1, sizeof *redirects);

    if (redirects) {
        redirects->map = map;
        redirects->node = node;
    }
    return redirects;
}

void oh_redirects_set_map(oh_exchange *exchange, oh_snapshot *map)
{
    if (exchange->redirects) {
        exchange->redirects->map = map;
    }
}

static void forget_request(oh_redirects *redirects)
{
    if (redirects->request) {
        oh_call_release(redirects->request);
        redirects->request = NULL;
    }
}

void oh_redirects_free(oh_exchange *exchange)
{
    oh_redirects *redirects = exchange->redirects;

    exchange->redirects = NULL;
    if (redirects) {
        forget_request(redirects);
        oh_call_release(redirects->list);
        oh_call_release(redirects);
    }
}

void oh_redirects_begin(oh_exchange *exchange)
{
    oh_redirects *redirects = exchange->redirects;

    forget_request(redirects);
    redirects->first = exchange->connection->wire.answered + (exchange->terms.preface ? 1 : 0);
    redirects->is_between = true;
    redirects->is_error = redirects->has_others = redirects->has_nested = false;
    redirects->is_alone = false;
    redirects->wait_ms = exchange->wait_ms;
    redirects->count = 0;
}

/* ---- Noticing ---- */

/* False: there is no memory; the exchange has failed. */
static bool list(oh_exchange *exchange, oh_redirected redirected)
{
    oh_redirects *redirects = exchange->redirects;

    if (redirects->count == redirects->capacity) {
        uint32_t capacity = redirects->capacity ? redirects->capacity * 2 : 16;
        oh_redirected *grown = oh_call_resize(redirects->list, capacity, sizeof *grown);

        if (!grown) {
            oh_exchange_fail_without_memory(exchange);
            return false;
        }
        redirects->capacity = capacity;
        redirects->list = grown;
    }
    redirects->list[redirects->count++] = redirected;
    return true;
}

/* And what EXEC says of a transaction of which a command was redirected. */
static bool is_redirect(const oh_exchange *exchange, size_t end)
{
    const oh_redirects *redirects = exchange->redirects;
    oh_redirect_case it = {.asked = redirects->node, .left_ms = -1};

    it.error.bytes = (const char *)exchange->replies + redirects->value - exchange->dropped + strlen("-");
    it.error.length = end - redirects->value - strlen("-\r\n");
    if (exchange->terms.has_multi && it.error.length > strlen(ABORT) && memcmp(it.error.bytes, ABORT, strlen(ABORT)) == 0) {
        return redirects->count > 0;
    }
    return oh_redirect_decide(redirects->map->topology, &it).action != OH_REDIRECT_NONE;
}

/* False: the exchange has failed. */
static bool note(oh_exchange *exchange, size_t end)
{
    oh_redirects *redirects = exchange->redirects;
    const oh_wire *wire = &exchange->connection->wire;

    if (exchange->terms.is_pinned || wire->refusal_reply != wire->answered || !is_redirect(exchange, end)) {
        redirects->has_others = true;
        return true;
    }
    exchange->gathers = true;
    return list(exchange, (oh_redirected){
        .command = (uint32_t)(wire->answered - redirects->first - 1), .begin = redirects->value, .end = end});
}

size_t oh_redirects_read(oh_exchange *exchange, size_t count)
{
    oh_redirects *redirects = exchange->redirects;
    oh_wire *wire = &exchange->connection->wire;
    const uint8_t *bytes = exchange->replies + exchange->end;
    size_t before = exchange->dropped + exchange->end, at = 0;

    while (at < count && !wire->error) {
        uint64_t answered = wire->answered;

        if (redirects->is_between) {
            redirects->is_between = false;
            redirects->value = before + at;
            redirects->is_error = bytes[at] == '-';
        }
        at += oh_wire_read_value(wire, bytes + at, count - at);
        if (wire->answered > answered) {
            redirects->is_between = true;
            if (OH_UNLIKELY(redirects->is_error)) {
                redirects->is_error = false;
                if (!note(exchange, before + at)) {
                    return 0;
                }
            } else if (OH_UNLIKELY(wire->error_reply == wire->answered)) {
                redirects->has_nested = true;
            }
        }
    }
    return at;
}

size_t oh_redirects_readable(const oh_exchange *exchange)
{
    const oh_redirects *redirects = exchange->redirects;
    size_t end = exchange->end;

    if (redirects->count > 0) {
        end = OH_MIN(end, redirects->list[0].begin - exchange->dropped);
    } else if (redirects->is_error) {
        end = OH_MIN(end, redirects->value - exchange->dropped);
    }
    return end - exchange->begin;
}

/* ---- Mending ---- */

/* The replies anew, with each error replaced by what has taken its place. False: the exchange has failed. */
static bool put_in_place(oh_exchange *exchange, const oh_mended *mended)
{
    const oh_redirects *redirects = exchange->redirects;
    size_t length = exchange->end - exchange->begin, from = exchange->dropped + exchange->begin, at = 0;
    const uint8_t *old = exchange->replies + exchange->begin;

    for (uint32_t i = 0; i < redirects->count; i++) {
        length += mended[i].length - (redirects->list[i].end - redirects->list[i].begin);
    }
    uint8_t *replies = oh_call_allocate(length + 1);
    if (!replies) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    for (uint32_t i = 0; i < redirects->count; i++) {
        size_t kept = redirects->list[i].begin - from;

        if (kept > 0) {
            memcpy(replies + at, old, kept);
        }
        memcpy(replies + at + kept, mended[i].bytes, mended[i].length);
        at += kept + mended[i].length;
        old += redirects->list[i].end - from;
        from = redirects->list[i].end;
    }
    if (length > at) {
        memcpy(replies + at, old, length - at);
    }
    oh_call_release(exchange->replies);
    exchange->replies = replies;
    exchange->capacity = length + 1;
    exchange->end = length;
    exchange->begin = exchange->dropped = 0;
    return true;
}

static void mend(oh_exchange *exchange, const uint8_t *request, size_t length)
{
    oh_redirects *redirects = exchange->redirects;
    size_t first = exchange->terms.preface ? oh_exchange_end_of_command(request, length, 0) : 0;

    redirects->is_alone = oh_exchange_end_of_command(request, length, first) == length;
    oh_mended *mended = oh_call_zeroed(redirects->count, sizeof *mended);
    if (!mended) {
        oh_exchange_fail_without_memory(exchange);
        return;
    }
    if (oh_redirects_follow(exchange, request, length, mended) && put_in_place(exchange, mended)) {
        bool has_error = redirects->has_others;

        for (uint32_t i = 0; i < redirects->count; i++) {
            has_error |= mended[i].bytes[0] == '-';
        }
        exchange->has_refusal = has_error;
        exchange->has_error = has_error || redirects->has_nested;
    }
    for (uint32_t i = 0; i < redirects->count; i++) {
        oh_call_release(mended[i].bytes);
    }
    oh_call_release(mended);
    redirects->count = 0;
    exchange->gathers = false;
}

/* The node has failed: everything is asked of the masters there are by now. */
static void ask_masters(oh_exchange *exchange)
{
    oh_redirects *redirects = exchange->redirects;
    size_t at = exchange->terms.preface ? oh_exchange_end_of_command(exchange->request, exchange->request_length, 0) : 0;

    redirects->count = 0;
    redirects->is_error = redirects->has_others = redirects->has_nested = false;
    exchange->dropped = 0;
    for (uint32_t number = 0; at < exchange->request_length; number++) {
        if (!list(exchange, (oh_redirected){.command = number})) {
            return;
        }
        at = oh_exchange_end_of_command(exchange->request, exchange->request_length, at);
    }
    redirects->is_rescue = true;
    exchange->state = OH_EXCHANGE_COMPLETE;
    mend(exchange, exchange->request, exchange->request_length);
    redirects->is_rescue = false;
}

/* Somebody has learnt meanwhile that another node has the slot; and what this one was sent may be sent again. */
static bool has_heir(const oh_exchange *exchange)
{
    const oh_redirects *redirects = exchange->redirects;
    const oh_snapshot *before = redirects->map;
    bool is_safe = exchange->failure->outcome == OH_OUTCOME_NOT_SENT || exchange->terms.is_read_only;
    size_t at = exchange->terms.preface ? oh_exchange_end_of_command(exchange->request, exchange->request_length, 0) : 0;
    uint32_t slot = OH_SLOTS_COUNT;
    oh_state state;

    if (!is_safe || exchange->terms.never_repeats || exchange->terms.has_multi || exchange->failure->kind != OH_ERROR_NODE_DOWN) {
        return false;
    }
    size_t end = oh_exchange_end_of_command(exchange->request, exchange->request_length, at);
    if (!oh_redirects_find_slot(exchange->request + at, end - at, &slot, &state)) {
        return false;
    }
    oh_snapshot *map = oh_cluster_newest(before->cluster);
    bool is_elsewhere = slot < OH_SLOTS_COUNT && oh_snapshot_node_of(map, slot) != redirects->node;
    oh_snapshot_release(map);
    return is_elsewhere && oh_snapshot_has_keys(before, redirects->node);
}

/* What no master may be asked: what the caller has sent to this node, and what only this connection can end. */
static bool may_ask_masters(const oh_exchange *exchange)
{
    const oh_redirects *redirects = exchange->redirects;

    return exchange->request && !exchange->terms.is_pinned && !exchange->keeps && !exchange->was_interrupted &&
           ((exchange->terms.is_read_only && oh_readers_has_master(redirects->map, redirects->node)) || has_heir(exchange));
}

/* Replies are still to come when phpredis is given its write back: then a copy of it is kept. */
static void keep_request(oh_exchange *exchange)
{
    oh_redirects *redirects = exchange->redirects;

    redirects->request = oh_call_allocate(exchange->request_length);
    if (!redirects->request) {
        oh_exchange_fail_without_memory(exchange);
        return;
    }
    redirects->request_length = exchange->request_length;
    memcpy(redirects->request, exchange->request, exchange->request_length);
}

void oh_redirects_meet(oh_exchange *exchange)
{
    oh_redirects *redirects = exchange->redirects;

    if (OH_UNLIKELY(exchange->state == OH_EXCHANGE_FAILED)) {
        oh_cluster_want(redirects->map->cluster); /* Another node may have its slots by now. */
        if (may_ask_masters(exchange)) {
            ask_masters(exchange);
        }
    }
    if (exchange->state == OH_EXCHANGE_COMPLETE && OH_UNLIKELY(redirects->count > 0)) {
        mend(exchange, exchange->request ? exchange->request : redirects->request,
            exchange->request ? exchange->request_length : redirects->request_length);
    } else if (oh_exchange_is_active(exchange) && exchange->request && exchange->connection->wire.written - redirects->first > 1) {
        keep_request(exchange);
    }
    if (!oh_exchange_is_active(exchange)) {
        forget_request(redirects);
    }
}
