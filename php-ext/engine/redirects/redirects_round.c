/*
 * A round: every command that is on its way is sent to the node that was decided for it, all nodes
 * at once, and each has a new reply when all have answered.
 *
 * A command is left for the next round if one before it, of the same slot, goes to another node in
 * this one.
 */
#include <string.h>

#include "engine/base/environment.h"
#include "engine/redirects/redirects_internal.h"

#define OH_NOWHERE UINT32_MAX
#define OH_WAITS                                                                                   \
    (UINT32_MAX - 1) /* A command of that slot waits for the next round: so do those behind it. */
#define SCRIPT_LOAD "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n"
#define ASKING "*1\r\n$6\r\nASKING\r\n"

/* ---- Loading ---- */

static oh_detour *detour_to(oh_journey *journey, uint32_t node)
{
    for (uint32_t i = 0; i < journey->detours_count; i++) {
        if (journey->detours[i].node == node) {
            return &journey->detours[i];
        }
    }
    if (journey->detours_count == OH_FLIGHT_MEMBERS_MAX) {
        return NULL;
    }
    oh_detour *detour = &journey->detours[journey->detours_count++];
    memset(detour, 0, sizeof *detour);
    detour->node = node;
    return detour;
}

/* Puts a command into the round, unless it must wait for one before it. */
static void load(oh_journey *journey, oh_errand *errand)
{
    uint32_t *going = &journey->going[errand->slot];
    oh_detour *detour =
        *going == OH_NOWHERE || *going == errand->node ? detour_to(journey, errand->node) : NULL;

    errand->is_sent = detour != NULL;
    *going = detour ? errand->node : OH_WAITS;
    if (!detour) {
        return;
    }
    if (errand->script.bytes) {
        oh_buffer_print(&detour->request, SCRIPT_LOAD "$%zu\r\n", errand->script.length);
        oh_buffer_append(&detour->request, errand->script.bytes, errand->script.length);
        oh_buffer_append_text(&detour->request, "\r\n");
    }
    if (errand->asks) {
        oh_buffer_append_text(&detour->request, ASKING);
    }
    oh_buffer_append(&detour->request, errand->command.bytes, errand->command.length);
}

/* False: there is no memory; the exchange has failed. */
static bool load_all(oh_journey *journey)
{
    bool is_broken = false;

    memset(journey->going, 0xff, (OH_SLOTS_COUNT + 1) * sizeof *journey->going);
    journey->detours_count = 0;
    for (uint32_t i = 0; i < journey->count; i++) {
        if (!journey->errands[i].is_done) {
            load(journey, &journey->errands[i]);
        }
    }
    for (uint32_t i = 0; i < journey->detours_count; i++) {
        is_broken |= journey->detours[i].request.is_broken;
    }
    if (is_broken) {
        oh_exchange_fail_without_memory(journey->exchange);
    }
    return !is_broken;
}

/* ---- Sending ---- */

static void send_all(oh_journey *journey)
{
    const oh_exchange *from = journey->exchange;
    const oh_call_terms terms = {.timeout_ms = from->terms.timeout_ms,
        .wait_ms = journey->redirects->wait_ms,
        .deadline_ns = from->times.deadline_ns,
        .is_read_only = from->terms.is_read_only,
        .never_repeats = from->terms.never_repeats,
        .gathers = true};

    journey->flight->members_count = 0;
    for (uint32_t i = 0; i < journey->detours_count; i++) {
        oh_detour *detour = &journey->detours[i];
        oh_peer peer = {.connections = oh_snapshot_connections(journey->map, detour->node),
            .meter = oh_snapshot_meter(journey->map, detour->node)};

        oh_exchange_make(&detour->exchange, peer, &detour->failure);
        oh_exchange_prepare(&detour->exchange, &terms, journey->flight);
        oh_exchange_start(&detour->exchange, detour->request.bytes, detour->request.length);
    }
    for (uint32_t i = 0; i < journey->detours_count; i++) {
        oh_exchange_await(&journey->detours[i].exchange);
    }
}

bool oh_journey_reply(oh_journey *journey, oh_mended *reply, oh_bytes bytes)
{
    uint8_t *copy = oh_call_allocate(bytes.length + 1);

    if (!copy) {
        oh_exchange_fail_without_memory(journey->exchange);
        return false;
    }
    memcpy(copy, bytes.bytes, bytes.length);
    copy[bytes.length] = '\0';
    oh_call_release(reply->bytes);
    *reply = (oh_mended){copy, bytes.length};
    return true;
}

/* What went wrong on the way to another node, told as the failure of the exchange. */
static bool fail_detour(oh_journey *journey, const oh_detour *detour)
{
    oh_exchange *exchange = journey->exchange;
    oh_node node = oh_topology_node(journey->map->topology, detour->node);

    bool may_have_executed =
        detour->failure.outcome != OH_OUTCOME_NOT_SENT || !journey->redirects->is_alone;

    oh_failure_set(exchange->failure, detour->failure.kind,
        may_have_executed ? OH_OUTCOME_MAYBE_EXECUTED : OH_OUTCOME_NOT_SENT, detour->failure.advice,
        "Sent on to ");
    oh_failure_quote(exchange->failure, node.name.bytes, node.name.length);
    oh_failure_append(exchange->failure, ": ");
    oh_failure_quote(exchange->failure, detour->failure.what, strlen(detour->failure.what));
    oh_cluster_want(journey->cluster);
    oh_exchange_fail_like(exchange, &detour->exchange);
    return false;
}

static bool unload_all(oh_journey *journey)
{
    for (uint32_t i = 0; i < journey->detours_count; i++) {
        if (!oh_exchange_is_complete(&journey->detours[i].exchange)) {
            return fail_detour(journey, &journey->detours[i]);
        }
    }
    for (uint32_t i = 0; i < journey->count; i++) {
        oh_errand *errand = &journey->errands[i];

        if (errand->is_done || !errand->is_sent) {
            continue;
        }
        oh_exchange *exchange = &detour_to(journey, errand->node)->exchange;
        for (int unseen = errand->asks + (errand->script.bytes != NULL); unseen > 0; unseen--) {
            oh_exchange_take_reply(exchange);
        }
        if (!oh_journey_reply(journey, errand->reply, oh_exchange_take_reply(exchange))) {
            return false;
        }
    }
    return true;
}

bool oh_journey_go_round(oh_journey *journey)
{
    bool is_done = load_all(journey);

    if (is_done) {
        send_all(journey);
        is_done = unload_all(journey);
    }
    for (uint32_t i = 0; i < journey->detours_count; i++) {
        oh_exchange_end(&journey->detours[i].exchange);
        oh_buffer_free(&journey->detours[i].request);
    }
    return is_done;
}
