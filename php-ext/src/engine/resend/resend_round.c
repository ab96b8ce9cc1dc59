/*
 * A round sends each command that is not done to the node chosen for it, to all nodes in parallel.
 * When all have answered, each sent command has a new reply.
 *
 * A command waits for the next round if an earlier one of the same slot goes to another node in
 * this round.
 */
#include <string.h>

#include "engine/base/environment.h"
#include "engine/resend/resend_internal.h"

#define OH_NOWHERE UINT32_MAX
/* A command of this slot waits for the next round, so later ones must also wait. */
#define OH_WAITS (UINT32_MAX - 1)

/* ---- Loading ---- */

static oh_redirect_request *request_to(oh_redirect_run *run, uint32_t node)
{
    for (uint32_t i = 0; i < run->requests_count; i++) {
        if (run->requests[i].node == node) {
            return &run->requests[i];
        }
    }
    if (run->requests_count == OH_EXCHANGE_SET_MAX) {
        return NULL;
    }
    oh_redirect_request *sent = &run->requests[run->requests_count++];
    memset(sent, 0, sizeof *sent);
    sent->node = node;
    return sent;
}

/* Puts a command into the round, unless it must wait for an earlier one. */
static void load(oh_redirect_run *run, oh_redirected_command *redirected)
{
    uint32_t *going = &run->going[redirected->slot];
    oh_redirect_request *sent = *going == OH_NOWHERE || *going == redirected->node
                                    ? request_to(run, redirected->node)
                                    : NULL;

    redirected->is_sent = sent != NULL;
    *going = sent ? redirected->node : OH_WAITS;
    if (!sent) {
        return;
    }
    oh_resp_sink sink = oh_buffer_sink(&sent->bytes);
    if (redirected->script.bytes) {
        oh_resp_put_list(sink, 3);
        oh_resp_put_text(sink, "SCRIPT");
        oh_resp_put_text(sink, "LOAD");
        oh_resp_put_word(sink, redirected->script);
    }
    if (redirected->asks) {
        oh_resp_put(sink, OH_RESP_ASKING);
    }
    oh_redirects_put_command(&sent->bytes, redirected->command, run->wait_end_ns);
}

/* False if there is no memory; the exchange has failed. */
static bool load_all(oh_redirect_run *run)
{
    bool is_broken = false;

    memset(run->going, 0xff, (OH_SLOTS_COUNT + 1) * sizeof *run->going);
    run->requests_count = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        if (!run->commands[i].is_done) {
            load(run, &run->commands[i]);
        }
    }
    for (uint32_t i = 0; i < run->requests_count; i++) {
        is_broken |= run->requests[i].bytes.is_broken;
    }
    if (is_broken) {
        oh_exchange_fail_without_memory(run->exchange);
    }
    return !is_broken;
}

/* ---- Sending ---- */

static void send_all(oh_redirect_run *run)
{
    const oh_exchange *from = run->exchange;
    const oh_call_terms terms = {.timeout_ms = from->terms.timeout_ms,
        .block_ms = run->wait_end_ns ? oh_redirects_wait_left_ms(run->wait_end_ns)
                                     : run->redirects->block_ms,
        .deadline_ns = from->times.deadline_ns,
        .is_read_only = from->terms.is_read_only,
        .never_repeats = from->terms.never_repeats,
        .gathers = true};

    run->set->members_count = 0;
    for (uint32_t i = 0; i < run->requests_count; i++) {
        oh_redirect_request *sent = &run->requests[i];
        oh_peer peer = {.connections = oh_snapshot_connections(run->map, sent->node),
            .meter = oh_snapshot_meter(run->map, sent->node),
            .lookout = &sent->lookout.lookout};

        oh_node_lookout_set(&sent->lookout, run->map, sent->node);
        oh_exchange_make(&sent->exchange, peer, &sent->failure);
        oh_exchange_prepare(&sent->exchange, &terms, run->set);
        oh_exchange_start(&sent->exchange, sent->bytes.bytes, sent->bytes.length);
    }
    for (uint32_t i = 0; i < run->requests_count; i++) {
        oh_exchange_await(&run->requests[i].exchange);
    }
}

bool oh_redirect_run_reply(oh_redirect_run *run, oh_replacement *reply, oh_bytes bytes)
{
    uint8_t *copy = oh_call_allocate(bytes.length + 1);

    if (!copy) {
        oh_exchange_fail_without_memory(run->exchange);
        return false;
    }
    memcpy(copy, bytes.bytes, bytes.length);
    copy[bytes.length] = '\0';
    oh_call_release(reply->bytes);
    *reply = (oh_replacement){copy, bytes.length};
    return true;
}

/* A failure at another node becomes the failure of the exchange. */
static bool fail_request(oh_redirect_run *run, const oh_redirect_request *sent)
{
    oh_exchange *exchange = run->exchange;
    oh_node node = oh_topology_node(run->map->topology, sent->node);
    oh_quoted name;

    oh_failure_set(exchange->failure,
        run->redirects->is_alone ? sent->failure.outcome : OH_OUTCOME_MAYBE_EXECUTED,
        sent->failure.kind, sent->failure.advice, OH_WHAT_REDIRECT_FAILED,
        oh_quote(&name, node.name.bytes, node.name.length), sent->failure.what);
    oh_nodes_request_refresh(run->nodes);
    oh_exchange_fail_like(exchange, &sent->exchange);
    return false;
}

/* Another node has taken over meanwhile. A read may have got to the first one. */
static void note_leaving(oh_redirect_run *run, const oh_redirect_request *sent)
{
    run->exchange->use.was_sent |= sent->failure.outcome != OH_OUTCOME_NOT_SENT;
    run->has_left = true;
}

static bool unload_all(oh_redirect_run *run)
{
    run->has_left = false;
    for (uint32_t i = 0; i < run->requests_count; i++) {
        const oh_redirect_request *sent = &run->requests[i];

        if (oh_exchange_has_left(&sent->exchange)) {
            note_leaving(run, sent);
        } else if (!oh_exchange_is_complete(&sent->exchange)) {
            return fail_request(run, sent);
        }
    }
    for (uint32_t i = 0; i < run->count; i++) {
        oh_redirected_command *redirected = &run->commands[i];

        if (redirected->is_done || !redirected->is_sent) {
            continue;
        }
        oh_exchange *exchange = &request_to(run, redirected->node)->exchange;
        if (oh_exchange_has_left(exchange)) {
            redirected->is_sent = redirected->asks = false;
            redirected->goes_home = true;
            continue;
        }
        for (int unseen = redirected->asks + (redirected->script.bytes != NULL); unseen > 0;
            unseen--) {
            oh_exchange_take_reply(exchange);
        }
        if (!oh_redirect_run_reply(run, redirected->reply, oh_exchange_take_reply(exchange))) {
            return false;
        }
    }
    return true;
}

bool oh_redirect_run_round(oh_redirect_run *run)
{
    bool is_done = load_all(run);

    if (is_done) {
        send_all(run);
        is_done = unload_all(run);
    }
    for (uint32_t i = 0; i < run->requests_count; i++) {
        oh_exchange_end(&run->requests[i].exchange);
        oh_buffer_free(&run->requests[i].bytes);
    }
    return is_done;
}
