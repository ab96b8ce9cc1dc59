/*
 * Following redirects, in rounds. A round sends each command that has no reply yet to the node that
 * its last error names, all nodes at once, and ends when all have answered; what is redirected
 * again waits for the next round.
 *
 * Order: a command is left for the next round if one before it, of the same slot, goes to another
 * node in this one. What a transaction of the pipeline holds is not sent on: nothing of that
 * transaction was executed. The caller is told that its commands were queued and that EXEC has
 * given nothing.
 */
#include <string.h>
#include <strings.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/cluster/redirect.h"
#include "core/command/command.h"
#include "core/key/key.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/base/random.h"
#include "engine/base/wait.h"
#include "engine/redirects/redirects_internal.h"

#define NOSCRIPT "-NOSCRIPT "
#define EVALSHA "EVALSHA"

/* ---- The commands ---- */

oh_bytes (*oh_redirects_script)(const char *digest, size_t length);

/* Words of a command that wire has seen to, in memory of the call. NULL: there is none. */
static oh_bytes *read_words(const uint8_t *bytes, size_t length, size_t *count)
{
    oh_values values = oh_values_of(bytes, length);
    oh_text word;

    oh_value_take_list(&values, count);
    oh_bytes *words = oh_call_resize(NULL, *count, sizeof *words);
    for (size_t i = 0; words && i < *count; i++) {
        oh_value_take_text(&values, &word);
        words[i] = (oh_bytes){(const uint8_t *)word.bytes, word.length};
    }
    return words;
}

bool oh_redirects_find_slot(const uint8_t *bytes, size_t length, uint32_t *slot, oh_state *state)
{
    size_t count, found = 0;
    oh_bytes *words = read_words(bytes, length, &count);
    oh_key_place place;

    if (!words) {
        return false;
    }
    const oh_command *command = oh_command_find(words, count);
    *slot = OH_SLOTS_COUNT;
    *state = command ? command->state : OH_STATE_NONE;
    if (command && !oh_command_keys(command, words, count, &place, 1, &found) && found > 0) {
        *slot = oh_key_slot(words[place.place]);
    }
    oh_call_release(words);
    return true;
}

/*
 * The commands of the list, found in the request. What stands between MULTI and EXEC, or is EXEC,
 * goes nowhere. False: the exchange has failed.
 */
static bool find_commands(oh_journey *journey, oh_bytes request)
{
    const oh_redirects *redirects = journey->redirects;
    const oh_exchange *exchange = journey->exchange;
    bool is_inside = false;
    size_t at = 0;

    for (uint32_t number = 0, i = 0; i < redirects->count; number++) {
        size_t end = oh_request_end_of_command(request.bytes, request.length, at);
        bool is_wanted = number == redirects->list[i].command;
        oh_state state = OH_STATE_NONE;
        uint32_t slot = OH_SLOTS_COUNT;

        if ((is_wanted || exchange->terms.has_multi) &&
            !oh_redirects_find_slot(request.bytes + at, end - at, &slot, &state)) {
            oh_exchange_fail_without_memory(journey->exchange);
            return false;
        }
        is_inside ^= state == OH_STATE_TRANSACTION;
        if (is_wanted) {
            oh_errand *errand = &journey->errands[i++];

            errand->command = (oh_bytes){request.bytes + at, end - at};
            errand->slot = slot;
            errand->is_exec = state == OH_STATE_TRANSACTION;
            errand->is_done = !exchange->use.keeps && (is_inside || errand->is_exec);
        }
        at = end;
    }
    return true;
}

/* ---- Where next ---- */

static uint64_t time_left_ns(const oh_exchange *exchange)
{
    uint64_t now_ns = oh_clock_now_ns();

    uint64_t deadline_ns = exchange->terms.timeout_ms ? exchange->times.deadline_ns : UINT64_MAX;

    return deadline_ns == UINT64_MAX ? UINT64_MAX : deadline_ns > now_ns ? deadline_ns - now_ns : 0;
}

/* Nobody will have the command, in the words of the node that said so. */
static bool give_up(oh_journey *journey, const oh_errand *errand, const oh_redirect *redirect)
{
    oh_exchange *exchange = journey->exchange;
    const char *text = (const char *)errand->reply->bytes + 1;
    oh_node asked = oh_topology_node(journey->map->topology, errand->node);
    /* A pipeline has other commands, and those were executed. */
    oh_outcome outcome =
        journey->redirects->is_alone ? OH_OUTCOME_ANSWERED : OH_OUTCOME_MAYBE_EXECUTED;

    oh_failure_set(exchange->failure, OH_ERROR_NODE_DOWN, outcome, "try again",
        "The cluster cannot serve this now: ");
    oh_failure_append(exchange->failure, redirect->reason);
    oh_failure_append(exchange->failure, " (node ");
    oh_failure_quote(exchange->failure, asked.name.bytes, asked.name.length);
    oh_failure_append(exchange->failure, " said ");
    oh_failure_quote(exchange->failure, text, strcspn(text, "\r"));
    oh_failure_append(exchange->failure, ")");
    oh_cluster_want(journey->cluster);
    oh_exchange_fail(exchange);
    return false;
}

static void take_newest_map(oh_journey *journey)
{
    oh_snapshot *before = journey->map;

    journey->map = oh_cluster_hold_newest(journey->cluster);
    /* Nodes keep their places, but for those that are gone. */
    for (uint32_t i = 0; i < journey->count; i++) {
        journey->errands[i].node = OH_MIN(journey->errands[i].node, journey->map->nodes_count - 1);
    }
    oh_snapshot_release(before);
}

/* The node that has the slot by now. */
static void place_anew(oh_journey *journey, oh_errand *errand)
{
    if (errand->slot < OH_SLOTS_COUNT) {
        errand->node = oh_snapshot_node_of(journey->map, errand->slot);
    }
}

static oh_redirect decide(
    const oh_journey *journey, const oh_errand *errand, bool is_held, bool is_fresh)
{
    uint64_t left_ns = time_left_ns(journey->exchange);
    oh_redirect_case it = {
        .error = {(const char *)errand->reply->bytes + 1, errand->reply->length - 3},
        .asked = errand->node,
        .hops = errand->hops,
        .tries = errand->tries,
        .left_ms = left_ns == UINT64_MAX ? -1 : (int64_t)(left_ns / 1000000),
        .is_held = is_held,
        .is_fresh = is_fresh,
        .chance = oh_random_below(INT32_MAX)};

    return oh_redirect_decide(journey->map->topology, &it);
}

/*
 * A node that the map does not have may be new: then the map is asked for, the one time that a call
 * waits for it.
 */
static oh_redirect decide_freshly(oh_journey *journey, const oh_errand *errand)
{
    bool is_held = journey->exchange->use.keeps;
    oh_redirect redirect = decide(journey, errand, is_held, journey->is_fresh);

    if (redirect.action == OH_REDIRECT_REFRESH) {
        oh_cluster_ask(journey->cluster, journey->exchange->terms.timeout_ms
                                             ? journey->exchange->times.deadline_ns
                                             : UINT64_MAX);
        take_newest_map(journey);
        journey->is_fresh = true; /* For all that was answered by then. */
        redirect = decide(journey, errand, is_held, true);
    }
    if (redirect.wants_refresh) {
        oh_cluster_want(journey->cluster);
    }
    return redirect;
}

/* A transaction is not sent on, but the next one must find its way. */
static void learn(oh_journey *journey, const oh_errand *errand)
{
    oh_redirect redirect = decide(journey, errand, false, false);

    if (redirect.has_moved) {
        oh_cluster_move move = {
            redirect.slot, oh_topology_node(journey->map->topology, redirect.node).name};

        oh_cluster_note_moves(journey->cluster, &move, 1);
    }
}

static bool end_transaction(oh_journey *journey, const oh_errand *errand)
{
    const char *reply = errand->is_exec ? "*0\r\n" : "+QUEUED\r\n";

    return oh_journey_reply(
        journey, errand->reply, (oh_bytes){(const uint8_t *)reply, strlen(reply)});
}

/* The script that a command names by its digest, if this process knows it. */
static oh_bytes script_of(const oh_errand *errand)
{
    size_t count;
    oh_bytes *words = oh_redirects_script
                          ? read_words(errand->command.bytes, errand->command.length, &count)
                          : NULL;
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
 * A command alone has its script brought only if the node has lost it. In a pipeline that would be
 * too late: others follow.
 */
static bool brings_script(const oh_journey *journey, oh_errand *errand)
{
    bool is_lost = errand->reply->length > strlen(NOSCRIPT) &&
                   memcmp(errand->reply->bytes, NOSCRIPT, strlen(NOSCRIPT)) == 0;

    if (errand->script.bytes || (!is_lost && journey->redirects->is_alone)) {
        return false;
    }
    errand->script = script_of(errand);
    return is_lost && errand->script.bytes;
}

static void count_redirect(oh_journey *journey, uint32_t node)
{
    oh_meter *meter = oh_snapshot_meter(journey->map, node);

    /* In a newer map it has none yet, for which there may be no memory. */
    if (OH_LIKELY(meter != NULL)) {
        oh_meter_count(meter, OH_METER_REDIRECTS);
    }
}

/* What is to be done about the last reply. False: nothing can be, and the exchange has failed. */
static bool judge(oh_journey *journey, oh_errand *errand, uint32_t *pause_ms)
{
    oh_redirect redirect = {.action = OH_REDIRECT_NONE};

    if (errand->reply->bytes[0] == '-' && brings_script(journey, errand)) {
        return true;
    }
    if (errand->reply->bytes[0] == '-') {
        redirect = decide_freshly(journey, errand);
    }
    errand->is_done = redirect.action == OH_REDIRECT_NONE;
    switch (redirect.action) {
    case OH_REDIRECT_FOLLOW:
    case OH_REDIRECT_ASK:
        count_redirect(journey, errand->node);
        errand->hops++;
        errand->asks = redirect.action == OH_REDIRECT_ASK;
        errand->has_moved = redirect.has_moved && redirect.slot == errand->slot;
        errand->node = redirect.node;
        return true;
    case OH_REDIRECT_AGAIN:
        errand->tries++;
        errand->asks = errand->has_moved = false;
        errand->goes_home = true;
        *pause_ms = OH_MAX(*pause_ms, redirect.wait_ms);
        return true;
    case OH_REDIRECT_NONE: return true;
    default:
        if (journey->exchange->use.keeps) {
            learn(journey, errand);
        }
        return give_up(journey, errand, &redirect);
    }
}

/* ---- The journey ---- */

/*
 * Slots that have moved, as nodes have just said: told before the commands are sent on, so that
 * others need not be.
 */
static void tell_moves(oh_journey *journey)
{
    oh_cluster_move *moves = oh_call_resize(NULL, journey->count, sizeof *moves);
    uint32_t count = 0;

    for (uint32_t i = 0; moves && i < journey->count; i++) {
        oh_errand *errand = &journey->errands[i];

        if (errand->has_moved && (count == 0 || moves[count - 1].slot != errand->slot)) {
            moves[count++] = (oh_cluster_move){
                errand->slot, oh_topology_node(journey->map->topology, errand->node).name};
        }
        errand->has_moved = false;
    }
    if (count > 0) {
        oh_cluster_note_moves(journey->cluster, moves, count);
    }
    oh_call_release(moves);
}

/* False: there is no memory; the exchange has failed. */
static bool begin(
    oh_journey *journey, const oh_redirects *redirects, oh_exchange *exchange, oh_mended *replies)
{
    *journey =
        (oh_journey){.redirects = redirects, .exchange = exchange, .count = redirects->count};
    journey->cluster = redirects->map->cluster;
    journey->map = oh_cluster_hold_newest(journey->cluster);
    journey->errands = oh_call_zeroed(journey->count, sizeof *journey->errands);
    journey->going = oh_call_resize(NULL, OH_SLOTS_COUNT + 1, sizeof *journey->going);
    journey->detours = oh_call_resize(NULL, OH_FLIGHT_MEMBERS_MAX, sizeof *journey->detours);
    journey->flight = oh_call_zeroed(1, sizeof *journey->flight);
    if (!journey->errands || !journey->going || !journey->detours || !journey->flight) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    for (uint32_t i = 0; i < journey->count; i++) {
        const oh_redirected *place = &redirects->list[i];

        journey->errands[i].reply = &replies[i];
        journey->errands[i].node = OH_MIN(redirects->node, journey->map->nodes_count - 1);
        journey->errands[i].is_sent = !redirects->is_rescue;
        if (!redirects->is_rescue &&
            !oh_journey_reply(journey, &replies[i],
                (oh_bytes){exchange->replies.bytes + place->begin - exchange->replies.dropped,
                    place->end - place->begin})) {
            return false;
        }
    }
    return true;
}

static void end(oh_journey *journey)
{
    oh_call_release(journey->flight);
    oh_call_release(journey->detours);
    oh_call_release(journey->going);
    oh_call_release(journey->errands);
    oh_snapshot_release(journey->map);
}

/* Says where everything goes next. False: the exchange has failed. */
static bool judge_all(oh_journey *journey, bool is_first, bool *is_done)
{
    uint32_t pause_ms = 0;

    *is_done = true;
    journey->is_fresh = false;
    for (uint32_t i = 0; i < journey->count; i++) {
        oh_errand *errand = &journey->errands[i];

        if (errand->is_done && errand->is_sent && is_first) {
            learn(journey, errand);
            if (!end_transaction(journey, errand)) {
                return false;
            }
        }
        if (!errand->is_done && errand->is_sent && !judge(journey, errand, &pause_ms)) {
            return false;
        }
        *is_done &= errand->is_done;
    }
    tell_moves(journey);
    if (pause_ms) {
        oh_wait_poll(NULL, 0, (int)pause_ms);
        oh_cluster_tend(journey->cluster);
        take_newest_map(journey);
    }
    for (uint32_t i = 0; pause_ms && i < journey->count; i++) {
        if (journey->errands[i].goes_home) {
            journey->errands[i].goes_home = false;
            place_anew(journey, &journey->errands[i]);
        }
    }
    return true;
}

bool oh_redirects_follow(
    const oh_redirects *redirects, oh_exchange *exchange, oh_bytes request, oh_mended *replies)
{
    oh_journey journey;
    bool is_done = false, is_first = true, is_well;

    if (!begin(&journey, redirects, exchange, replies) || !find_commands(&journey, request)) {
        end(&journey);
        return false;
    }
    for (uint32_t i = 0; redirects->is_rescue && i < journey.count; i++) {
        place_anew(&journey, &journey.errands[i]);
    }
    while ((is_well = judge_all(&journey, is_first, &is_done)) && !is_done) {
        is_first = false;
        if (!(is_well = oh_journey_go_round(&journey))) {
            break;
        }
    }
    end(&journey);
    return is_well;
}
