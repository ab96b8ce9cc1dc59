/*
 * Calls phpredis. The usual call borrows the frame of the method that the script called. `this` and
 * the function are replaced by those of the node client's \Redis, phpredis' C function runs, and
 * both are restored. So a routed command costs no second frame and no copy of its arguments.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/phpredis/node_client.h"
#include "engine/base/log.h"
#include "engine/moving/moving.h"
#include "engine/resend/resend.h"

/* ---- Opening ---- */

static bool call_checked(
    oh_node_client *node_client, const char *method, uint32_t count, zval *arguments)
{
    zval result;

    ZVAL_UNDEF(&result);
    oh_node_client_call(node_client, oh_phpredis_method(method), count, arguments, &result);
    bool is_true = Z_TYPE(result) == IS_TRUE;
    zval_ptr_dtor(&result);
    return is_true && !EG(exception);
}

static bool set_option(oh_node_client *node_client, zend_long option, const zval *value)
{
    zval arguments[2];

    ZVAL_LONG(&arguments[0], option);
    ZVAL_COPY_VALUE(&arguments[1], value);
    return call_checked(node_client, "setoption", 2, arguments);
}

/* phpredis must never connect, sleep or retry: the exchange does this, within the deadline. */
static bool set_options(oh_node_client *node_client)
{
    zend_long max_retries = oh_phpredis_constant("OPT_MAX_RETRIES");
    zval zero, *setting;

    if (node_client->client->options) {
        ZEND_HASH_FOREACH_VAL(node_client->client->options, setting)
        {
            zval *option = zend_hash_index_find(Z_ARRVAL_P(setting), 0);
            zval *value = zend_hash_index_find(Z_ARRVAL_P(setting), 1);

            if (!set_option(node_client, Z_LVAL_P(option), value)) {
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    ZVAL_LONG(&zero, 0);
    return max_retries < 0 || set_option(node_client, max_retries, &zero);
}

static oh_peer peer_of(oh_node_client *node_client, oh_snapshot *snapshot)
{
    bool has_succession = !snapshot->is_cluster && !snapshot->pool->is_ssdb &&
                          !oh_topology_is_moving(snapshot->topology);

    oh_succession_set(&node_client->succession, snapshot, node_client->node);
    oh_node_lookout_set(&node_client->lookout, snapshot, node_client->node);
    return (oh_peer){.connections = oh_snapshot_connections(snapshot, node_client->node),
        .metered = oh_snapshot_metered(snapshot, node_client->node),
        .is_of_plain_pool = !snapshot->is_cluster,
        .is_watched = snapshot->is_watched,
        .may_fall_back = !node_client->client->is_of_session &&
                         oh_read_from_may_fall_back(snapshot, node_client->node),
        .compares_reads = snapshot->pool->read_from == OH_READ_LOWEST_LATENCY,
        .succession = has_succession ? &node_client->succession.interceptor : NULL,
        .lookout = snapshot->pool->is_ssdb ? NULL : &node_client->lookout.lookout};
}

/* Prepares the transport's exchange with the node. */
static void take_transport(oh_node_client *node_client, oh_transport *transport)
{
    oh_exchange *exchange = &transport->exchange;
    oh_snapshot *snapshot = node_client->client->snapshot;

    node_client->transport = transport;
    oh_exchange_make(exchange, peer_of(node_client, snapshot), &node_client->failure);
    node_client->redirects =
        snapshot->is_cluster ? oh_redirects_attach(exchange, snapshot, node_client->node) : NULL;
    node_client->moving = NULL;
    if (UNEXPECTED(oh_topology_is_moving(snapshot->topology))) {
        node_client->moving = oh_moving_attach(exchange, snapshot, node_client->node);
        if (!node_client->moving) {
            exchange->peer.connections = NULL; /* Calls fail: there is no memory. */
        }
    }
}

static bool connect_to_stream(oh_node_client *node_client)
{
    zval host;

    ZVAL_STR(&host, strpprintf(0, "onehop://node-%u", node_client->node));
    oh_transport_expect(&node_client->owner);
    bool is_connected = call_checked(node_client, "connect", 1, &host);
    oh_transport *transport = oh_transport_expect(NULL);
    zval_ptr_dtor(&host);
    if (transport) {
        take_transport(node_client, transport);
    }
    return is_connected && transport;
}

static void on_end(oh_transport_owner *owner)
{
    ((oh_node_client *)owner)->is_spent = true;
}

static void lose_transport(oh_transport_owner *owner)
{
    oh_node_client *node_client = (oh_node_client *)owner;

    node_client->has_failed = oh_node_client_has_failed(node_client);
    node_client->is_spent = true;
    node_client->transport = NULL;
    node_client->moving = NULL;
}

void oh_node_client_forget_queue(oh_node_client *node_client)
{
    oh_discards_drop(&node_client->queue.terms.discards);
    node_client->queue = (oh_node_client_queue){.pipes = NULL};
    oh_express_clear(&node_client->express);
}

static void drop_redis(oh_node_client *node_client)
{
    zend_object *redis = node_client->redis;

    node_client->redis = NULL;
    oh_node_client_forget_queue(node_client);
    node_client->is_spent = false;
    if (node_client->transport) {
        oh_transport_detach(node_client->transport);
        node_client->transport = NULL;
        node_client->moving = NULL;
    }
    if (redis) {
        OBJ_RELEASE(redis);
    }
}

static bool connect_node_client(oh_node_client *node_client)
{
    oh_snapshot *snapshot = node_client->client->snapshot;
    zval redis;

    if (!oh_snapshot_connections(snapshot, node_client->node)) {
        oh_failure_set_no_memory(&node_client->failure, OH_OUTCOME_NOT_SENT);
        oh_failure_throw(
            oh_failure_exception(&node_client->failure, NULL, snapshot->pool->name.bytes, NULL));
        return false;
    }
    if (object_init_ex(&redis, oh_phpredis_class) == FAILURE) {
        return false;
    }
    node_client->redis = Z_OBJ(redis);
    node_client->client->is_closed = false;
    if (connect_to_stream(node_client) && set_options(node_client)) {
        return true;
    }
    drop_redis(node_client);
    if (!EG(exception)) {
        zend_throw_error(NULL, "OneHop could not prepare an object of phpredis");
    }
    return false;
}

static oh_node_client *new_node_client(oh_client *client, uint32_t node)
{
    oh_node_client *node_client = ecalloc(1, sizeof *node_client);

    node_client->owner = (oh_transport_owner){on_end, lose_transport};
    node_client->client = client;
    node_client->node = node;
    return node_client;
}

oh_node_client *oh_node_client_open(oh_client *client, uint32_t node)
{
    oh_node_client *node_client = new_node_client(client, node);

    if (!connect_node_client(node_client)) {
        efree(node_client);
        return NULL;
    }
    return node_client;
}

oh_node_client *oh_node_client_take(oh_client *client, uint32_t node)
{
    oh_node_client **place = &client->node_clients[node];

    while (*place && ((*place)->is_busy || (*place)->is_reserved)) {
        place = &(*place)->spare;
    }
    if (UNEXPECTED(!*place)) {
        *place = new_node_client(client, node);
    }
    oh_node_client *node_client = *place;
    if (UNEXPECTED(node_client->is_spent)) {
        drop_redis(node_client);
    }
    if (UNEXPECTED(!node_client->redis) && !connect_node_client(node_client)) {
        return NULL;
    }
    return node_client;
}

/* ---- Calling ---- */

static void prepare(oh_node_client *node_client, const oh_call_terms *terms, oh_exchange_set *set)
{
    oh_exchange *exchange = &node_client->transport->exchange;

    oh_exchange_prepare(exchange, terms, set);
    exchange->terms.timeout_ms = node_client->client->timeout_ms;
    exchange->peer.database = node_client->client->database;
    exchange->terms.never_repeats = node_client->client->never_repeats;
    oh_transport_drop_rest(node_client->transport);
    node_client->transport->was_withheld = false;
}

void oh_node_client_enter(
    oh_node_client *node_client, const oh_call_terms *terms, oh_exchange_set *set)
{
    node_client->is_busy = true;
    node_client->has_failed = false;
    oh_node_client_hold(node_client);
    if (EXPECTED(node_client->transport != NULL)) {
        prepare(node_client, terms ? terms : &node_client->queue.terms, set);
    }
    if (!terms) { /* The exchange has taken over the terms of the queue. */
        node_client->queue = (oh_node_client_queue){.pipes = NULL};
    }
}

void oh_node_client_enter_again(oh_node_client *node_client)
{
    oh_call_terms terms = {.is_read_only = false};

    node_client->is_busy = true;
    prepare(node_client, &terms, NULL);
}

void oh_node_client_leave(oh_node_client *node_client)
{
    node_client->is_busy = false;
    if (node_client->transport) {
        oh_exchange_finish(&node_client->transport->exchange);
        if (UNEXPECTED(oh_exchange_has_error(&node_client->transport->exchange))) {
            node_client->client->last_error_client = node_client;
        }
    }
    if (node_client->express.count) {
        oh_express_clear(&node_client->express);
    }
    oh_node_client_let_go(node_client);
    oh_log_flush();
}

void oh_node_client_call_in_frame(oh_node_client *node_client, const oh_method *method,
    zend_execute_data *execute_data, zval *return_value)
{
    zend_object *object = Z_OBJ(execute_data->This);
    zend_function *function = execute_data->func;

    Z_OBJ(execute_data->This) = node_client->redis;
    execute_data->func = method->original;
    method->original->internal_function.handler(execute_data, return_value);
    execute_data->func = function;
    Z_OBJ(execute_data->This) = object;
}

void oh_node_client_set_map(oh_node_client *node_client, oh_snapshot *map)
{
    if (node_client->transport) {
        oh_exchange_set_peer(&node_client->transport->exchange, peer_of(node_client, map));
        if (node_client->redirects) {
            oh_redirects_set_map(node_client->redirects, map);
        }
    }
}

void oh_node_client_call(oh_node_client *node_client, zend_function *function, uint32_t count,
    zval *arguments, zval *return_value)
{
    zend_call_known_function(
        function, node_client->redis, oh_phpredis_class, return_value, count, arguments, NULL);
}

zend_uchar oh_node_client_invoke(oh_node_client *node_client, const char *method)
{
    zval answer;

    ZVAL_UNDEF(&answer);
    oh_node_client_call(node_client, oh_phpredis_method(method), 0, NULL, &answer);
    zend_uchar type = Z_TYPE(answer);
    zval_ptr_dtor(&answer);
    return type;
}

/* ---- Failing ---- */

/*
 * phpredis throws an exception for every missing reply, each with the exception before it as its
 * previous one. These exceptions of phpredis say nothing new. So only the innermost exception is
 * kept, and only if the script itself has thrown it.
 */
zend_object *oh_node_client_take_first_cause(void)
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

zend_object *oh_node_client_exception(
    const oh_node_client *node_client, const oh_failure *failure, zend_object *previous)
{
    const oh_snapshot *snapshot = node_client->client->snapshot;
    oh_node node = oh_topology_node(
        snapshot->topology, failure->other_node ? failure->other_node - 1 : node_client->node);

    return oh_failure_exception(failure, &node, snapshot->pool->name.bytes, previous);
}

zend_object *oh_node_client_failure(oh_node_client *node_client)
{
    zend_object *previous = oh_node_client_take_first_cause();

    if (previous && node_client->transport &&
        oh_exchange_was_interrupted(&node_client->transport->exchange)) {
        return previous;
    }
    return oh_node_client_exception(node_client, &node_client->failure, previous);
}

oh_node_client *oh_node_client_close(oh_node_client *node_client)
{
    oh_node_client *held = NULL;

    while (node_client) {
        oh_node_client *spare = node_client->spare;

        if (node_client->holds) {
            node_client->spare = held;
            held = node_client;
        } else {
            drop_redis(node_client);
            oh_express_free(&node_client->express);
            efree(node_client);
        }
        node_client = spare;
    }
    return held;
}
