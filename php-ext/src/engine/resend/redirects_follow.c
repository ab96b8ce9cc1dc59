/*
 * Follows redirects in rounds. A round sends each command without a reply to the node that its last
 * error names, to all nodes in parallel, and ends when all have answered. A command that is
 * redirected again waits for the next round.
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

#define NOSCRIPT "NOSCRIPT "
#define EVALSHA "EVALSHA"

/* ---- The commands ---- */

oh_bytes (*oh_redirects_script)(const char *digest, size_t length);

/*
 * Finds the commands of the listed replies in the request. EXEC and the commands between MULTI and
 * EXEC are not forwarded. False if the exchange has failed.
 */
static bool find_commands(oh_redirect_run *run, oh_bytes request)
{
    const oh_redirects *redirects = run->redirects;
    const oh_exchange *exchange = run->exchange;
    bool is_inside = false;
    size_t at = 0;

    for (uint32_t number = 0, i = 0; i < redirects->count; number++) {
        size_t end = oh_request_end_of_command(request.bytes, request.length, at);
        bool is_wanted = number == redirects->list[i].command;
        oh_state state = OH_STATE_NONE;
        uint32_t slot = OH_SLOTS_COUNT;

        if ((is_wanted || exchange->terms.has_multi) &&
            !oh_redirects_find_slot(request.bytes + at, end - at, &slot, &state)) {
            oh_exchange_fail_without_memory(run->exchange);
            return false;
        }
        is_inside ^= state == OH_STATE_TRANSACTION;
        if (is_wanted) {
            oh_redirected_command *redirected = &run->commands[i++];

            redirected->command = (oh_bytes){request.bytes + at, end - at};
            redirected->slot = slot;
            redirected->is_exec = state == OH_STATE_TRANSACTION;
            redirected->is_done = !exchange->use.keeps && (is_inside || redirected->is_exec);
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
static oh_text error_of(const oh_redirected_command *redirected)
{
    return oh_value_error_text(redirected->reply->bytes, redirected->reply->length);
}

/* Fails with the last node's error, because no node accepts the command. */
static bool give_up(
    oh_redirect_run *run, const oh_redirected_command *redirected, const oh_redirect *redirect)
{
    oh_exchange *exchange = run->exchange;
    oh_text error = error_of(redirected);
    oh_node asked = oh_topology_node(run->map->topology, redirected->node);
    /* In a pipeline, other commands were executed. */
    oh_outcome outcome = run->redirects->is_alone ? OH_OUTCOME_ANSWERED : OH_OUTCOME_MAYBE_EXECUTED;

    oh_quoted name, answer;

    oh_failure_set(exchange->failure, outcome, OH_SAY_REDIRECTED, redirect->reason,
        oh_quote(&name, asked.name.bytes, asked.name.length),
        oh_quote(&answer, error.bytes, error.length));
    oh_nodes_request_refresh(run->nodes);
    oh_exchange_fail(exchange);
    return false;
}

static void take_newest_map(oh_redirect_run *run)
{
    oh_snapshot *before = run->map;

    run->map = oh_nodes_hold_newest(run->nodes);
    /* Nodes keep their indexes, unless they have left. */
    for (uint32_t i = 0; i < run->count; i++) {
        run->commands[i].node = OH_MIN(run->commands[i].node, run->map->nodes_count - 1);
    }
    oh_snapshot_release(before);
}

/* Looks up the node that has the slot now. */
static void place_anew(oh_redirect_run *run, oh_redirected_command *redirected)
{
    if (redirected->slot < OH_SLOTS_COUNT) {
        redirected->node = oh_snapshot_node_of(run->map, redirected->slot);
    }
}

static oh_redirect decide(const oh_redirect_run *run, const oh_redirected_command *redirected,
    bool is_held, bool is_fresh)
{
    uint64_t left_ns = time_left_ns(run->exchange);
    oh_redirect_case it = {.error = error_of(redirected),
        .asked = redirected->node,
        .hops = redirected->hops,
        .tries = redirected->tries,
        .left_ms = left_ns == UINT64_MAX ? -1 : (int64_t)(left_ns / 1000000),
        .is_held = is_held,
        .is_fresh = is_fresh,
        .chance = oh_random_below(INT32_MAX)};

    return oh_redirect_decide(run->map->topology, &it);
}

/*
 * Decides again after a refresh if the map does not have the node, which may be new. Only in this
 * case does a call wait for a refresh.
 */
static oh_redirect decide_freshly(oh_redirect_run *run, const oh_redirected_command *redirected)
{
    bool is_held = run->exchange->use.keeps;
    oh_redirect redirect = decide(run, redirected, is_held, run->is_fresh);

    if (redirect.action == OH_REDIRECT_REFRESH) {
        oh_nodes_ask(run->nodes,
            run->exchange->terms.timeout_ms ? run->exchange->times.deadline_ns : UINT64_MAX);
        take_newest_map(run);
        run->is_fresh = true; /* This holds for all replies that came before the refresh. */
        redirect = decide(run, redirected, is_held, true);
    }
    if (redirect.wants_refresh) {
        oh_nodes_request_refresh(run->nodes);
    }
    return redirect;
}

/* Notes the move of a slot in the map for the next transaction; this one is not forwarded. */
static void learn(oh_redirect_run *run, const oh_redirected_command *redirected)
{
    oh_redirect redirect = decide(run, redirected, false, false);

    if (redirect.has_moved) {
        oh_slot_move move = {
            redirect.slot, oh_topology_node(run->map->topology, redirect.node).name};

        oh_nodes_note_moves(run->nodes, &move, 1);
    }
}

static bool end_transaction(oh_redirect_run *run, const oh_redirected_command *redirected)
{
    const char *reply = redirected->is_exec ? OH_RESP_EMPTY_LIST : OH_RESP_QUEUED;

    return oh_redirect_run_reply(
        run, redirected->reply, (oh_bytes){(const uint8_t *)reply, strlen(reply)});
}

/* The script that a command names by its digest, if this process knows it. */
static oh_bytes script_of(const oh_redirected_command *redirected)
{
    size_t count;
    oh_bytes *words =
        oh_redirects_script ? oh_redirects_read_words(redirected->command, &count) : NULL;
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
 * True if the script is sent before the command. For a single command it is sent only if the node
 * has lost it. In a pipeline that would be too late, because other commands follow.
 */
static bool brings_script(const oh_redirect_run *run, oh_redirected_command *redirected)
{
    bool is_lost = oh_text_begins(error_of(redirected), NOSCRIPT);

    if (redirected->script.bytes || (!is_lost && run->redirects->is_alone)) {
        return false;
    }
    redirected->script = script_of(redirected);
    return is_lost && redirected->script.bytes;
}

static void count_redirect(oh_redirect_run *run, uint32_t node)
{
    oh_meter *meter = oh_snapshot_meter(run->map, node);

    /* In a newer map the node may have no meter yet, and there may be no memory for one. */
    if (OH_LIKELY(meter != NULL)) {
        oh_meter_count(meter, OH_METER_REDIRECTS);
    }
}

/*
 * Decides what to do after the last reply. Returns false if the exchange has failed because nothing
 * can be done.
 */
static bool judge(oh_redirect_run *run, oh_redirected_command *redirected, uint32_t *pause_ms)
{
    oh_redirect redirect = {.action = OH_REDIRECT_NONE};

    bool is_error = oh_value_begins_error(redirected->reply->bytes, redirected->reply->length);

    if (is_error && brings_script(run, redirected)) {
        return true;
    }
    if (is_error) {
        redirect = decide_freshly(run, redirected);
    }
    redirected->is_done = redirect.action == OH_REDIRECT_NONE;
    switch (redirect.action) {
    case OH_REDIRECT_FOLLOW:
    case OH_REDIRECT_ASK:
        count_redirect(run, redirected->node);
        redirected->hops++;
        redirected->asks = redirect.action == OH_REDIRECT_ASK;
        redirected->has_moved = redirect.has_moved && redirect.slot == redirected->slot;
        redirected->node = redirect.node;
        return true;
    case OH_REDIRECT_AGAIN:
        redirected->tries++;
        redirected->asks = redirected->has_moved = false;
        redirected->goes_home = true;
        *pause_ms = OH_MAX(*pause_ms, redirect.wait_ms);
        return true;
    case OH_REDIRECT_NONE: return true;
    default:
        if (run->exchange->use.keeps) {
            learn(run, redirected);
        }
        return give_up(run, redirected, &redirect);
    }
}

/* ---- The run ---- */

/*
 * Publishes the slots that have moved before the commands are forwarded, so that other calls are
 * not redirected.
 */
static void tell_moves(oh_redirect_run *run)
{
    oh_slot_move *moves = oh_call_resize(NULL, run->count, sizeof *moves);
    uint32_t count = 0;

    for (uint32_t i = 0; moves && i < run->count; i++) {
        oh_redirected_command *redirected = &run->commands[i];

        if (redirected->has_moved && (count == 0 || moves[count - 1].slot != redirected->slot)) {
            moves[count++] = (oh_slot_move){
                redirected->slot, oh_topology_node(run->map->topology, redirected->node).name};
        }
        redirected->has_moved = false;
    }
    if (count > 0) {
        oh_nodes_note_moves(run->nodes, moves, count);
    }
    oh_call_release(moves);
}

/* Starts the run. If there is no memory, fails the exchange and returns false. */
static bool begin(oh_redirect_run *run, const oh_redirects *redirects, oh_exchange *exchange,
    oh_replacement *replies)
{
    *run =
        (oh_redirect_run){.redirects = redirects, .exchange = exchange, .count = redirects->count};
    run->wait_end_ns = oh_redirects_wait_end(exchange, redirects->is_alone);
    run->nodes = redirects->map->known_by;
    run->map = oh_nodes_hold_newest(run->nodes);
    run->commands = oh_call_zeroed(run->count, sizeof *run->commands);
    run->going = oh_call_resize(NULL, OH_SLOTS_COUNT + 1, sizeof *run->going);
    run->requests = oh_call_resize(NULL, OH_EXCHANGE_SET_MAX, sizeof *run->requests);
    run->set = oh_call_zeroed(1, sizeof *run->set);
    if (!run->commands || !run->going || !run->requests || !run->set) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    for (uint32_t i = 0; i < run->count; i++) {
        const oh_redirect_reply *reply = &redirects->list[i];

        run->commands[i].reply = &replies[i];
        run->commands[i].node = OH_MIN(redirects->node, run->map->nodes_count - 1);
        run->commands[i].is_sent = !redirects->is_rescue;
        if (!redirects->is_rescue &&
            !oh_redirect_run_reply(run, &replies[i],
                (oh_bytes){exchange->replies.bytes + reply->begin - exchange->replies.dropped,
                    reply->end - reply->begin})) {
            return false;
        }
    }
    return true;
}

static void end(oh_redirect_run *run)
{
    oh_call_release(run->set);
    oh_call_release(run->requests);
    oh_call_release(run->going);
    oh_call_release(run->commands);
    oh_snapshot_release(run->map);
}

/* Finds the nodes of those that have waited, or whose node was replaced, by the newest map. */
static void go_home(oh_redirect_run *run)
{
    take_newest_map(run);
    for (uint32_t i = 0; i < run->count; i++) {
        if (run->commands[i].goes_home) {
            run->commands[i].goes_home = false;
            place_anew(run, &run->commands[i]);
        }
    }
}

/* Decides where each command goes next. False if the exchange has failed. */
static bool judge_all(oh_redirect_run *run, bool is_first, bool *is_done)
{
    uint32_t pause_ms = 0;

    *is_done = true;
    run->is_fresh = false;
    for (uint32_t i = 0; i < run->count; i++) {
        oh_redirected_command *redirected = &run->commands[i];

        if (redirected->is_done && redirected->is_sent && is_first) {
            learn(run, redirected);
            if (!end_transaction(run, redirected)) {
                return false;
            }
        }
        if (!redirected->is_done && redirected->is_sent && !judge(run, redirected, &pause_ms)) {
            return false;
        }
        *is_done &= redirected->is_done;
    }
    tell_moves(run);
    if (pause_ms) {
        oh_wait_poll(NULL, 0, (int)pause_ms);
        oh_nodes_tick(run->nodes);
    }
    if (pause_ms || run->has_left) {
        go_home(run);
    }
    return true;
}

bool oh_redirects_follow(
    const oh_redirects *redirects, oh_exchange *exchange, oh_bytes request, oh_replacement *replies)
{
    oh_redirect_run run;
    bool is_done = false, is_first = true, is_well;

    if (!begin(&run, redirects, exchange, replies) || !find_commands(&run, request)) {
        end(&run);
        return false;
    }
    for (uint32_t i = 0; redirects->is_rescue && i < run.count; i++) {
        place_anew(&run, &run.commands[i]);
    }
    while ((is_well = judge_all(&run, is_first, &is_done)) && !is_done) {
        uint64_t before_ns = oh_clock_now_ns();

        is_first = false;
        if (!(is_well = oh_redirect_run_round(&run))) {
            break;
        }
        oh_redirects_extend(exchange, before_ns);
    }
    end(&run);
    return is_well;
}
