/*
 * phpredis' exec() writes what was queued and reads all replies: so a pipeline is one share of a
 * scatter.
 */
#include "php_onehop.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/scatter/pipes.h"

/* ---- Filling ---- */

static void keep(oh_pipes *pipes, oh_lane *lane)
{
    if (pipes->count == pipes->capacity) {
        pipes->capacity = pipes->capacity ? pipes->capacity * 2 : 16;
        pipes->lanes = safe_erealloc(pipes->lanes, pipes->capacity, sizeof *pipes->lanes, 0);
    }
    pipes->lanes[pipes->count++] = lane;
}

oh_lane *oh_pipes_open(oh_pipes *pipes, oh_client *client, uint32_t node)
{
    oh_lane *lane = oh_lane_take(client, node);

    if (!lane) {
        return NULL;
    }
    if (oh_lane_tell(lane, "pipeline") != IS_OBJECT) {
        if (!EG(exception)) {
            zend_throw_error(NULL, "phpredis could not begin a pipeline");
        }
        return NULL;
    }
    lane->queue = (oh_lane_queue){.pipes = pipes, .terms.is_read_only = true};
    lane->is_reserved = true;
    keep(pipes, lane);
    return lane;
}

oh_lane *oh_pipes_queue(oh_pipes *pipes, oh_client *client, uint32_t node, zend_function *function,
    bool is_read_only, uint32_t count, zval *arguments)
{
    oh_lane *lane = oh_pipes_lane(pipes, client, node);
    zval answer;

    if (!lane) {
        return NULL;
    }
    ZVAL_UNDEF(&answer);
    oh_lane_hold(lane);
    oh_lane_call(lane, function, count, arguments, &answer);
    bool is_queued = oh_pipes_took(lane, is_read_only, &answer);
    oh_lane_let_go(lane);
    if (!is_queued) {
        zval_ptr_dtor(&answer);
    }
    return is_queued ? lane : NULL;
}

/* ---- Leaving ---- */

/* phpredis forgets what it has queued on a lane. */
static void leave(oh_lane *lane)
{
    /*
     * At the very end of a request nothing can be called any more, and phpredis' memory goes with
     * the request.
     */
    if (lane->redis && EG(active)) {
        oh_lane_tell(lane, "discard");
    }
    oh_lane_forget_queue(lane);
    lane->is_reserved = false;
}

void oh_pipes_drop(oh_pipes *pipes)
{
    zend_object *pending = EG(exception);
    const zend_op *opline = EG(opline_before_exception);

    /* Zend calls nothing while an exception is pending, and discard() must be called. */
    EG(exception) = NULL;
    for (uint32_t i = 0; i < pipes->count; i++) {
        leave(pipes->lanes[i]);
    }
    if (pending) {
        zend_clear_exception();
        EG(exception) = pending;
        EG(opline_before_exception) = opline;
    }
    oh_pipes_free(pipes);
}

void oh_pipes_free(oh_pipes *pipes)
{
    if (pipes->lanes) {
        efree(pipes->lanes);
    }
    *pipes = (oh_pipes){.lanes = NULL};
}

void oh_pipes_close(oh_pipes *pipes)
{
    uint32_t chosen = 0;

    for (uint32_t i = 0; i < pipes->count; i++) {
        oh_lane *lane = pipes->lanes[i];

        if (lane->queue.count) {
            pipes->lanes[chosen++] = lane;
            lane->queue.pipes = NULL;
            lane->is_reserved = false;
        } else {
            leave(lane);
        }
    }
    pipes->count = chosen;
}

/* ---- Sending ---- */

/* Such a node executes nothing of it; and phpredis gives no, or other, replies. */
void oh_pipes_refused(oh_failure *failure)
{
    oh_failure_set(failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_ANSWERED,
        "nothing of the transaction was executed, but all else was: ask getLastError()",
        "The node refused a transaction of the pipeline");
}

/* phpredis gives one reply per command. Should it not, nobody can say which is whose. */
static void check_count(oh_client *client, oh_share *share)
{
    bool is_list = Z_TYPE(share->reply) == IS_ARRAY;
    uint32_t count = is_list ? zend_hash_num_elements(Z_ARRVAL(share->reply)) : 0;
    const oh_transport *transport = share->lane->transport;
    oh_failure failure;

    if (share->failure || (is_list && count == share->expected)) {
        return;
    }
    oh_node node = oh_topology_node(client->snapshot->topology, share->lane->node);
    if (!is_list && transport && oh_exchange_has_refusal(&transport->exchange)) {
        oh_pipes_refused(&failure);
    } else {
        oh_failure_set(&failure, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_ANSWERED,
            "report this as a bug", "phpredis gave %u replies for %u commands", (unsigned)count,
            (unsigned)share->expected);
    }
    share->failure =
        oh_failure_exception(&failure, &node, client->snapshot->pool->name.bytes, NULL);
}

static oh_hand *pick_up(oh_client *client, oh_share *shares, uint32_t count)
{
    oh_hand *hands = ecalloc(client->snapshot->nodes_count, sizeof *hands);

    for (uint32_t i = 0; i < count; i++) {
        oh_hand *hand = &hands[shares[i].lane->node];

        check_count(client, &shares[i]);
        hand->lane = shares[i].lane;
        hand->failure = shares[i].failure;
        hand->replies = hand->failure ? NULL : Z_ARRVAL(shares[i].reply);
    }
    return hands;
}

oh_hand *oh_pipes_exec(oh_pipes *pipes, oh_client *client, oh_share *shares)
{
    for (uint32_t i = 0; i < pipes->count; i++) {
        oh_lane *lane = pipes->lanes[i];

        shares[i] = (oh_share){
            .lane = lane, .function = oh_phpredis_method("exec"), .expected = lane->queue.count};
        shares[i].terms = oh_lane_take_queue(lane);
    }
    return oh_scatter_run(shares, pipes->count) ? pick_up(client, shares, pipes->count) : NULL;
}
