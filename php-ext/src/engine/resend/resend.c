/*
 * The mechanism of sending again. A round sends each command that is not done to the node chosen
 * for it, to all nodes in parallel. When all have answered, each sent command has a new reply. At
 * the end the replies take the places of the first ones.
 *
 * A command waits for the next round if an earlier one of the same slot goes to another node in
 * this round.
 */
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/resend/resend_internal.h"

#define OH_NOWHERE UINT32_MAX
/* A command of this slot waits for the next round, so later ones must also wait. */
#define OH_WAITS (UINT32_MAX - 1)

/* ---- Beginning and ending ---- */

/* A request to a Redis Cluster may go to many nodes; in a plain server pool it has one node. */
bool oh_resend_begin(oh_resend_run *run, oh_exchange *exchange, oh_snapshot *map, bool is_alone)
{
    bool is_cluster = map->is_cluster;

    *run = (oh_resend_run){.exchange = exchange, .map = map, .is_alone = is_alone};
    run->wait_end_ns = oh_resend_wait_end(exchange, is_alone);
    run->slots_count = is_cluster ? OH_SLOTS_COUNT + 1 : 1;
    run->going = oh_call_resize(NULL, run->slots_count, sizeof *run->going);
    run->requests_max = is_cluster ? OH_EXCHANGE_SET_MAX : 1;
    run->requests = oh_call_resize(NULL, run->requests_max, sizeof *run->requests);
    run->set = oh_call_zeroed(1, sizeof *run->set);
    return run->going && run->requests && run->set;
}

void oh_resend_end(oh_resend_run *run)
{
    for (uint32_t i = 0; i < run->list.count; i++) {
        oh_call_release(run->list.commands[i].reply.bytes);
    }
    oh_call_release(run->list.commands);
    oh_call_release(run->set);
    oh_call_release(run->requests);
    oh_call_release(run->going);
    oh_snapshot_release(run->map);
}

void oh_resend_set_map(oh_resend_run *run, oh_snapshot *map)
{
    oh_snapshot_release(run->map);
    run->map = map;
}

bool oh_resend_add(oh_resent_list *list, const oh_resent_command *command)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 16;
        oh_resent_command *grown = oh_call_resize(list->commands, capacity, sizeof *grown);

        if (!grown) {
            return false;
        }
        list->capacity = capacity;
        list->commands = grown;
    }
    list->commands[list->count++] = *command;
    return true;
}

static bool fail_without_memory(oh_resend_run *run)
{
    run->is_over = true;
    oh_exchange_fail_without_memory(run->exchange);
    return false;
}

bool oh_resend_set_reply(oh_resend_run *run, oh_resent_command *resent, oh_bytes bytes)
{
    uint8_t *copy = oh_call_allocate(bytes.length + 1);

    if (!copy) {
        return fail_without_memory(run);
    }
    memcpy(copy, bytes.bytes, bytes.length);
    copy[bytes.length] = '\0';
    oh_call_release(resent->reply.bytes);
    resent->reply.bytes = copy;
    resent->reply.length = bytes.length;
    return true;
}

/* ---- Loading ---- */

static oh_resend_request *request_to(oh_resend_run *run, uint32_t node)
{
    for (uint32_t i = 0; i < run->requests_count; i++) {
        if (run->requests[i].node == node) {
            return &run->requests[i];
        }
    }
    if (run->requests_count == run->requests_max) {
        return NULL;
    }
    oh_resend_request *sent = &run->requests[run->requests_count++];
    memset(sent, 0, sizeof *sent);
    sent->node = node;
    return sent;
}

/* Puts a command into the round, unless it must wait for an earlier one. */
static void load(oh_resend_run *run, oh_resent_command *resent)
{
    uint32_t *going = &run->going[resent->slot];
    oh_resend_request *sent =
        *going == OH_NOWHERE || *going == resent->node ? request_to(run, resent->node) : NULL;

    resent->is_sent = sent != NULL;
    *going = sent ? resent->node : OH_WAITS;
    if (!sent) {
        return;
    }
    oh_resp_sink sink = oh_buffer_sink(&sent->bytes);
    if (resent->script.bytes) {
        oh_resp_put_list(sink, 3);
        oh_resp_put_text(sink, "SCRIPT");
        oh_resp_put_text(sink, "LOAD");
        oh_resp_put_word(sink, resent->script);
    }
    if (resent->asks) {
        oh_resp_put(sink, OH_RESP_ASKING);
    }
    oh_resend_put_command(&sent->bytes, resent->command, run->wait_end_ns);
}

/* False if there is no memory; the exchange has failed. */
static bool load_all(oh_resend_run *run)
{
    bool is_broken = false;

    memset(run->going, 0xff, run->slots_count * sizeof *run->going);
    run->requests_count = 0;
    for (uint32_t i = 0; i < run->list.count; i++) {
        if (!run->list.commands[i].is_done) {
            load(run, &run->list.commands[i]);
        }
    }
    for (uint32_t i = 0; i < run->requests_count; i++) {
        is_broken |= run->requests[i].bytes.is_broken;
    }
    return !is_broken || fail_without_memory(run);
}

/* ---- Sending ---- */

static void send_all(oh_resend_run *run)
{
    const oh_exchange *from = run->exchange;
    const oh_call_terms terms = {.timeout_ms = from->terms.timeout_ms,
        .block_ms =
            run->wait_end_ns ? oh_resend_wait_left_ms(run->wait_end_ns) : from->terms.block_ms,
        .deadline_ns = from->times.deadline_ns,
        .is_read_only = from->terms.is_read_only,
        .never_repeats = from->terms.never_repeats,
        .selects = from->terms.selects,
        .is_unknown = from->terms.is_unknown,
        .gathers = true};

    run->set->members_count = 0;
    run->set->around = from->set;
    run->set->advances = oh_exchange_set_advances;
    for (uint32_t i = 0; i < run->requests_count; i++) {
        oh_resend_request *sent = &run->requests[i];
        oh_peer peer = {.connections = oh_snapshot_connections(run->map, sent->node),
            .metered = oh_snapshot_metered(run->map, sent->node),
            .is_of_plain_pool = !run->map->is_cluster,
            .database = from->peer.database,
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

/* ---- Unloading ---- */

/*
 * Called if another node has taken over during the wait. The first node may have executed a read.
 */
static void note_leaving(oh_resend_run *run, const oh_resend_request *sent)
{
    oh_exchange *exchange = run->exchange;

    if (sent->failure.outcome != OH_OUTCOME_NOT_SENT) {
        exchange->use.was_sent = true;
        if (oh_exchange_has_failed(exchange)) {
            exchange->failure->outcome = sent->failure.outcome;
        }
    }
    run->has_left = true;
}

/*
 * A failure at another node becomes the failure of the exchange. But if the other node is one of a
 * plain server pool and was not reached, the caller gets the first replies, or the first failure.
 */
static void fail_request(oh_resend_run *run, const oh_resend_request *sent)
{
    oh_node node = oh_topology_node(run->map->topology, sent->node);
    oh_outcome outcome = sent->failure.outcome;
    oh_quoted name;

    if (run->map->is_cluster) {
        /* In a pipeline, other commands were executed. */
        outcome = run->is_alone ? outcome : OH_OUTCOME_MAYBE_EXECUTED;
        oh_nodes_request_refresh(run->map->known_by);
    } else if (outcome == OH_OUTCOME_NOT_SENT) {
        return;
    }
    oh_failure_set(run->exchange->failure, outcome, sent->failure.kind, sent->failure.advice,
        OH_WHAT_REDIRECT_FAILED, oh_quote(&name, node.name.bytes, node.name.length),
        sent->failure.what);
    run->is_over = true;
    oh_exchange_fail_like(run->exchange, &sent->exchange);
}

bool oh_resend_may_go_on(const oh_exchange *failed)
{
    const oh_call_terms *terms = &failed->terms;
    bool is_safe = failed->failure->outcome == OH_OUTCOME_NOT_SENT ||
                   (terms->is_read_only && !terms->never_repeats);

    return is_safe && !terms->has_multi && failed->failure->kind == OH_ERROR_NODE_DOWN &&
           !oh_exchange_was_interrupted(failed);
}

bool oh_resend_may_wait(const oh_exchange *failed, const oh_snapshot *map, uint32_t node)
{
    return !failed->failure->says_nothing && oh_nodes_may_fail_over(map, node);
}

/* True if this node had a slot that was asked for, and the newest map gives it to another one. */
static bool is_replaced(const oh_resend_run *run, uint32_t node)
{
    oh_snapshot *newest = oh_nodes_hold_newest(run->map->known_by);
    bool is_replaced = false;

    for (uint32_t i = 0; i < run->list.count && !is_replaced; i++) {
        const oh_resent_command *resent = &run->list.commands[i];

        is_replaced = resent->is_sent && resent->node == node && resent->slot < OH_SLOTS_COUNT &&
                      oh_snapshot_node_of(run->map, resent->slot) == node &&
                      oh_snapshot_node_of(newest, resent->slot) != node;
    }
    oh_snapshot_release(newest);
    return is_replaced;
}

/*
 * True if another node may get the slots, or has them by now. The checks are in this order because
 * another process may publish the next map between them.
 */
static bool goes_on(const oh_resend_run *run, const oh_resend_request *sent)
{
    const oh_call_terms *terms = &sent->exchange.terms;
    uint64_t deadline_ns = terms->timeout_ms ? sent->exchange.times.deadline_ns : UINT64_MAX;

    return run->map->is_cluster && oh_resend_may_go_on(&sent->exchange) &&
           oh_clock_now_ns() < deadline_ns &&
           (oh_resend_may_wait(&sent->exchange, run->map, sent->node) ||
               is_replaced(run, sent->node));
}

/*
 * The commands wait for a failover. If none comes in time, the exchange fails as this request did.
 */
static void note_wait(oh_resend_run *run, const oh_resend_request *sent)
{
    *run->exchange->failure = sent->failure;
    run->exchange->use.was_sent |= sent->failure.outcome != OH_OUTCOME_NOT_SENT;
    run->waits = true;
}

/* Takes the reply of a command that was sent. False if there is no memory. */
static bool unload(oh_resend_run *run, oh_resent_command *resent)
{
    oh_exchange *exchange = &request_to(run, resent->node)->exchange;

    if (!oh_exchange_is_complete(exchange)) {
        resent->is_sent = resent->asks = false;
        resent->goes_home = true;
        return true;
    }
    for (int unseen = resent->asks + (resent->script.bytes != NULL); unseen > 0; unseen--) {
        oh_exchange_take_reply(exchange);
    }
    return oh_resend_set_reply(run, resent, oh_exchange_take_reply(exchange));
}

static bool unload_all(oh_resend_run *run)
{
    run->has_left = run->waits = false;
    for (uint32_t i = 0; i < run->requests_count; i++) {
        const oh_resend_request *sent = &run->requests[i];

        if (oh_exchange_has_left(&sent->exchange)) {
            note_leaving(run, sent);
        } else if (oh_exchange_is_complete(&sent->exchange)) {
            continue;
        } else if (goes_on(run, sent)) {
            note_wait(run, sent);
        } else {
            fail_request(run, sent);
            return false;
        }
    }
    for (uint32_t i = 0; i < run->list.count; i++) {
        oh_resent_command *resent = &run->list.commands[i];

        if (!resent->is_done && resent->is_sent && !unload(run, resent)) {
            return false;
        }
    }
    return true;
}

/*
 * The time for which nodes have blocked a command does not count: the deadline moves by that time.
 */
bool oh_resend_round(oh_resend_run *run)
{
    uint64_t before_ns = oh_clock_now_ns();
    bool is_well = load_all(run);

    if (is_well) {
        send_all(run);
        is_well = unload_all(run);
    }
    for (uint32_t i = 0; i < run->requests_count; i++) {
        oh_exchange_end(&run->requests[i].exchange);
        oh_buffer_free(&run->requests[i].bytes);
    }
    if (run->exchange->terms.block_ms) {
        run->exchange->times.deadline_ns += oh_clock_now_ns() - before_ns;
    }
    return is_well;
}

/* ---- Replacing ---- */

/*
 * Builds the replies again, with the new replies in the places of the first ones. NULL if there is
 * no memory.
 */
static uint8_t *put_together(const oh_resend_run *run, size_t *length)
{
    const oh_replies *replies = &run->exchange->replies;
    size_t from = replies->dropped + replies->begin, at = 0;
    oh_bytes old = oh_replies_unread(replies);

    *length = old.length;
    for (uint32_t i = 0; i < run->list.count; i++) {
        const oh_resent_command *resent = &run->list.commands[i];

        *length += resent->reply.length - (resent->end - resent->begin);
    }
    uint8_t *bytes = oh_call_allocate(*length);
    for (uint32_t i = 0; bytes && i < run->list.count; i++) {
        const oh_resent_command *resent = &run->list.commands[i];
        size_t kept = resent->begin - from;

        if (kept > 0) {
            memcpy(bytes + at, old.bytes, kept);
        }
        memcpy(bytes + at + kept, resent->reply.bytes, resent->reply.length);
        at += kept + resent->reply.length;
        old.bytes += resent->end - from;
        from = resent->end;
    }
    if (bytes && *length > at) {
        memcpy(bytes + at, old.bytes, *length - at);
    }
    return bytes;
}

void oh_resend_put_in_place(oh_resend_run *run, bool has_error, bool has_nested)
{
    size_t length;
    uint8_t *replies = put_together(run, &length);

    if (!replies) {
        oh_exchange_fail_without_memory(run->exchange);
        return;
    }
    for (uint32_t i = 0; i < run->list.count; i++) {
        const oh_resent_command *resent = &run->list.commands[i];

        has_error |= oh_value_begins_error(resent->reply.bytes, resent->reply.length);
    }
    oh_exchange_replace(run->exchange, replies, length, has_error, has_error || has_nested);
}
