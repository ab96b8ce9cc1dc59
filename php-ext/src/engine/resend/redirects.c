/*
 * Notices redirects among the replies in the memory of an exchange, and replaces them.
 * redirects_follow sends the commands.
 */
#include <string.h>

#include "core/base/compiler.h"
#include "core/cluster/redirect.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/resend/resend_internal.h"

#define ABORT "EXECABORT"

static oh_redirects *of(oh_interceptor *interceptor)
{
    return (oh_redirects *)interceptor;
}

static void forget_request(oh_redirects *redirects)
{
    oh_call_release(redirects->request);
    redirects->request = NULL;
}

/* Returns where the caller's part of the request begins, after the preface. */
static size_t begin_of(const oh_exchange *exchange, const uint8_t *request, size_t length)
{
    return exchange->terms.preface ? oh_request_end_of_command(request, length, 0) : 0;
}

/* A request is about to be sent. */
static void begin(oh_interceptor *interceptor, oh_exchange *exchange)
{
    (void)exchange;
    oh_redirects *redirects = of(interceptor);

    forget_request(redirects);
    redirects->is_between = true;
    redirects->is_error = redirects->has_others = redirects->has_nested = false;
    redirects->list.count = 0;
}

/* ---- Noticing ---- */

/* True for a redirect, and for an error of EXEC if a command of its transaction was redirected. */
static bool is_redirect(const oh_redirects *redirects, const oh_exchange *exchange, size_t end)
{
    const oh_replies *replies = &exchange->replies;
    oh_redirect_case it = {.asked = redirects->node, .left_ms = -1};

    it.error = oh_value_error_text(
        replies->bytes + redirects->value - replies->dropped, end - redirects->value);
    if (exchange->terms.has_multi && oh_text_begins(it.error, ABORT)) {
        return redirects->list.count > 0;
    }
    return oh_redirect_decide(redirects->map->topology, &it).action != OH_REDIRECT_NONE;
}

/* Handles a complete error reply. False if the exchange has failed. */
static bool note(oh_redirects *redirects, oh_exchange *exchange, size_t end)
{
    const oh_wire *wire = &exchange->use.connection->wire;

    if (exchange->terms.is_pinned || wire->error_number != wire->answered ||
        !is_redirect(redirects, exchange, end)) {
        redirects->has_others = true;
        return true;
    }
    oh_resent_command found = {.number = (uint32_t)(wire->answered - exchange->request.before - 1),
        .begin = redirects->value,
        .end = end};

    oh_exchange_gather(exchange, true);
    if (!oh_resend_add(&redirects->list, &found)) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    return true;
}

/* The current value is complete. False if the exchange has failed. */
static bool end_value(oh_redirects *redirects, oh_exchange *exchange, size_t end)
{
    const oh_wire *wire = &exchange->use.connection->wire;

    redirects->is_between = true;
    if (OH_UNLIKELY(redirects->is_error)) {
        redirects->is_error = false;
        return note(redirects, exchange, end);
    }
    if (OH_UNLIKELY(wire->any_error_number == wire->answered)) {
        redirects->has_nested = true;
    }
    return true;
}

/* Frames the replies and notes the redirects among them. */
static size_t read_replies(oh_interceptor *interceptor, oh_exchange *exchange, size_t count)
{
    oh_redirects *redirects = of(interceptor);
    oh_wire *wire = &exchange->use.connection->wire;
    const uint8_t *bytes = exchange->replies.bytes + exchange->replies.end;
    size_t before = exchange->replies.dropped + exchange->replies.end, at = 0;

    while (at < count && !wire->error) {
        if (redirects->is_between) {
            at += oh_wire_read_usual(wire, bytes + at, count - at);
            if (at == count) {
                break;
            }
            redirects->is_between = false;
            redirects->value = before + at;
            redirects->is_error = oh_value_begins_error(bytes + at, count - at);
        }
        uint64_t answered = wire->answered;

        at += oh_wire_read_value(wire, bytes + at, count - at);
        if (wire->answered > answered && !end_value(redirects, exchange, before + at)) {
            return 0;
        }
    }
    return at;
}

/*
 * The caller may read all replies before the first one that is a redirect, or may turn out to be
 * one.
 */
static size_t readable(const oh_interceptor *interceptor, const oh_exchange *exchange)
{
    const oh_redirects *redirects = (const oh_redirects *)interceptor;
    const oh_replies *replies = &exchange->replies;
    size_t end = replies->end;

    if (redirects->list.count > 0) {
        end = OH_MIN(end, redirects->list.commands[0].begin - replies->dropped);
    } else if (redirects->is_error) {
        end = OH_MIN(end, redirects->value - replies->dropped);
    }
    return end - replies->begin;
}

/* ---- Replacing ---- */

static void replace(
    oh_redirects *redirects, oh_exchange *exchange, oh_bytes request, oh_destination to)
{
    size_t first = begin_of(exchange, request.bytes, request.length);

    oh_redirects_follow(
        redirects, exchange, (oh_bytes){request.bytes + first, request.length - first}, to);
    oh_exchange_gather(exchange, false);
}

/* ---- Failed nodes ---- */

/*
 * After a failure of the node: sends all commands to the masters of the newest map, or to the
 * fallback of the node.
 */
static void ask_others(oh_redirects *redirects, oh_exchange *exchange, oh_destination to)
{
    const oh_request *request = &exchange->request;

    redirects->is_error = redirects->has_others = redirects->has_nested = false;
    redirects->list.count = 0;
    exchange->use.was_sent |= exchange->failure->outcome != OH_OUTCOME_NOT_SENT;
    oh_exchange_mark_complete(exchange);
    replace(redirects, exchange, (oh_bytes){request->bytes, request->length}, to);
}

/* True if the newest map gives the slot to another node. */
static bool has_successor(const oh_redirects *redirects, const oh_exchange *exchange)
{
    const oh_request *request = &exchange->request;
    size_t at = begin_of(exchange, request->bytes, request->length);

    return oh_lookout_has_moved(
        redirects->map, redirects->node, (oh_bytes){request->bytes + at, request->length - at});
}

/*
 * True if each command of the exchange has a slot. A command without one need not wait: any node
 * can answer it.
 */
static bool is_of_slots(const oh_exchange *exchange)
{
    const oh_request *request = &exchange->request;
    size_t at = begin_of(exchange, request->bytes, request->length);

    while (at < request->length) {
        size_t end = oh_request_end_of_command(request->bytes, request->length, at);
        uint32_t slot;
        oh_state state;

        if (!oh_resend_find_slot((oh_bytes){request->bytes + at, end - at}, &slot, &state) ||
            slot == OH_SLOTS_COUNT) {
            return false;
        }
        at = end;
    }
    return true;
}

/*
 * False for requests that must not go to another node: those for exactly this node, and those that
 * need this connection.
 */
static bool may_ask_others(const oh_exchange *exchange)
{
    return exchange->request.bytes && !exchange->terms.is_pinned && !exchange->use.keeps &&
           !oh_exchange_was_interrupted(exchange);
}

/* The node has failed. Another one may have its slots by now, so the map is refreshed. */
static void take_failure(oh_redirects *redirects, oh_exchange *exchange)
{
    oh_nodes_request_refresh(redirects->map->known_by);
    if (!may_ask_others(exchange)) {
        return;
    }
    if (oh_resend_may_fall_back(exchange, redirects->map, redirects->node)) {
        ask_others(redirects, exchange, OH_TO_FALLBACK);
        return;
    }
    if (!oh_resend_may_go_on(exchange)) {
        return;
    }
    /*
     * This check must come before has_successor(): another process may publish the next map in
     * between.
     */
    bool may_wait = oh_resend_may_wait(exchange, redirects->map, redirects->node);

    if (has_successor(redirects, exchange)) {
        ask_others(redirects, exchange, OH_TO_OWNERS);
    } else if (may_wait && is_of_slots(exchange)) {
        ask_others(redirects, exchange, OH_TO_HEIR);
    }
}

/* ---- Between the exchange and its caller ---- */

/* Copies the request if replies are still to come when the caller's write returns. */
static void keep_request(oh_redirects *redirects, oh_exchange *exchange)
{
    const oh_request *request = &exchange->request;

    redirects->request = oh_call_allocate(request->length);
    if (!redirects->request) {
        oh_exchange_fail_without_memory(exchange);
        return;
    }
    redirects->request_length = request->length;
    memcpy(redirects->request, request->bytes, request->length);
}

static bool has_several(const oh_exchange *exchange)
{
    return exchange->use.connection->wire.written - exchange->request.before > 1;
}

/* Follows the redirects once all replies are in. If that fails, the exchange fails. */
static void before_return(oh_interceptor *interceptor, oh_exchange *exchange)
{
    oh_redirects *redirects = of(interceptor);
    const oh_request *request = &exchange->request;

    if (OH_UNLIKELY(oh_exchange_has_failed(exchange))) {
        take_failure(redirects, exchange);
    }
    if (oh_exchange_is_complete(exchange) && OH_UNLIKELY(redirects->list.count > 0)) {
        replace(redirects, exchange,
            request->bytes ? (oh_bytes){request->bytes, request->length}
                           : (oh_bytes){redirects->request, redirects->request_length},
            OH_TO_NAMED);
    } else if (oh_exchange_is_active(exchange) && request->bytes && has_several(exchange)) {
        keep_request(redirects, exchange);
    }
    if (!oh_exchange_is_active(exchange)) {
        forget_request(redirects);
    }
}

/* ---- Setting up ---- */

static void free_redirects(oh_interceptor *interceptor)
{
    oh_redirects *redirects = of(interceptor);

    forget_request(redirects);
    oh_call_release(redirects->list.commands);
    oh_call_release(redirects);
}

oh_redirects *oh_redirects_attach(oh_exchange *exchange, oh_snapshot *map, uint32_t node)
{
    oh_redirects *redirects = oh_call_zeroed(1, sizeof *redirects);

    if (redirects) {
        redirects->interceptor = (oh_interceptor){
            begin, read_replies, readable, before_return, free_redirects, NULL, NULL};
        redirects->map = map;
        redirects->node = node;
        oh_exchange_intercept(exchange, &redirects->interceptor);
    }
    return redirects;
}

void oh_redirects_set_map(oh_redirects *redirects, oh_snapshot *map)
{
    redirects->map = map;
}
