/*
 * One round of commands to several nodes. Each node gets one write, and the round waits for all
 * nodes together.
 */
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/moving/moving_internal.h"

static oh_round_request *find(const oh_round *round, uint32_t node)
{
    for (uint32_t i = 0; i < round->requests_count; i++) {
        if (round->requests[i]->node == node) {
            return round->requests[i];
        }
    }
    return NULL;
}

/*
 * Connections are leased in the order of the nodes, as everywhere. Otherwise two callers might wait
 * for each other's connections.
 */
static void put_in_order(oh_round *round, oh_round_request *request)
{
    uint32_t at = round->requests_count++;

    for (; at > 0 && round->requests[at - 1]->node > request->node; at--) {
        round->requests[at] = round->requests[at - 1];
    }
    round->requests[at] = request;
}

oh_buffer *oh_round_to(oh_round *round, uint32_t node)
{
    oh_round_request *request = find(round, node);

    if (request) {
        return &request->bytes;
    }
    if (round->requests_count == OH_EXCHANGE_SET_MAX) {
        return NULL;
    }
    request = oh_call_zeroed(1, sizeof *request);
    if (!request) {
        round->is_broken = true;
        return NULL;
    }
    request->node = node;
    put_in_order(round, request);
    return &request->bytes;
}

/*
 * The rest of the call's time. If a node gets less than the whole timeout, its silence is not
 * reported as a failure of the node.
 */
static uint32_t timeout_ms(const oh_exchange *from)
{
    uint64_t now_ns = oh_clock_now_ns(), deadline_ns = from->times.deadline_ns;
    uint64_t left_ms = deadline_ns > now_ns ? (deadline_ns - now_ns) / 1000000 : 0;

    return from->terms.timeout_ms ? (uint32_t)OH_MAX(left_ms, 1) : 0;
}

/*
 * Other exchanges of the call may hold the connections of this node and wait for this round. So
 * this request does not wait for a connection. The other exchanges go on meanwhile.
 */
static void start(oh_round *round, oh_round_request *request, bool is_read_only)
{
    oh_exchange *from = round->from;
    const oh_call_terms terms = {.timeout_ms = timeout_ms(from),
        .deadline_ns = from->times.deadline_ns,
        .is_read_only = is_read_only,
        .never_repeats = from->terms.never_repeats,
        .gathers = true,
        .goes_beyond = from->set || from->use.keeps};
    oh_peer peer = {.connections = oh_snapshot_connections(round->snapshot, request->node),
        .metered = oh_snapshot_metered(round->snapshot, request->node),
        .is_of_plain_pool = true,
        .database = from->peer.database};

    oh_exchange_make(&request->exchange, peer, &request->failure);
    oh_exchange_prepare(&request->exchange, &terms, from->set ? from->set : &round->own_set);
    oh_exchange_start(&request->exchange, request->bytes.bytes, request->bytes.length);
}

bool oh_round_run(oh_round *round, bool is_read_only)
{
    for (uint32_t i = 0; i < round->requests_count; i++) {
        round->is_broken |= round->requests[i]->bytes.is_broken;
    }
    if (round->is_broken) {
        return false;
    }
    round->own_set = (oh_exchange_set){.members_count = 0};
    for (uint32_t i = 0; i < round->requests_count; i++) {
        start(round, round->requests[i], is_read_only);
    }
    for (uint32_t i = 0; i < round->requests_count; i++) {
        oh_exchange_await(&round->requests[i]->exchange);
    }
    return true;
}

oh_bytes oh_round_take(oh_round *round, uint32_t node, const oh_round_request **failed)
{
    oh_round_request *request = find(round, node);

    if (!oh_exchange_is_complete(&request->exchange)) {
        *failed = request;
        return (oh_bytes){NULL, 0};
    }
    return oh_exchange_take_reply(&request->exchange);
}

void oh_round_end(oh_round *round)
{
    for (uint32_t i = 0; i < round->requests_count; i++) {
        oh_round_request *request = round->requests[i];

        oh_exchange_end(&request->exchange);
        oh_buffer_free(&request->bytes);
        oh_call_release(request);
    }
    round->requests_count = 0;
}

void oh_round_tell(
    const oh_round *round, const oh_round_request *failed, oh_outcome outcome, oh_failure *failure)
{
    oh_node node = oh_topology_node(round->snapshot->topology, failed->node);
    oh_quoted name;

    oh_failure_set(failure, outcome, failed->failure.kind, failed->failure.advice,
        OH_WHAT_OLD_OWNER_FAILED, oh_quote_name(&name, node.name.bytes, node.name.length),
        failed->failure.what);
    failure->other_node = failed->node + 1;
}
