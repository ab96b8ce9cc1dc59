/*
 * A refresh is one round of asking: chooses, asks, waits, and has the answers judged. What is
 * asked, and what an answer means, is the matter of a protocol. A refresh uses exchanges, as every
 * command does, so connections, handshake and deadlines work in the same way.
 */
#include "engine/nodes/nodes_internal.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/generated/limits.h"

#include "engine/base/environment.h"
#include "engine/base/random.h"

/* A longer reply is read only if there is enough memory. */
#define OH_LARGE_BYTES 262144
/* How long the end of a request waits for a refresh. */
#define OH_LAST_MOMENT_MS 50

/* The list of all oh_nodes with a running refresh. */
static OH_PER_THREAD oh_nodes *refreshing;

/* ---- Whom to ask ---- */

uint32_t *oh_refresh_targets(const oh_snapshot *snapshot, uint32_t *count)
{
    uint32_t *targets = oh_call_zeroed(snapshot->nodes_count, sizeof *targets);

    *count = 0;
    for (uint32_t i = 0; targets && i < snapshot->nodes_count; i++) {
        const oh_server *server = &snapshot->pool->servers[i];

        if (server->role != OH_GONE && !server->is_failing) {
            targets[(*count)++] = i;
        }
    }
    return targets;
}

void oh_refresh_put_first(uint32_t *targets, uint32_t at)
{
    uint32_t target = targets[at];

    targets[at] = targets[0];
    targets[0] = target;
}

/* Moves a random target to the front, so that hosts do not all ask the same node. */
void oh_refresh_draw(uint32_t *targets, uint32_t count)
{
    oh_refresh_put_first(targets, oh_random_below(count));
}

/* ---- Asking ---- */

/* Sends the question to a node. False if there is no memory. */
static bool ask(oh_nodes *nodes, uint32_t node, uint64_t deadline_ns)
{
    oh_refresh *refresh = nodes->refresh;
    oh_exchange *exchange = &refresh->exchanges[refresh->count];
    oh_connections *connections = oh_snapshot_connections(refresh->snapshot, node);

    if (!connections) {
        return false;
    }
    refresh->asked[refresh->count] = node;
    oh_exchange_make(exchange,
        (oh_peer){
            .connections = connections, .metered = oh_snapshot_metered(refresh->snapshot, node)},
        &refresh->failures[refresh->count]);
    refresh->deadline_ns = deadline_ns;
    /*
     * The timeout is shorter than that of calls, so that a slow answer does not count as a failure
     * of the node.
     */
    const oh_call_terms terms = {.timeout_ms = refresh->snapshot->pool->timeout_ms / 2 + 1,
        .deadline_ns = deadline_ns,
        .is_read_only = true,
        .gathers = true,
        .goes_beyond = !nodes->protocol->is_quorum}; /* No call uses connections of Sentinels. */

    oh_exchange_prepare(exchange, &terms, NULL);
    oh_exchange_start(exchange, refresh->question.bytes, refresh->question.length);
    refresh->count++;
    return true;
}

static void free_refresh(oh_refresh *refresh)
{
    oh_snapshot_release(refresh->snapshot);
    oh_snapshot_release(refresh->before);
    oh_call_release(refresh->asked);
    oh_call_release(refresh->failures);
    oh_call_release(refresh->exchanges);
    oh_buffer_free(&refresh->question);
    oh_call_release(refresh);
}

/* Begins a refresh that asks at most `most` nodes of a snapshot. NULL if there is no memory. */
static oh_refresh *begin(oh_nodes *nodes, oh_snapshot *snapshot, uint32_t most)
{
    oh_refresh *refresh = oh_call_zeroed(1, sizeof *refresh);

    if (!refresh) {
        return NULL;
    }
    refresh->snapshot = snapshot;
    refresh->snapshot->references++;
    oh_map_catch_up(nodes);
    refresh->before = nodes->map ? nodes->map : nodes->seeds;
    refresh->before->references++;
    refresh->asked = oh_call_zeroed(most, sizeof *refresh->asked);
    refresh->failures = oh_call_zeroed(most, sizeof *refresh->failures);
    refresh->exchanges = oh_call_zeroed(most, sizeof *refresh->exchanges);
    nodes->protocol->write_question(nodes, refresh);
    if (!refresh->asked || !refresh->failures || !refresh->exchanges ||
        refresh->question.is_broken) {
        free_refresh(refresh);
        return NULL;
    }
    refresh->began_ns = oh_clock_now_ns();
    nodes->refresh = refresh;
    nodes->next = refreshing;
    refreshing = nodes;
    return refresh;
}

/*
 * A target that rests fails immediately. If there are enough later ones, one of them takes its
 * place.
 */
oh_refresh *oh_refresh_ask(oh_nodes *nodes, oh_snapshot *snapshot, uint32_t *targets,
    uint32_t count, uint32_t in_order, uint32_t most, uint64_t deadline_ns)
{
    oh_refresh *refresh = begin(nodes, snapshot, most);

    for (uint32_t i = 0; refresh && i < count && refresh->count < most; i++) {
        if (i >= in_order) {
            oh_refresh_draw(targets + i, count - i);
        }
        if (!ask(nodes, targets[i], deadline_ns)) {
            break;
        }
        oh_exchange *exchange = &refresh->exchanges[refresh->count - 1];
        if (oh_exchange_has_failed(exchange) && count - i - 1 > most - refresh->count) {
            oh_exchange_end(exchange);
            memset(exchange, 0, sizeof *exchange);
            refresh->count--;
        }
    }
    return refresh;
}

/* Ends the refresh. Answers that come later do not count. */
static void end(oh_nodes *nodes)
{
    oh_refresh *refresh = nodes->refresh;
    oh_nodes **place = &refreshing;

    while (*place != nodes) {
        place = &(*place)->next;
    }
    *place = nodes->next;
    nodes->refresh = NULL;
    for (uint32_t i = 0; i < refresh->count; i++) {
        oh_exchange_end(&refresh->exchanges[i]);
    }
    free_refresh(refresh);
}

/* ---- Waiting ---- */

oh_bytes oh_refresh_answer(const oh_refresh *refresh, uint32_t index)
{
    const oh_exchange *exchange = &refresh->exchanges[index];

    return oh_exchange_is_complete(exchange) ? oh_exchange_unread(exchange) : (oh_bytes){NULL, 0};
}

/* Notes the answers that have arrived. Returns how many are still to come. */
static uint32_t note_answers(const oh_nodes *nodes)
{
    oh_refresh *refresh = nodes->refresh;
    uint32_t active = 0, answers = 0;

    for (uint32_t i = 0; i < refresh->count; i++) {
        active += oh_exchange_is_active(&refresh->exchanges[i]);
        answers += oh_exchange_is_complete(&refresh->exchanges[i]);
    }
    if (answers > 0 && !refresh->answered_ns) {
        refresh->answered_ns = oh_clock_now_ns();
        refresh->silent = active;
    }
    if (answers > refresh->answers && nodes->protocol->is_certain) {
        refresh->is_certain = nodes->protocol->is_certain(refresh);
    }
    refresh->answers = answers;
    return active;
}

/* True if there is still an answer to wait for. */
static bool goes_on(const oh_nodes *nodes)
{
    const oh_refresh *refresh = nodes->refresh;
    uint32_t active = note_answers(nodes);
    uint32_t least_ms =
        nodes->protocol->is_quorum ? refresh->silent * OH_STEP_MS_MAX : OH_REFRESH_GRACE_MS;
    uint64_t grace_ns =
        OH_MAX(refresh->answered_ns - refresh->began_ns, least_ms * UINT64_C(1000000));

    if (active == 0 || refresh->is_certain) {
        return false;
    }
    return refresh->needs_all || !refresh->answered_ns ||
           oh_clock_now_ns() < refresh->answered_ns + grace_ns;
}

/*
 * A refresh uses memory of the request in which it runs. A request with little memory left must not
 * fail because of a large reply.
 */
static bool has_memory(const oh_exchange *exchange)
{
    size_t length = oh_exchange_unread(exchange).length, capacity = oh_exchange_capacity(exchange);

    return length < capacity || length < OH_LARGE_BYTES ||
           oh_surroundings.memory_left() > 3 * capacity;
}

/* Refuses a reply that is longer than any map, without waiting for its end. */
static void refuse_long(oh_exchange *exchange)
{
    bool is_long = oh_exchange_unread(exchange).length >
                   OH_CLUSTER_REPLY_BYTES_MAX + OH_CLUSTER_INFO_BYTES_MAX;

    if (!oh_exchange_is_active(exchange) || (!is_long && has_memory(exchange))) {
        return;
    }
    if (is_long) {
        char reason[OH_CLUSTER_REASON_BYTES];

        snprintf(
            reason, sizeof reason, OH_REASON_MAP_TOO_LONG, (unsigned)OH_CLUSTER_REPLY_BYTES_MAX);
        oh_failure_set(exchange->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_MAP_REFUSED, reason);
    } else {
        oh_failure_set(exchange->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_MAP_WITHOUT_MEMORY);
    }
    oh_exchange_fail(exchange);
}

static void poll_once(oh_refresh *refresh, uint32_t milliseconds)
{
    oh_exchange *members[OH_EXCHANGE_SET_MAX];

    for (uint32_t i = 0; i < refresh->count; i++) {
        members[i] = &refresh->exchanges[i];
    }
    oh_exchange_poll_once(members, refresh->count, (int)milliseconds);
    for (uint32_t i = 0; i < refresh->count; i++) {
        refuse_long(members[i]);
    }
}

void oh_refresh_move(oh_nodes *nodes, uint32_t milliseconds)
{
    /*
     * Polls even without time to wait: answers may have arrived long ago, but after the last check.
     */
    poll_once(nodes->refresh, goes_on(nodes) ? milliseconds : 0);
    if (goes_on(nodes)) {
        return;
    }
    uint64_t again_ns = nodes->protocol->judge(nodes);

    end(nodes);
    if (OH_UNLIKELY(again_ns)) {
        nodes->protocol->begin(nodes, again_ns);
    }
}

/* ---- At the end of a request ---- */

/*
 * With Sentinels only the answers of all count here: one that answers sooner must not decide alone.
 */
void oh_nodes_finish_refreshes(void)
{
    uint64_t end_ns = refreshing ? oh_clock_now_ns() + OH_LAST_MOMENT_MS * UINT64_C(1000000) : 0;

    while (refreshing && oh_clock_now_ns() < end_ns) {
        oh_refresh_move(refreshing, OH_LAST_MOMENT_MS);
    }
    for (oh_nodes *nodes = refreshing, *next; nodes; nodes = next) {
        next = nodes->next;
        nodes->refresh->needs_all |= nodes->protocol->is_quorum;
        oh_refresh_move(nodes, 0);
    }
}

void oh_nodes_drop_refreshes(void)
{
    while (refreshing) {
        end(refreshing);
    }
}

/* ---- Without a map ---- */

/* How long the asked nodes may be silent before one more is asked. */
static uint64_t step_ns(const oh_nodes *nodes, uint32_t count)
{
    uint32_t timeout_ms = nodes->seeds->pool->timeout_ms;
    uint32_t step_ms = timeout_ms ? OH_MIN(timeout_ms / count, OH_STEP_MS_MAX) : OH_STEP_MS_MAX;

    return OH_MAX(step_ms, 1) * UINT64_C(1000000);
}

/*
 * Asks two nodes of a Redis Cluster, or all Sentinels. Asks one more whenever one has failed and,
 * until the first answer, whenever all are silent for a step.
 */
static void ask_in_steps(
    oh_nodes *nodes, const uint32_t *targets, uint32_t count, uint64_t deadline_ns)
{
    oh_refresh *refresh = nodes->refresh;
    uint32_t at_once = nodes->protocol->is_quorum ? count : OH_ASKED_MAX;
    uint64_t step = step_ns(nodes, count), next_ns = 0;

    while (refresh->count == 0 || goes_on(nodes) ||
           (!refresh->answered_ns && refresh->count < count)) {
        uint32_t active = note_answers(nodes);
        uint64_t now_ns = oh_clock_now_ns();
        bool is_left = !refresh->answered_ns && refresh->count < count;

        if (is_left && (active < at_once || now_ns >= next_ns)) {
            if (!ask(nodes, targets[refresh->count], deadline_ns)) {
                return;
            }
            next_ns = now_ns + step;
        } else {
            uint64_t left_ms = is_left ? (next_ns - now_ns) / 1000000 + 1 : OH_REFRESH_GRACE_MS;

            poll_once(refresh, (uint32_t)OH_MIN(left_ms, OH_REFRESH_GRACE_MS));
        }
    }
}

/*
 * If a node was asked again, the deadline may have cut off its second answer. Then its first
 * answer, which was wrong, says more than the latest failure.
 */
static void keep_the_clearer(oh_failure *failure, const oh_failure *latest)
{
    if (failure->kind != OH_ERROR_PROTOCOL_VIOLATION || latest->outcome == OH_OUTCOME_ANSWERED) {
        *failure = *latest;
    }
}

uint32_t oh_refresh_ask_contacts(oh_nodes *nodes, const uint32_t *targets, uint32_t count,
    uint64_t deadline_ns, oh_failure *failures)
{
    oh_refresh *refresh = begin(nodes, nodes->contacts, count);
    uint32_t asked = 0;
    bool asks_again = false;

    if (refresh) {
        refresh->is_trusting = true;
        ask_in_steps(nodes, targets, count, deadline_ns);
        asked = refresh->count;
        for (uint32_t i = 0; i < asked; i++) {
            if (oh_exchange_is_active(&refresh->exchanges[i])) {
                oh_failure_set(&refresh->failures[i], OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_MAP_LATE);
            }
        }
        asks_again = nodes->protocol->judge(nodes) != 0;
        for (uint32_t i = 0; i < asked; i++) {
            keep_the_clearer(&failures[i], &refresh->failures[i]);
        }
        end(nodes);
    }
    if (asked == 0) {
        oh_failure_set_no_memory(&failures[0], OH_OUTCOME_NOT_SENT);
    }
    return asks_again ? 0 : OH_MAX(asked, 1);
}
