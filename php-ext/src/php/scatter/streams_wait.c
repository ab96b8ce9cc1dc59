/*
 * Each blocked call has two exchanges: its own, and one that releases it with CLIENT UNBLOCK. All
 * belong to one set. The set calls look() before each wait, which checks if a call has finished and
 * releases the others.
 */
#include "php/base/zend.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/scatter/streams_wait.h"

#define OH_WAITERS_MAX (OH_EXCHANGE_SET_MAX / 2)

typedef struct oh_waiter {
    oh_node_client *node_client;
    oh_exchange release; /* CLIENT UNBLOCK, on another connection. */
    oh_failure failure;  /* The failure of the release. */
    char request[80];
} oh_waiter;

typedef struct oh_streams_wait {
    oh_client *client;
    bool is_over;
    uint32_t waiters_count;
    oh_waiter waiters[];
} oh_streams_wait;

const char *oh_streams_wait_objection(const oh_client *client, uint32_t nodes_count)
{
    if (client->snapshot->cluster) {
        return OH_REASON_STREAMS_SLOTS;
    }
    if (client->mode == OH_PIPELINE) {
        return OH_REASON_STREAMS_PIPELINE;
    }
    if (client->snapshot->pool->pool_size < 2) {
        return OH_REASON_STREAMS_POOL_SIZE;
    }
    return nodes_count > OH_WAITERS_MAX ? OH_REASON_STREAMS_NODES : NULL;
}

/* ---- The end of the wait ---- */

static oh_exchange *exchange_of(const oh_waiter *waiter)
{
    return waiter->node_client->transport ? &waiter->node_client->transport->exchange : NULL;
}

static bool is_nil(const oh_exchange *exchange)
{
    return oh_bytes_is(oh_exchange_replies(exchange), OH_RESP_NIL_LIST);
}

/* True if this node has entries, an error or a failure. The first such node ends the wait. */
static bool has_finished(const oh_waiter *waiter)
{
    const oh_exchange *exchange = exchange_of(waiter);

    if (!exchange || !oh_exchange_is_active(exchange)) {
        return !exchange || !oh_exchange_is_complete(exchange) || !is_nil(exchange);
    }
    return oh_exchange_replies(exchange).length > strlen(OH_RESP_NIL_LIST);
}

/* ---- Releasing the others ---- */

static void ask_release(oh_streams_wait *wait, oh_waiter *waiter, int64_t identity)
{
    oh_exchange *release = &waiter->release;
    const oh_call_terms terms = {.timeout_ms = wait->client->timeout_ms, .is_read_only = true};
    oh_resp_room room = {.bytes = waiter->request, .capacity = sizeof waiter->request};
    oh_resp_sink sink = oh_resp_into(&room);

    oh_resp_put_list(sink, 3);
    oh_resp_put_text(sink, "CLIENT");
    oh_resp_put_text(sink, "UNBLOCK");
    oh_resp_put_digits(sink, identity);
    oh_exchange_make(release, exchange_of(waiter)->peer, &waiter->failure);
    oh_exchange_prepare(release, &terms, exchange_of(waiter)->set);
    oh_exchange_start(release, room.bytes, room.length);
}

/*
 * Sends CLIENT UNBLOCK, again if the last answer was 0 (not blocked). A waiter whose client id is
 * unknown ends at its deadline.
 */
static void release(oh_streams_wait *wait, oh_waiter *waiter)
{
    const oh_exchange *exchange = exchange_of(waiter), *release = &waiter->release;
    oh_bytes answer = oh_exchange_replies(release);
    bool was_late = oh_exchange_is_complete(release) && oh_bytes_is(answer, OH_RESP_ZERO);

    if (!exchange || !oh_exchange_is_waiting(exchange)) {
        return;
    }
    oh_values preface = oh_exchange_preface_reply(exchange);
    int64_t identity;
    if (oh_value_take_head(&preface, OH_RESP_NUMBER, &identity) &&
        (oh_exchange_is_idle(release) || was_late)) {
        ask_release(wait, waiter, identity);
    }
}

static void look(oh_exchange_set *set)
{
    oh_streams_wait *wait = set->looker;

    for (uint32_t i = 0; !wait->is_over && i < wait->waiters_count; i++) {
        wait->is_over = has_finished(&wait->waiters[i]);
        for (uint32_t j = 0; wait->is_over && j < wait->waiters_count; j++) {
            oh_exchange *exchange = exchange_of(&wait->waiters[j]);

            if (exchange && oh_exchange_is_active(exchange)) {
                oh_exchange_end_blocking(exchange);
            }
        }
    }
    for (uint32_t i = 0; wait->is_over && i < wait->waiters_count; i++) {
        release(wait, &wait->waiters[i]);
    }
}

/* ---- The wait ---- */

static oh_streams_wait *begin(oh_client *client, oh_node_call *node_calls, uint32_t count)
{
    oh_streams_wait *wait = ecalloc(1, sizeof *wait + count * sizeof *wait->waiters);

    wait->client = client;
    wait->waiters_count = count;
    for (uint32_t i = 0; i < count; i++) {
        wait->waiters[i].node_client = node_calls[i].node_client;
        node_calls[i].terms.preface = OH_RESP_CLIENT_ID;
        oh_exchange_keep(&node_calls[i].node_client->transport->exchange);
    }
    return wait;
}

static void end(oh_streams_wait *wait)
{
    for (uint32_t i = 0; i < wait->waiters_count; i++) {
        oh_waiter *waiter = &wait->waiters[i];
        oh_exchange *exchange = exchange_of(waiter);

        oh_exchange_go_alone(&waiter->release);
        if (!EG(exception)) {
            oh_exchange_await(&waiter->release);
        }
        bool is_answered =
            oh_exchange_is_idle(&waiter->release) || oh_exchange_is_complete(&waiter->release);
        oh_exchange_end(&waiter->release);
        if (exchange) {
            oh_exchange_give_back(exchange, is_answered);
        }
    }
    efree(wait);
}

/*
 * Throws the exception of a signal handler, if there is one, as it is: it is not a node's failure.
 * Returns true if it did.
 */
static bool throw_interruption(oh_node_call *node_calls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const oh_transport *transport = node_calls[i].node_client->transport;
        zend_object *failure = node_calls[i].failure;

        if (failure && transport && oh_exchange_was_interrupted(&transport->exchange) &&
            !instanceof_function(failure->ce, oh_exception_class)) {
            GC_ADDREF(failure);
            oh_scatter_free(node_calls, count);
            oh_failure_throw(failure);
            return true;
        }
    }
    return false;
}

bool oh_streams_wait_run(oh_client *client, oh_node_call *node_calls, uint32_t count)
{
    oh_streams_wait *wait = begin(client, node_calls, count);
    bool is_done = oh_scatter_run_watched(node_calls, count, look, wait);

    end(wait);
    return is_done && !throw_interruption(node_calls, count);
}
