/*
 * Finds the commands that were refused, and sends them to the node that now has the same name, or
 * to the fallback of their node.
 */
#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/cluster/redirect.h"
#include "core/command/command.h"
#include "core/generated/limits.h"
#include "core/generated/timings.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/resend/resend_internal.h"
#include "engine/snapshot/read_from.h"

/* With less time left nothing is sent again: the answer could come too late. */
#define OH_LAST_MOMENT_NS UINT64_C(20000000)

oh_snapshot *(*oh_succession_newest)(oh_snapshot *snapshot, uint64_t deadline_ns);

/* The refused commands of one request and the reads behind them, or all that were not sent. */
typedef struct oh_succession_run {
    oh_resend_run resend;
    const oh_succession *succession;
    uint32_t master;   /* The node itself, or the master that it follows. */
    oh_text name;      /* The name of the node, or of its master. */
    bool falls_back;   /* The fallback must be asked, and was not asked yet. */
    uint64_t begun_ns; /* When the commands were to be sent again for the first time. */
    bool has_others;   /* Some error is not a refusal. */
    bool has_nested;   /* Some error is inside a reply. */
    bool is_overtaken; /* A write behind a refused command was executed. */
    bool has_failed;   /* The exchange has failed: nothing was sent, or reads were lost. */
} oh_succession_run;

/* True if the node has refused the command; then it was not executed. */
static bool is_refusal(const oh_succession_run *run, oh_bytes reply)
{
    return oh_value_begins_error(reply.bytes, reply.length) &&
           oh_redirect_is_refusal(oh_value_error_text(reply.bytes, reply.length),
               run->succession->snapshot->is_watched, run->falls_back);
}

/* ---- Finding ---- */

/* True if the bytes of the request are available, and mean the same on another connection. */
static bool is_repeatable(const oh_exchange *exchange)
{
    const oh_call_terms *terms = &exchange->terms;

    return oh_succession_newest && exchange->request.bytes && !exchange->use.keeps &&
           !terms->has_multi && !terms->is_exec && !terms->is_pinned && !terms->preface;
}

/*
 * True in two cases. In the first, all replies are unread, so one may be a refusal. In the second,
 * the exchange failed at a node that is watched, has a fallback or was replaced; and the commands
 * were not sent, or only read.
 */
static bool may_send_again(const oh_exchange *exchange)
{
    const oh_replies *replies = &exchange->replies;
    bool has_all =
        oh_exchange_is_complete(exchange) && replies->dropped == 0 && replies->begin == 0;
    bool may_repeat = exchange->terms.is_read_only && !exchange->terms.never_repeats &&
                      !exchange->found.has_heard;
    bool has_another =
        exchange->peer.is_watched || exchange->peer.may_fall_back || oh_exchange_has_left(exchange);
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
 * Looks at all commands and replies. Adds the refused commands, and the reads behind them, because
 * those must not be executed before the refused commands. False if there is no memory.
 */
static bool find(oh_succession_run *run)
{
    const oh_request *request = &run->resend.exchange->request;
    oh_bytes replies = oh_replies_unread(&run->resend.exchange->replies);
    size_t begin = 0, at = 0;
    oh_wire wire;

    oh_wire_reset(&wire);
    wire.written = UINT64_MAX;
    while (at < replies.length && begin < request->length) {
        size_t end = oh_request_end_of_command(request->bytes, request->length, begin);
        oh_bytes reply = {replies.bytes + at, replies.length - at};

        reply.length = oh_wire_read_value(&wire, reply.bytes, reply.length);
        oh_resent_command found = {.command = {request->bytes + begin, end - begin},
            .begin = at,
            .end = at + reply.length};
        bool is_refused = is_refusal(run, reply);
        bool is_behind = run->resend.list.count > 0 && !run->falls_back && !is_refused;
        bool is_listed = is_behind ? only_reads(found.command) : is_refused;
        if (is_listed && !oh_resend_add(&run->resend.list, &found)) {
            return false;
        }
        run->is_overtaken |= is_behind && !is_listed;
        run->has_others |= !is_listed && wire.error_number == wire.answered;
        run->has_nested |= !is_listed && wire.any_error_number == wire.answered;
        begin = end;
        at += reply.length;
    }
    return true;
}

/* Adds all commands of a request that has no replies. False if there is no memory. */
static bool find_all(oh_succession_run *run)
{
    const oh_request *request = &run->resend.exchange->request;

    for (size_t at = 0, end; at < request->length; at = end) {
        end = oh_request_end_of_command(request->bytes, request->length, at);
        oh_resent_command found = {.command = {request->bytes + at, end - at}};

        if (!oh_resend_add(&run->resend.list, &found)) {
            return false;
        }
    }
    return true;
}

static bool is_alone(const oh_request *request)
{
    return oh_request_end_of_command(request->bytes, request->length, 0) == request->length;
}

/* False if there is no command to send again, or no memory. */
static bool begin(oh_succession_run *run, const oh_succession *succession, oh_exchange *exchange)
{
    oh_snapshot *snapshot = succession->snapshot;
    const oh_server *servers = snapshot->pool->servers, *asked = &servers[succession->node];
    uint32_t master = asked->role == OH_REPLICA ? asked->master : succession->node;
    bool falls_back = exchange->found.leaving != OH_LEAVING_FOR_SUCCESSOR &&
                      oh_resend_may_fall_back(exchange, snapshot, succession->node);

    *run = (oh_succession_run){.succession = succession,
        .master = master,
        .name = falls_back ? servers[master].name : asked->name,
        .falls_back = falls_back,
        .begun_ns = oh_clock_now_ns(),
        .has_failed = oh_exchange_has_failed(exchange)};
    snapshot->references++;
    return oh_resend_begin(&run->resend, exchange, snapshot, is_alone(&exchange->request)) &&
           (run->has_failed ? find_all(run) : find(run)) && run->resend.list.count > 0 &&
           !run->is_overtaken;
}

/* ---- Sending ---- */

static bool is_refused(const oh_succession_run *run, const oh_resent_command *resent)
{
    return !resent->reply.bytes ||
           is_refusal(run, (oh_bytes){resent->reply.bytes, resent->reply.length});
}

/*
 * The index of the first command to send again, together with all behind it; the count if there is
 * none.
 */
static uint32_t first_left(const oh_succession_run *run)
{
    uint32_t first = 0;

    while (first < run->resend.list.count && !is_refused(run, &run->resend.list.commands[first])) {
        first++;
    }
    return first;
}

/*
 * Sends the rest of the commands to this node of the run's map. False if nothing more can be done,
 * or if a write was executed behind a command that this node has refused.
 */
static bool send_to(oh_succession_run *run, uint32_t node)
{
    oh_resend_run *resend = &run->resend;
    uint32_t first = first_left(run);

    for (uint32_t i = 0; i < resend->list.count; i++) {
        resend->list.commands[i].node = node;
        resend->list.commands[i].is_done = i < first;
    }
    if (!oh_resend_round(resend)) {
        return false;
    }
    for (uint32_t i = first_left(run); i < resend->list.count; i++) {
        const oh_resent_command *resent = &resend->list.commands[i];

        run->is_overtaken |= !is_refused(run, resent) && !only_reads(resent->command);
    }
    return !run->is_overtaken;
}

/* ---- The successor ---- */

/* Until when commands of this exchange are sent again. */
static uint64_t deadline_of(const oh_succession_run *run)
{
    const oh_exchange *exchange = run->resend.exchange;

    return exchange->terms.timeout_ms ? exchange->times.deadline_ns
           : run->succession->snapshot->is_watched
               ? run->begun_ns + OH_SUCCESSION_MS_DEFAULT * UINT64_C(1000000)
               : UINT64_MAX;
}

/*
 * Finds the node with the same name. False if there is none, or if it is reached in the same way as
 * the one that was asked. A watched successor may be reached in the same way: if it is not a
 * master, nothing is sent to it.
 */
static bool find_successor(
    const oh_succession_run *run, oh_snapshot *newest, const oh_connections *asked, uint32_t *node)
{
    return oh_lookout_find(newest, run->name, node) &&
           (newest->is_watched || newest->connections[*node] != asked);
}

/*
 * The next version of the server pool, counted. If the node was replaced, that version may be known
 * already.
 */
static oh_snapshot *next_snapshot(
    const oh_succession_run *run, const oh_connections *asked, uint64_t deadline_ns)
{
    oh_snapshot *snapshot = run->succession->snapshot;
    uint32_t node;

    oh_snapshot *known = oh_lookout_known(snapshot);
    if (oh_lookout_find(known, run->name, &node) && known->connections[node] != asked) {
        return known;
    }
    oh_snapshot_release(known);
    return oh_succession_newest(snapshot, deadline_ns);
}

static bool has_time(uint64_t deadline_ns)
{
    return oh_clock_now_ns() + OH_LAST_MOMENT_NS < deadline_ns;
}

/* False if there is no fallback any more, or nothing more can be done. */
static bool ask_fallback(oh_succession_run *run)
{
    uint32_t node = oh_read_from_fallback(run->resend.map, run->master, run->succession->node);

    run->falls_back = false;
    return node != OH_NO_FALLBACK && send_to(run, node);
}

static void follow(oh_succession_run *run)
{
    oh_resend_run *resend = &run->resend;
    const oh_connections *asked = resend->exchange->peer.connections;
    bool goes_on = true, is_watched = run->succession->snapshot->is_watched;

    if (run->falls_back) {
        goes_on = ask_fallback(run) || (is_watched && !resend->is_over);
        asked = oh_snapshot_connections(resend->map, run->master);
    }

    for (uint32_t hops = 0;
        goes_on && (is_watched || hops < OH_REDIRECTS_MAX) && first_left(run) < resend->list.count;
        hops++) {
        uint64_t deadline_ns = deadline_of(run);
        oh_snapshot *newest = next_snapshot(run, asked, deadline_ns);
        uint32_t node;

        oh_resend_set_map(resend, newest);
        goes_on =
            find_successor(run, newest, asked, &node) && (!is_watched || has_time(deadline_ns));
        if (goes_on) {
            asked = newest->connections[node];
            goes_on = send_to(run, node);
        }
        if (is_watched) {
            goes_on = !resend->is_over && !run->is_overtaken && has_time(deadline_of(run));
        }
    }
    if (!resend->is_over && resend->list.commands[0].reply.bytes) {
        if (run->has_failed) {
            oh_exchange_mark_complete(resend->exchange);
        }
        oh_resend_put_in_place(resend, run->has_others, run->has_nested);
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

static void before_return(oh_interceptor *interceptor, oh_exchange *exchange)
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
        oh_resend_end(&run.resend);
    }
    leave(interceptor, exchange);
}

static void keep_memory(oh_interceptor *interceptor)
{
    (void)interceptor;
}

void oh_succession_set(oh_succession *succession, oh_snapshot *snapshot, uint32_t node)
{
    *succession = (oh_succession){
        {leave, read_replies, readable, before_return, keep_memory, NULL, NULL}, snapshot, node};
}
