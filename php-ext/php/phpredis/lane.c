/*
 * How phpredis is called. The usual call borrows the frame of the method the script called: `this`
 * and the function are exchanged for those of the lane's \Redis, phpredis' C function runs in it,
 * and both are put back. So a routed command costs no second frame and no copy of its arguments.
 */
#include "php_onehop.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/phpredis/lane.h"
#include "engine/base/log.h"
#include "engine/redirects/redirects.h"

/* ---- Opening ---- */

static bool call_checked(oh_lane *lane, const char *method, uint32_t count, zval *arguments)
{
    zval result;

    ZVAL_UNDEF(&result);
    oh_lane_call(lane, oh_phpredis_method(method), count, arguments, &result);
    bool is_true = Z_TYPE(result) == IS_TRUE;
    zval_ptr_dtor(&result);
    return is_true && !EG(exception);
}

static bool set_option(oh_lane *lane, zend_long option, const zval *value)
{
    zval arguments[2];

    ZVAL_LONG(&arguments[0], option);
    ZVAL_COPY_VALUE(&arguments[1], value);
    return call_checked(lane, "setoption", 2, arguments);
}

/*
 * phpredis must never connect, sleep or repeat by itself: that is decided by exchange, within the
 * deadline.
 */
static bool set_options(oh_lane *lane)
{
    zend_long max_retries = oh_phpredis_constant("OPT_MAX_RETRIES");
    zval zero, *setting;

    if (lane->client->options) {
        ZEND_HASH_FOREACH_VAL(lane->client->options, setting)
        {
            zval *option = zend_hash_index_find(Z_ARRVAL_P(setting), 0);
            zval *value = zend_hash_index_find(Z_ARRVAL_P(setting), 1);

            if (!set_option(lane, Z_LVAL_P(option), value)) {
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    ZVAL_LONG(&zero, 0);
    return max_retries < 0 || set_option(lane, max_retries, &zero);
}

static oh_peer peer_of(const oh_lane *lane, oh_snapshot *snapshot)
{
    return (oh_peer){.connections = oh_snapshot_connections(snapshot, lane->node),
        .meter = oh_snapshot_meter(snapshot, lane->node),
        .is_of_plain_pool = !snapshot->cluster,
        .compares_reads = snapshot->pool->read_from == OH_READ_LOWEST_LATENCY};
}

/* Its exchange is with the node. */
static void take_transport(oh_lane *lane, oh_transport *transport)
{
    oh_exchange *exchange = &transport->exchange;
    oh_snapshot *snapshot = lane->client->snapshot;

    lane->transport = transport;
    oh_exchange_make(exchange, peer_of(lane, snapshot), &lane->failure);
    lane->redirects =
        snapshot->cluster ? oh_redirects_attach(exchange, snapshot, lane->node) : NULL;
}

static bool connect_to_stream(oh_lane *lane)
{
    zval host;

    ZVAL_STR(&host, strpprintf(0, "onehop://node-%u", lane->node));
    oh_transport_expect(&lane->owner);
    bool is_connected = call_checked(lane, "connect", 1, &host);
    oh_transport *transport = oh_transport_expect(NULL);
    zval_ptr_dtor(&host);
    if (transport) {
        take_transport(lane, transport);
    }
    return is_connected && transport;
}

static void meet_end(oh_transport_owner *owner)
{
    ((oh_lane *)owner)->is_spent = true;
}

static void lose_transport(oh_transport_owner *owner)
{
    oh_lane *lane = (oh_lane *)owner;

    lane->has_failed = oh_lane_has_failed(lane);
    lane->is_spent = true;
    lane->transport = NULL;
}

void oh_lane_forget_queue(oh_lane *lane)
{
    oh_discards_drop(&lane->queue.terms.discards);
    lane->queue = (oh_lane_queue){.pipes = NULL};
}

oh_call_terms oh_lane_take_queue(oh_lane *lane)
{
    oh_call_terms terms = lane->queue.terms;

    lane->queue = (oh_lane_queue){.pipes = NULL};
    return terms;
}

static void drop_redis(oh_lane *lane)
{
    zend_object *redis = lane->redis;

    lane->redis = NULL;
    oh_lane_forget_queue(lane);
    lane->is_spent = false;
    if (lane->transport) {
        oh_transport_detach(lane->transport);
        lane->transport = NULL;
    }
    if (redis) {
        OBJ_RELEASE(redis);
    }
}

static bool connect_lane(oh_lane *lane)
{
    oh_snapshot *snapshot = lane->client->snapshot;
    zval redis;

    if (!oh_snapshot_connections(snapshot, lane->node)) {
        oh_failure_set_no_memory(&lane->failure, OH_OUTCOME_NOT_SENT);
        oh_failure_throw(
            oh_failure_exception(&lane->failure, NULL, snapshot->pool->name.bytes, NULL));
        return false;
    }
    if (object_init_ex(&redis, oh_phpredis_class) == FAILURE) {
        return false;
    }
    lane->redis = Z_OBJ(redis);
    lane->client->is_closed = false;
    if (connect_to_stream(lane) && set_options(lane)) {
        return true;
    }
    drop_redis(lane);
    if (!EG(exception)) {
        zend_throw_error(NULL, "OneHop could not prepare an object of phpredis");
    }
    return false;
}

static oh_lane *new_lane(oh_client *client, uint32_t node)
{
    oh_lane *lane = ecalloc(1, sizeof *lane);

    lane->owner = (oh_transport_owner){meet_end, lose_transport};
    lane->client = client;
    lane->node = node;
    return lane;
}

oh_lane *oh_lane_open(oh_client *client, uint32_t node)
{
    oh_lane *lane = new_lane(client, node);

    if (!connect_lane(lane)) {
        efree(lane);
        return NULL;
    }
    return lane;
}

oh_lane *oh_lane_take(oh_client *client, uint32_t node)
{
    oh_lane **place = &client->lanes[node];

    while (*place && ((*place)->is_busy || (*place)->is_reserved)) {
        place = &(*place)->spare;
    }
    if (UNEXPECTED(!*place)) {
        *place = new_lane(client, node);
    }
    oh_lane *lane = *place;
    if (UNEXPECTED(lane->is_spent)) {
        drop_redis(lane);
    }
    if (UNEXPECTED(!lane->redis) && !connect_lane(lane)) {
        return NULL;
    }
    return lane;
}

/* ---- Calling ---- */

static void prepare(oh_lane *lane, oh_call_terms *terms, oh_flight *flight)
{
    terms->timeout_ms = lane->client->timeout_ms;
    terms->never_repeats = lane->client->never_repeats;
    oh_exchange_prepare(&lane->transport->exchange, terms, flight);
    lane->transport->was_withheld = false;
}

void oh_lane_enter(oh_lane *lane, oh_call_terms terms, oh_flight *flight)
{
    lane->is_busy = true;
    lane->has_failed = false;
    oh_lane_hold(lane);
    if (EXPECTED(lane->transport != NULL)) {
        prepare(lane, &terms, flight);
    }
}

void oh_lane_enter_again(oh_lane *lane)
{
    oh_call_terms terms = {.is_read_only = false};

    lane->is_busy = true;
    prepare(lane, &terms, NULL);
}

void oh_lane_leave(oh_lane *lane)
{
    lane->is_busy = false;
    if (lane->transport) {
        oh_exchange_finish(&lane->transport->exchange);
        if (UNEXPECTED(oh_exchange_has_error(&lane->transport->exchange))) {
            lane->client->refused = lane;
        }
    }
    oh_lane_let_go(lane);
    oh_log_flush();
}

void oh_lane_call_in_frame(
    oh_lane *lane, const oh_method *method, zend_execute_data *execute_data, zval *return_value)
{
    zend_object *object = Z_OBJ(execute_data->This);
    zend_function *function = execute_data->func;

    Z_OBJ(execute_data->This) = lane->redis;
    execute_data->func = method->original;
    method->original->internal_function.handler(execute_data, return_value);
    execute_data->func = function;
    Z_OBJ(execute_data->This) = object;
}

void oh_lane_set_map(oh_lane *lane, oh_snapshot *map)
{
    if (lane->transport) {
        oh_exchange_set_peer(&lane->transport->exchange, peer_of(lane, map));
        if (lane->redirects) {
            oh_redirects_set_map(lane->redirects, map);
        }
    }
}

void oh_lane_call(
    oh_lane *lane, zend_function *function, uint32_t count, zval *arguments, zval *return_value)
{
    zend_call_known_function(
        function, lane->redis, oh_phpredis_class, return_value, count, arguments, NULL);
}

zend_uchar oh_lane_tell(oh_lane *lane, const char *method)
{
    zval answer;

    ZVAL_UNDEF(&answer);
    oh_lane_call(lane, oh_phpredis_method(method), 0, NULL, &answer);
    zend_uchar type = Z_TYPE(answer);
    zval_ptr_dtor(&answer);
    return type;
}

/* ---- Failing ---- */

/*
 * phpredis throws once for every reply it misses, and each exception has the one before as its
 * previous: all that says nothing new. What is kept is an exception of the script itself, if that
 * is where it began.
 */
zend_object *oh_lane_take_first_cause(void)
{
    zend_object *exception = EG(exception);
    zval rv, *previous;

    if (!exception) {
        return NULL;
    }
    GC_ADDREF(exception);
    zend_clear_exception();
    zend_object *first = exception;
    while ((previous = zend_read_property_ex(
                zend_get_exception_base(first), first, ZSTR_KNOWN(ZEND_STR_PREVIOUS), true, &rv)) &&
           Z_TYPE_P(previous) == IS_OBJECT) {
        first = Z_OBJ_P(previous);
    }
    if (first->ce == oh_phpredis_exception_class) {
        OBJ_RELEASE(exception);
        return NULL;
    }
    GC_ADDREF(first);
    OBJ_RELEASE(exception);
    return first;
}

zend_object *oh_lane_failure(oh_lane *lane)
{
    const oh_snapshot *snapshot = lane->client->snapshot;
    oh_node node = oh_topology_node(snapshot->topology, lane->node);
    zend_object *previous = oh_lane_take_first_cause();

    if (previous && lane->transport && oh_exchange_was_interrupted(&lane->transport->exchange)) {
        return previous;
    }
    return oh_failure_exception(&lane->failure, &node, snapshot->pool->name.bytes, previous);
}

oh_lane *oh_lane_close(oh_lane *lane)
{
    oh_lane *held = NULL;

    while (lane) {
        oh_lane *spare = lane->spare;

        if (lane->holds) {
            lane->spare = held;
            held = lane;
        } else {
            drop_redis(lane);
            efree(lane);
        }
        lane = spare;
    }
    return held;
}
