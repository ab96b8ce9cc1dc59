/*
 * Finds the commands that were refused, and sends them to the node that now has the same name, or
 * from a replica to its master.
 */
#include "engine/resend/succession.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/cluster/redirect.h"
#include "core/command/command.h"
#include "core/generated/limits.h"
#include "core/generated/timings.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/resend/resend_internal.h"

/* With less time left nothing is sent again: the answer could come too late. */
#define OH_LAST_MOMENT_NS UINT64_C(20000000)

oh_snapshot *(*oh_succession_newest)(oh_snapshot *snapshot, uint64_t deadline_ns);

/*
 * The refused commands of one request and the reads behind them, or all that were not sent, until
 * each has another reply.
 */
typedef struct oh_succession_run {
    const oh_succession *succession;
    oh_exchange *exchange;
    oh_text name;         /* Of the master: of the node, or of the one it follows. */
    bool is_of_replica;   /* A replica was asked, and its master was not yet. */
    uint64_t begun_ns;    /* When they were to be sent again for the first time. */
    uint64_t wait_end_ns; /* As of oh_redirects_wait_end. */
    uint32_t count;
    oh_bytes *commands;        /* Those in the caller's request. */
    oh_redirect_reply *places; /* Of their replies. */
    oh_replacement *replies;   /* Bytes NULL until there is another reply. */
    bool has_others;           /* Some error is not a refusal. */
    bool has_nested;           /* Some error is inside a reply. */
    bool is_overtaken;         /* A write behind a refused command was executed. */
    bool has_failed;           /* The exchange has: nothing was sent, or reads were lost. */
    bool is_over;              /* Another node may have executed them, or there is no memory. */
} oh_succession_run;

/* True if the node has refused the command; then it was not executed. */
static bool is_refusal(const oh_succession_run *run, oh_bytes reply)
{
    return oh_value_begins_error(reply.bytes, reply.length) &&
           oh_redirect_is_refusal(oh_value_error_text(reply.bytes, reply.length),
               run->succession->snapshot->is_watched, run->is_of_replica);
}

/* ---- Finding ---- */

/* True if the bytes of the request are there, and mean the same on another connection. */
static bool is_repeatable(const oh_exchange *exchange)
{
    const oh_call_terms *terms = &exchange->terms;

    return oh_succession_newest && exchange->request.bytes && !exchange->use.keeps &&
           !terms->has_multi && !terms->is_exec && !terms->is_pinned && !terms->preface;
}

/*
 * True in two cases. All replies are unread, so one may be a refusal. Or the node failed, which is
 * watched, has a master or was replaced: it was not reached, or lost commands that only read.
 */
static bool may_send_again(const oh_exchange *exchange)
{
    const oh_replies *replies = &exchange->replies;
    bool has_all =
        oh_exchange_is_complete(exchange) && replies->dropped == 0 && replies->begin == 0;
    bool may_repeat = exchange->terms.is_read_only && !exchange->terms.never_repeats &&
                      !exchange->found.has_heard;
    bool has_another = exchange->peer.is_watched || exchange->peer.may_ask_master ||
                       oh_exchange_has_left(exchange);
    bool is_lost = oh_exchange_has_failed(exchange) && has_another &&
                   (exchange->failure->outcome == OH_OUTCOME_NOT_SENT || may_repeat) &&
                   exchange->failure->kind == OH_ERROR_NODE_DOWN;

    return is_repeatable(exchange) && (has_all || is_lost);
}

static bool only_reads(oh_bytes command)
{
    oh_values values = oh_values_of(command.bytes, command.length);
    oh_bytes words[2] = {{NULL, 0}, {NULL, 0}}; /* A subcommand is the second one. */
    size_t count;

    if (!oh_value_take_command(&values, &count)) {
        return false;
    }
    count = OH_MIN(count, sizeof words / sizeof *words);
    for (size_t i = 0; i < count; i++) {
        oh_value_take_word(&values, &words[i]);
    }
    const oh_command *entry = oh_command_find(words, count);
    return entry && entry->is_retryable;
}

/*
 * Goes through all commands and replies. Counts the refused ones and the reads behind them, which
 * must not stay ahead, and lists them if there is room.
 */
static void find(oh_succession_run *run)
{
    const oh_request *request = &run->exchange->request;
    oh_bytes replies = oh_replies_unread(&run->exchange->replies);
    size_t begin = 0, at = 0;
    oh_wire wire;

    run->count = 0;
    run->has_others = run->has_nested = run->is_overtaken = false;
    oh_wire_reset(&wire);
    wire.written = UINT64_MAX;
    while (at < replies.length && begin < request->length) {
        size_t end = oh_request_end_of_command(request->bytes, request->length, begin);
        oh_bytes reply = {replies.bytes + at, replies.length - at};

        reply.length = oh_wire_read_value(&wire, reply.bytes, reply.length);
        oh_bytes command = {request->bytes + begin, end - begin};
        bool is_behind = run->count > 0 && !run->is_of_replica && !is_refusal(run, reply);
        bool is_listed = is_behind ? only_reads(command) : is_refusal(run, reply);
        if (is_listed && run->places) {
            run->commands[run->count] = command;
            run->places[run->count] = (oh_redirect_reply){.begin = at, .end = at + reply.length};
        }
        run->count += is_listed;
        run->is_overtaken |= is_behind && !is_listed;
        run->has_others |= !is_listed && wire.error_number == wire.answered;
        run->has_nested |= !is_listed && wire.any_error_number == wire.answered;
        begin = end;
        at += reply.length;
    }
}

/* Lists all commands of a request that has no replies. */
static void find_all(oh_succession_run *run)
{
    const oh_request *request = &run->exchange->request;
    size_t begin = 0;

    for (run->count = 0; begin < request->length; run->count++) {
        size_t end = oh_request_end_of_command(request->bytes, request->length, begin);

        if (run->commands) {
            run->commands[run->count] = (oh_bytes){request->bytes + begin, end - begin};
        }
        begin = end;
    }
}

static bool is_alone(const oh_request *request)
{
    return oh_request_end_of_command(request->bytes, request->length, 0) == request->length;
}

/* False if there is no such command, or no memory. */
static bool begin(oh_succession_run *run, const oh_succession *succession, oh_exchange *exchange)
{
    const oh_server *servers = succession->snapshot->pool->servers;
    const oh_server *asked = &servers[succession->node];

    *run = (oh_succession_run){.succession = succession,
        .exchange = exchange,
        .name = exchange->peer.may_ask_master ? servers[asked->master].name : asked->name,
        .is_of_replica = exchange->peer.may_ask_master,
        .begun_ns = oh_clock_now_ns(),
        .wait_end_ns = oh_redirects_wait_end(exchange, is_alone(&exchange->request)),
        .has_failed = oh_exchange_has_failed(exchange)};
    void (*list)(oh_succession_run *) = run->has_failed ? find_all : find;
    list(run);
    if (run->count == 0 || run->is_overtaken) {
        return false;
    }
    run->commands = oh_call_zeroed(run->count, sizeof *run->commands);
    run->places = oh_call_zeroed(run->count, sizeof *run->places);
    run->replies = oh_call_zeroed(run->count, sizeof *run->replies);
    if (!run->commands || !run->places || !run->replies) {
        return false;
    }
    list(run);
    return true;
}

static void end(oh_succession_run *run)
{
    for (uint32_t i = 0; run->replies && i < run->count; i++) {
        oh_call_release(run->replies[i].bytes);
    }
    oh_call_release(run->replies);
    oh_call_release(run->places);
    oh_call_release(run->commands);
}

/* ---- Sending ---- */

static bool is_refused(const oh_succession_run *run, uint32_t number)
{
    const oh_replacement *reply = &run->replies[number];

    return !reply->bytes || is_refusal(run, (oh_bytes){reply->bytes, reply->length});
}

/* The first command that is to be sent again, with all behind it; `count` if there is none. */
static uint32_t first_left(const oh_succession_run *run)
{
    uint32_t first = 0;

    while (first < run->count && !is_refused(run, first)) {
        first++;
    }
    return first;
}

/* Notes if a write was executed behind a command that this node has refused. */
static void note_overtaken(oh_succession_run *run)
{
    for (uint32_t i = first_left(run); i < run->count && !run->is_of_replica; i++) {
        run->is_overtaken |= !is_refused(run, i) && !only_reads(run->commands[i]);
    }
}

/* Takes the replies of the commands that were sent. False if there is no memory. */
static bool take_replies(oh_succession_run *run, oh_exchange *again)
{
    for (uint32_t i = first_left(run); i < run->count; i++) {
        oh_bytes reply = oh_exchange_take_reply(again);
        uint8_t *copy = oh_call_allocate(reply.length);

        if (!copy) {
            run->is_over = true;
            oh_exchange_fail_without_memory(run->exchange);
            return false;
        }
        memcpy(copy, reply.bytes, reply.length);
        oh_call_release(run->replies[i].bytes);
        run->replies[i] = (oh_replacement){copy, reply.length};
    }
    note_overtaken(run);
    return !run->is_overtaken;
}

/*
 * The commands may have been executed by the other node, so the exchange fails like that one. If
 * they were not, the caller reads READONLY, or that the first node was not reached.
 */
static void fail(oh_succession_run *run, const oh_exchange *again, oh_text node)
{
    const oh_failure *failure = again->failure;
    oh_quoted name;

    if (oh_exchange_has_left(again)) {
        if (failure->outcome != OH_OUTCOME_NOT_SENT && run->has_failed) {
            run->exchange->failure->outcome = failure->outcome;
        }
        return;
    }
    if (failure->outcome != OH_OUTCOME_NOT_SENT) {
        run->is_over = true;
        oh_failure_set(run->exchange->failure, failure->outcome, failure->kind, failure->advice,
            OH_WHAT_REDIRECT_FAILED, oh_quote(&name, node.bytes, node.length), failure->what);
        oh_exchange_fail_like(run->exchange, again);
    }
}

/* Sends what is left to this node. False if nothing more can be done. */
static bool send_to(oh_succession_run *run, oh_snapshot *snapshot, uint32_t node)
{
    const oh_exchange *from = run->exchange;
    const oh_call_terms terms = {.timeout_ms = from->terms.timeout_ms,
        .block_ms =
            run->wait_end_ns ? oh_redirects_wait_left_ms(run->wait_end_ns) : from->terms.block_ms,
        .deadline_ns = from->times.deadline_ns,
        .is_read_only = from->terms.is_read_only,
        .never_repeats = from->terms.never_repeats,
        .is_unknown = from->terms.is_unknown,
        .gathers = true};
    oh_node_lookout lookout;
    oh_peer peer = {.connections = oh_snapshot_connections(snapshot, node),
        .meter = oh_snapshot_meter(snapshot, node),
        .is_of_plain_pool = true,
        .lookout = &lookout.lookout};
    oh_failure failure;
    oh_exchange again;
    oh_buffer bytes = {.bytes = NULL};
    bool goes_on = false;

    for (uint32_t i = first_left(run); i < run->count; i++) {
        oh_redirects_put_command(&bytes, run->commands[i], run->wait_end_ns);
    }
    oh_node_lookout_set(&lookout, snapshot, node);
    memset(&again, 0, sizeof again);
    oh_exchange_make(&again, peer, &failure);
    if (!bytes.is_broken) {
        oh_exchange_prepare(&again, &terms, NULL);
        oh_exchange_start(&again, bytes.bytes, bytes.length);
        oh_exchange_await(&again);
        goes_on = oh_exchange_is_complete(&again);
        if (goes_on) {
            goes_on = take_replies(run, &again);
        } else {
            fail(run, &again, oh_topology_node(snapshot->topology, node).name);
            goes_on = oh_exchange_has_left(&again);
        }
    }
    oh_exchange_end(&again);
    oh_buffer_free(&bytes);
    return goes_on;
}

/* ---- The successor ---- */

/* Until when commands of this exchange are sent again. */
static uint64_t deadline_of(const oh_succession_run *run)
{
    const oh_exchange *exchange = run->exchange;

    return exchange->terms.timeout_ms ? exchange->times.deadline_ns
           : run->succession->snapshot->is_watched
               ? run->begun_ns + OH_SUCCESSION_MS_DEFAULT * UINT64_C(1000000)
               : UINT64_MAX;
}

/*
 * Finds the node with the same name. False if there is none, or if it is reached in the same way as
 * the one that was asked. A watched one may be reached in the same way: if it is not a master,
 * nothing is sent to it.
 */
static bool find_successor(
    const oh_succession_run *run, oh_snapshot *newest, const oh_connections *asked, uint32_t *node)
{
    return oh_lookout_find(newest, run->name, node) &&
           (newest->is_watched || newest->connections[*node] != asked);
}

/*
 * The next version of the server pool, counted. Of a replica the master is known already, and of a
 * node that was replaced the successor may be.
 */
static oh_snapshot *next_snapshot(
    oh_succession_run *run, const oh_connections *asked, uint64_t deadline_ns)
{
    oh_snapshot *snapshot = run->succession->snapshot;
    uint32_t node;

    if (run->is_of_replica) {
        run->is_of_replica = false;
        snapshot->references++;
        return snapshot;
    }
    oh_snapshot *known = oh_lookout_known(snapshot);
    if (oh_lookout_find(known, run->name, &node) && known->connections[node] != asked) {
        return known;
    }
    oh_snapshot_release(known);
    return oh_succession_newest(snapshot, deadline_ns);
}

static void put_in_place(oh_succession_run *run)
{
    if (run->has_failed) {
        oh_exchange_revive(run->exchange);
    }
    bool has_error = run->has_others;
    size_t length;
    uint8_t *replies = oh_redirects_put_together(
        run->places, run->count, &run->exchange->replies, run->replies, &length);

    if (!replies) {
        oh_exchange_fail_without_memory(run->exchange);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++) {
        has_error |= oh_value_begins_error(run->replies[i].bytes, run->replies[i].length);
    }
    oh_exchange_replace(run->exchange, replies, length, has_error, has_error || run->has_nested);
}

static bool has_time(uint64_t deadline_ns)
{
    return oh_clock_now_ns() + OH_LAST_MOMENT_NS < deadline_ns;
}

static void follow(oh_succession_run *run)
{
    oh_exchange *exchange = run->exchange;
    const oh_connections *asked = exchange->peer.connections;
    bool goes_on = true, is_watched = run->succession->snapshot->is_watched;

    for (uint32_t hops = 0;
        goes_on && (is_watched || hops < OH_REDIRECTS_MAX) && first_left(run) < run->count;
        hops++) {
        uint64_t deadline_ns = deadline_of(run);
        oh_snapshot *newest = next_snapshot(run, asked, deadline_ns);
        uint32_t node;

        goes_on =
            find_successor(run, newest, asked, &node) && (!is_watched || has_time(deadline_ns));
        if (goes_on) {
            uint64_t before_ns = oh_clock_now_ns();

            asked = newest->connections[node];
            goes_on = send_to(run, newest, node);
            oh_redirects_extend(exchange, before_ns);
        }
        oh_snapshot_release(newest);
        if (is_watched) {
            goes_on = !run->is_over && !run->is_overtaken && has_time(deadline_of(run));
        }
    }
    if (!run->is_over && run->replies[0].bytes) {
        put_in_place(run);
    }
}

/* ---- Between the exchange and its caller ---- */

static void leave(oh_interceptor *interceptor, oh_exchange *exchange)
{
    (void)interceptor;
    oh_exchange_intercept(exchange, NULL);
}

static size_t read_replies(oh_interceptor *interceptor, oh_exchange *exchange, size_t count)
{
    (void)interceptor;
    const oh_replies *replies = &exchange->replies;

    return oh_wire_read(&exchange->use.connection->wire, replies->bytes + replies->end, count);
}

static size_t readable(const oh_interceptor *interceptor, const oh_exchange *exchange)
{
    (void)interceptor;
    return oh_replies_length(&exchange->replies);
}

static void meet(oh_interceptor *interceptor, oh_exchange *exchange)
{
    const oh_succession *succession = (oh_succession *)interceptor;
    oh_succession_run run;

    if (succession->snapshot->is_watched &&
        (oh_exchange_has_failed(exchange) || exchange->use.keeps)) {
        oh_nodes_request_refresh(succession->snapshot->known_by);
    }
    if (may_send_again(exchange)) {
        if (begin(&run, succession, exchange)) {
            follow(&run);
        }
        end(&run);
    }
    leave(interceptor, exchange);
}

static void keep_memory(oh_interceptor *interceptor)
{
    (void)interceptor;
}

void oh_succession_set(oh_succession *succession, oh_snapshot *snapshot, uint32_t node)
{
    *succession =
        (oh_succession){{leave, read_replies, readable, meet, keep_memory}, snapshot, node};
}
