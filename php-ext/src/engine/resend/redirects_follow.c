/*
 * Follows redirects in rounds. A round sends each command that has only an error so far to the node
 * that this error names, to all nodes in parallel, and ends when all have answered. A command that
 * is redirected again waits for the next round.
 *
 * Order: a command waits for the next round if an earlier one of the same slot goes to another node
 * in this round. Commands of a transaction in the pipeline are not forwarded, because nothing of
 * that transaction was executed. The caller reads QUEUED for its commands and an empty list for
 * EXEC.
 */
#include <string.h>
#include <strings.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/cluster/redirect.h"
#include "core/command/command.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/base/random.h"
#include "engine/base/wait.h"
#include "engine/resend/resend_internal.h"
#include "engine/snapshot/read_from.h"

#define LOADING "LOADING "
#define NOSCRIPT "NOSCRIPT "
#define EVALSHA "EVALSHA"

/* ---- The commands ---- */

oh_bytes (*oh_redirects_script)(const char *digest, size_t length);

/* Looks up the node that has the slot now. */
static void place_anew(const oh_resend_run *run, oh_resent_command *resent)
{
    if (resent->slot < OH_SLOTS_COUNT) {
        resent->node = oh_snapshot_node_of(run->map, resent->slot);
    }
}

/* Sends a read to the fallback of its node, if there is one. */
static bool fall_back(oh_resend_run *run, oh_resent_command *resent)
{
    if (resent->slot == OH_SLOTS_COUNT) {
        return false;
    }
    uint32_t master = oh_snapshot_node_of(run->map, resent->slot);
    uint32_t node = oh_read_from_fallback(run->map, master, resent->node);

    resent->fell_back = node != OH_NO_FALLBACK;
    resent->node = resent->fell_back ? node : resent->node;
    return resent->fell_back;
}

/* Prepares a command of the list: its last reply is the redirect. False if there is no memory. */
static bool take_redirect(oh_resend_run *run, oh_resent_command *resent)
{
    const oh_replies *replies = &run->exchange->replies;

    resent->is_sent = true;
    return oh_resend_set_reply(run, resent,
        (oh_bytes){replies->bytes + resent->begin - replies->dropped, resent->end - resent->begin});
}

static bool fail_without_memory(oh_resend_run *run)
{
    oh_exchange_fail_without_memory(run->exchange);
    return false;
}

/*
 * Finds the commands of the list in the request or, if the node has failed, lists all. EXEC and the
 * commands between MULTI and EXEC are not forwarded. False if the exchange has failed.
 */
static bool find_commands(oh_resend_run *run, oh_bytes request, uint32_t node, oh_destination to)
{
    const oh_exchange *exchange = run->exchange;
    oh_resent_list *list = &run->list;
    bool is_inside = false, has_failed = to != OH_TO_NAMED;
    size_t at = 0;

    for (uint32_t number = 0, i = 0; has_failed ? at < request.length : i < list->count; number++) {
        size_t end = oh_request_end_of_command(request.bytes, request.length, at);
        bool is_wanted = has_failed || number == list->commands[i].number;
        oh_state state = OH_STATE_NONE;
        oh_resent_command found = {
            .command = {request.bytes + at, end - at}, .slot = OH_SLOTS_COUNT, .node = node};

        if ((is_wanted || exchange->terms.has_multi) &&
            !oh_resend_find_slot(found.command, &found.slot, &state)) {
            return fail_without_memory(run);
        }
        is_inside ^= state == OH_STATE_TRANSACTION;
        found.is_exec = state == OH_STATE_TRANSACTION;
        found.is_done = !exchange->use.keeps && (is_inside || found.is_exec);
        if (has_failed) {
            found.goes_home = to == OH_TO_HEIR;
            if (to != OH_TO_FALLBACK || !fall_back(run, &found)) {
                place_anew(run, &found);
            }
            if (!oh_resend_add(list, &found)) {
                return fail_without_memory(run);
            }
        } else if (is_wanted) {
            found.begin = list->commands[i].begin;
            found.end = list->commands[i].end;
            list->commands[i] = found;
            if (!take_redirect(run, &list->commands[i++])) {
                return false;
            }
        }
        at = end;
    }
    return true;
}

/* ---- The next node ---- */

static uint64_t time_left_ns(const oh_exchange *exchange)
{
    uint64_t now_ns = oh_clock_now_ns();

    uint64_t deadline_ns = exchange->terms.timeout_ms ? exchange->times.deadline_ns : UINT64_MAX;

    return deadline_ns == UINT64_MAX ? UINT64_MAX : deadline_ns > now_ns ? deadline_ns - now_ns : 0;
}

/* The text of the last reply, which is an error. */
static oh_text error_of(const oh_resent_command *resent)
{
    return oh_value_error_text(resent->reply.bytes, resent->reply.length);
}

/* Fails with the last node's error, because no node accepts the command. */
static bool give_up(
    oh_resend_run *run, const oh_resent_command *resent, const oh_redirect *redirect)
{
    oh_exchange *exchange = run->exchange;
    oh_text error = error_of(resent);
    oh_node asked = oh_topology_node(run->map->topology, resent->node);
    /* In a pipeline, other commands were executed. */
    oh_outcome outcome = run->is_alone ? OH_OUTCOME_ANSWERED : OH_OUTCOME_MAYBE_EXECUTED;

    oh_quoted name, answer;

    oh_failure_set(exchange->failure, outcome, OH_SAY_REDIRECTED, redirect->reason,
        oh_quote(&name, asked.name.bytes, asked.name.length),
        oh_quote(&answer, error.bytes, error.length));
    oh_nodes_request_refresh(run->map->known_by);
    oh_exchange_fail(exchange);
    return false;
}

static void take_newest_map(oh_resend_run *run)
{
    oh_resend_set_map(run, oh_nodes_hold_newest(run->map->known_by));
    /* Nodes keep their indexes, unless they have left. */
    for (uint32_t i = 0; i < run->list.count; i++) {
        run->list.commands[i].node = OH_MIN(run->list.commands[i].node, run->map->nodes_count - 1);
    }
}

/* A loading master refuses a whole request. Until it is ready, its fallback may answer reads. */
static bool leaves_loading(oh_resend_run *run, oh_resent_command *resent)
{
    return oh_text_begins(error_of(resent), LOADING) && !resent->fell_back &&
           oh_snapshot_has_keys(run->map, resent->node) &&
           oh_resend_may_fall_back(run->exchange, run->map, resent->node) && fall_back(run, resent);
}

static oh_redirect decide(
    const oh_resend_run *run, const oh_resent_command *resent, bool is_held, bool is_fresh)
{
    uint64_t left_ns = time_left_ns(run->exchange);
    oh_redirect_case it = {.error = error_of(resent),
        .asked = resent->node,
        .hops = resent->hops,
        .tries = resent->tries,
        .left_ms = left_ns == UINT64_MAX ? -1 : (int64_t)(left_ns / 1000000),
        .is_held = is_held,
        .is_fresh = is_fresh,
        .chance = oh_random_below(INT32_MAX)};

    return oh_redirect_decide(run->map->topology, &it);
}

/*
 * If the map does not have the node, which may be new, refreshes the map and decides again. Only in
 * this case does a call wait for a refresh.
 */
static oh_redirect decide_freshly(oh_resend_run *run, const oh_resent_command *resent)
{
    bool is_held = run->exchange->use.keeps;
    oh_redirect redirect = decide(run, resent, is_held, run->is_fresh);

    if (redirect.action == OH_REDIRECT_REFRESH) {
        oh_nodes_ask(run->map->known_by,
            run->exchange->terms.timeout_ms ? run->exchange->times.deadline_ns : UINT64_MAX);
        take_newest_map(run);
        run->is_fresh = true; /* This holds for all replies that came before the refresh. */
        redirect = decide(run, resent, is_held, true);
    }
    if (redirect.wants_refresh) {
        oh_nodes_request_refresh(run->map->known_by);
    }
    return redirect;
}

/*
 * Notes the move of a slot in the map, for the next transaction. The present transaction is not
 * forwarded.
 */
static void learn(oh_resend_run *run, const oh_resent_command *resent)
{
    oh_redirect redirect = decide(run, resent, false, false);

    if (redirect.has_moved) {
        oh_slot_move move = {
            redirect.slot, oh_topology_node(run->map->topology, redirect.node).name};

        oh_nodes_note_moves(run->map->known_by, &move, 1);
    }
}

static bool end_transaction(oh_resend_run *run, oh_resent_command *resent)
{
    const char *reply = resent->is_exec ? OH_RESP_EMPTY_LIST : OH_RESP_QUEUED;

    return oh_resend_set_reply(run, resent, (oh_bytes){(const uint8_t *)reply, strlen(reply)});
}

/* The script that a command names by its digest, if this process knows it. */
static oh_bytes script_of(const oh_resent_command *resent)
{
    size_t count;
    oh_bytes *words = oh_redirects_script ? oh_resend_read_words(resent->command, &count) : NULL;
    oh_bytes script = {NULL, 0};
    bool is_named = words && count > 1 && words[0].length >= strlen(EVALSHA) &&
                    strncasecmp((const char *)words[0].bytes, EVALSHA, strlen(EVALSHA)) == 0;

    if (is_named) {
        script = oh_redirects_script((const char *)words[1].bytes, words[1].length);
    }
    oh_call_release(words);
    return script;
}

/*
 * True if the script is sent before the command. For a single command the script is sent only after
 * the node has said that it has no such script. In a pipeline that would be too late, because other
 * commands follow.
 */
static bool brings_script(const oh_resend_run *run, oh_resent_command *resent)
{
    bool is_lost = oh_text_begins(error_of(resent), NOSCRIPT);

    if (resent->script.bytes || (!is_lost && run->is_alone)) {
        return false;
    }
    resent->script = script_of(resent);
    return is_lost && resent->script.bytes;
}

static void count_redirect(oh_resend_run *run, uint32_t node)
{
    oh_metered *metered = oh_snapshot_metered(run->map, node);

    /* In a newer map the node may have no meter yet, and there may be no memory for one. */
    if (OH_LIKELY(metered != NULL)) {
        oh_meter_count(metered->meter, OH_METER_REDIRECTS);
    }
}

/*
 * Decides what to do after the last reply. Returns false if the exchange has failed because nothing
 * can be done.
 */
static bool judge(oh_resend_run *run, oh_resent_command *resent, uint32_t *pause_ms)
{
    oh_redirect redirect = {.action = OH_REDIRECT_NONE};

    bool is_error = oh_value_begins_error(resent->reply.bytes, resent->reply.length);

    if (is_error && (brings_script(run, resent) || leaves_loading(run, resent))) {
        return true;
    }
    if (is_error) {
        redirect = decide_freshly(run, resent);
    }
    resent->is_done = redirect.action == OH_REDIRECT_NONE;
    switch (redirect.action) {
    case OH_REDIRECT_FOLLOW:
    case OH_REDIRECT_ASK:
        count_redirect(run, resent->node);
        resent->hops++;
        resent->asks = redirect.action == OH_REDIRECT_ASK;
        resent->has_moved = redirect.has_moved && redirect.slot == resent->slot;
        resent->node = redirect.node;
        return true;
    case OH_REDIRECT_AGAIN:
        resent->tries++;
        resent->asks = resent->has_moved = false;
        resent->goes_home = true;
        *pause_ms = OH_MAX(*pause_ms, redirect.wait_ms);
        return true;
    case OH_REDIRECT_NONE: return true;
    default:
        if (run->exchange->use.keeps) {
            learn(run, resent);
        }
        return give_up(run, resent, &redirect);
    }
}

/* ---- The run ---- */

/*
 * Publishes the slots that have moved, so that other calls are not redirected. This is done before
 * the commands are forwarded.
 */
static void tell_moves(oh_resend_run *run)
{
    oh_slot_move *moves = oh_call_resize(NULL, run->list.count, sizeof *moves);
    uint32_t count = 0;

    for (uint32_t i = 0; moves && i < run->list.count; i++) {
        oh_resent_command *resent = &run->list.commands[i];

        if (resent->has_moved && (count == 0 || moves[count - 1].slot != resent->slot)) {
            moves[count++] = (oh_slot_move){
                resent->slot, oh_topology_node(run->map->topology, resent->node).name};
        }
        resent->has_moved = false;
    }
    if (count > 0) {
        oh_nodes_note_moves(run->map->known_by, moves, count);
    }
    oh_call_release(moves);
}

/*
 * Takes from the newest map the nodes of the commands that have waited or whose node was replaced.
 */
static void go_home(oh_resend_run *run)
{
    take_newest_map(run);
    for (uint32_t i = 0; i < run->list.count; i++) {
        if (run->list.commands[i].goes_home) {
            run->list.commands[i].goes_home = false;
            place_anew(run, &run->list.commands[i]);
        }
    }
}

/* Waits for a newer map. When the time is over, the exchange fails as its node did. */
static bool await_failover(oh_resend_run *run)
{
    oh_exchange *exchange = run->exchange;
    uint64_t left_ns = time_left_ns(exchange);
    oh_resent_list *list = &run->list;

    oh_nodes_await_failover(
        run->map, left_ns == UINT64_MAX ? UINT64_MAX : oh_clock_now_ns() + left_ns);
    if (time_left_ns(exchange) > 0 && !oh_surroundings.is_ending()) {
        return true;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        exchange->use.was_sent |= list->commands[i].is_done; /* Another node has executed it. */
    }
    oh_exchange_fail(exchange);
    return false;
}

/* Decides where each command goes next. False if the exchange has failed. */
static bool judge_all(oh_resend_run *run, bool is_first, bool *is_done)
{
    uint32_t pause_ms = 0;

    *is_done = true;
    run->is_fresh = false;
    for (uint32_t i = 0; i < run->list.count; i++) {
        oh_resent_command *resent = &run->list.commands[i];

        if (resent->is_done && resent->is_sent && is_first) {
            learn(run, resent);
            if (!end_transaction(run, resent)) {
                return false;
            }
        }
        if (!resent->is_done && resent->is_sent && !judge(run, resent, &pause_ms)) {
            return false;
        }
        *is_done &= resent->is_done;
    }
    tell_moves(run);
    if (pause_ms) {
        oh_wait_poll(NULL, 0, (int)pause_ms);
        oh_nodes_tick(run->map->known_by);
    }
    if (run->waits && !await_failover(run)) {
        return false;
    }
    if (pause_ms || run->has_left || run->waits) {
        go_home(run);
    }
    return true;
}

void oh_redirects_follow(
    oh_redirects *redirects, oh_exchange *exchange, oh_bytes request, oh_destination to)
{
    oh_resend_run run;
    oh_snapshot *map = oh_nodes_hold_newest(redirects->map->known_by);
    uint32_t node = OH_MIN(redirects->node, map->nodes_count - 1);
    bool is_alone = oh_request_end_of_command(request.bytes, request.length, 0) == request.length;
    bool is_well = oh_resend_begin(&run, exchange, map, is_alone) || fail_without_memory(&run);
    bool is_done = false, is_first = true;

    run.list = redirects->list;
    redirects->list = (oh_resent_list){.count = 0};
    run.waits = to == OH_TO_HEIR;
    /* In a pipeline, other commands were executed. */
    exchange->use.was_sent |= to == OH_TO_NAMED && !is_alone;
    is_well = is_well && find_commands(&run, request, node, to);
    while (is_well && (is_well = judge_all(&run, is_first, &is_done)) && !is_done) {
        is_first = false;
        is_well = oh_resend_round(&run);
    }
    if (is_well) {
        oh_resend_put_in_place(&run, redirects->has_others, redirects->has_nested);
    }
    oh_resend_end(&run);
}
