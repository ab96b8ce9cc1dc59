/*
 * How a subscription ends:
 *
 *   - The last channel is unsubscribed: phpredis 6 returns true. Older versions would wait forever,
 *     so their stream ends and OneHop returns true.
 *   - The callback or a signal handler throws, or the script exits: phpredis gets no more bytes,
 *     and the exception propagates unchanged.
 *   - The last node fails, or OPT_READ_TIMEOUT has passed without a message: phpredis' exception
 *     is replaced by the failure.
 *   - The script calls close(): phpredis throws its own "Connection closed".
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "engine/nodes/nodes.h"
#include "engine/listener/listener.h"
#include "engine/source/source.h"
#include "php/call/enter.h"
#include "php/call/refuse.h"
#include "php/phpredis/node_client.h"
#include "php/subscription/subscription.h"

typedef struct oh_subscription {
    oh_far_end far_end; /* First, so that a far end can be cast to its subscription. */
    oh_client *client;
    oh_node_client *node_client;
    oh_listener *listener;
    /*
     * The callbacks of the subscribed names. They are kept here, because phpredis 6 does not keep
     * the callbacks of nested subscriptions alive. Replaced callbacks go to `released` and are
     * freed when phpredis has returned.
     */
    HashTable callbacks[OH_CHANNEL_KINDS_COUNT];
    zval *callback;           /* The callback of the command being written, or NULL. */
    zval released;            /* An array, or UNDEF. */
    zend_execute_data *frame; /* The frame of the current call. */
    zend_function *function;  /* The frame's function, while phpredis' function is in its place. */
    zend_object *thrown;      /* The exception that was pending when phpredis read or wrote. */
    bool has_ended;           /* phpredis has read the end of the stream. */
} oh_subscription;

/* ---- The far end of phpredis' stream ---- */

/*
 * Remembers a pending exception. phpredis' own exception about the end of its stream would wrap it.
 */
static void note_exception(oh_subscription *subscription)
{
    if (EG(exception) && !subscription->thrown) {
        subscription->thrown = EG(exception);
        GC_ADDREF(subscription->thrown);
    }
}

/*
 * Restores the frame, then sends the command. By now phpredis has found its connection through
 * `this`, and needs `this` only to pass it to callbacks. Never reports a failure: phpredis cleans
 * up after a failed read, but not after a failed write.
 */
static void write_command(oh_far_end *far_end, const char *bytes, size_t length)
{
    oh_subscription *subscription = (oh_subscription *)far_end;

    Z_OBJ(subscription->frame->This) = oh_client_object(subscription->client);
    subscription->frame->func = subscription->function;
    oh_listener_send(subscription->listener, bytes, length);
    subscription->callback = NULL;
    note_exception(subscription);
}

static size_t read_answer(oh_far_end *far_end, char *bytes, size_t size)
{
    oh_subscription *subscription = (oh_subscription *)far_end;
    size_t given = oh_listener_receive(subscription->listener, bytes, size);

    subscription->has_ended = given == 0;
    note_exception(subscription);
    return given;
}

/* ---- Callbacks ---- */

/* Defers the release of a callback, so that no destructor of the script runs now. */
static void release_callback(oh_subscription *subscription, const zval *callback)
{
    zval kept;

    if (Z_ISUNDEF(subscription->released)) {
        array_init(&subscription->released);
    }
    ZVAL_COPY(&kept, callback);
    add_next_index_zval(&subscription->released, &kept);
}

static void keep_callback(void *owner, oh_channel_kind kind, oh_text name, bool is_subscribed)
{
    oh_subscription *subscription = owner;
    HashTable *callbacks = &subscription->callbacks[kind];
    const zval *old = zend_hash_str_find(callbacks, name.bytes, name.length);
    zval callback;

    if (old) {
        release_callback(subscription, old);
    }
    if (!is_subscribed) {
        zend_hash_str_del(callbacks, name.bytes, name.length);
        return;
    }
    ZVAL_NULL(&callback);
    if (subscription->callback) {
        ZVAL_COPY(&callback, subscription->callback);
    }
    zend_hash_str_update(callbacks, name.bytes, name.length, &callback);
}

/* ---- Lost nodes ---- */

/*
 * A subscription keeps its snapshot. It does not wait for a node that a changed file or Sentinels
 * have replaced. In a Redis Cluster the listener itself watches the map.
 */
static bool is_outdated(void *owner)
{
    const oh_snapshot *snapshot = ((oh_subscription *)owner)->client->snapshot;

    if (snapshot->is_cluster) {
        return false;
    }
    if (snapshot->is_watched) {
        oh_nodes_tick(snapshot->known_by);
        if (oh_nodes_are_old(snapshot->known_by, snapshot)) {
            return true;
        }
    }
    oh_snapshot *newest = oh_source_is_due(snapshot) ? oh_source_follow(snapshot) : NULL;
    if (newest) {
        oh_snapshot_release(newest);
    }
    return newest != NULL;
}

/* ---- Beginning and ending ---- */

static oh_subscription *begin(oh_client *client)
{
    oh_node_client *node_client = oh_node_client_open(client, 0);

    if (!node_client) {
        return NULL;
    }
    oh_listener *listener = oh_listener_open(client->snapshot, client->topology, client->timeout_ms,
        client->has_read_timeout ? client->timeout_ms : 0, &node_client->failure);
    if (!listener) {
        oh_failure_set_no_memory(&node_client->failure, OH_OUTCOME_NOT_SENT);
        oh_failure_throw(oh_failure_exception(
            &node_client->failure, NULL, client->snapshot->pool->name.bytes, NULL));
        oh_node_client_close(node_client);
        return NULL;
    }
    oh_subscription *subscription = ecalloc(1, sizeof *subscription);

    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        zend_hash_init(&subscription->callbacks[i], 0, NULL, ZVAL_PTR_DTOR, false);
    }
    ZVAL_UNDEF(&subscription->released);
    subscription->far_end = (oh_far_end){write_command, read_answer};
    subscription->client = client;
    subscription->node_client = node_client;
    subscription->listener = listener;
    listener->confirmed = keep_callback;
    listener->is_outdated = is_outdated;
    listener->owner = subscription;
    node_client->transport->far_end = &subscription->far_end;
    client->subscription = subscription;
    return subscription;
}

static void end(oh_subscription *subscription)
{
    subscription->client->subscription = NULL;
    oh_node_client_close(subscription->node_client);
    oh_listener_close(subscription->listener);
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        zend_hash_destroy(&subscription->callbacks[i]);
    }
    zval_ptr_dtor(&subscription->released);
    efree(subscription);
}

oh_node_client *oh_subscription_node_client(const oh_client *client)
{
    return client->subscription ? client->subscription->node_client : NULL;
}

void oh_subscription_close(oh_client *client)
{
    oh_subscription *subscription = client->subscription;

    /*
     * At the very end of a request no method can be called. The pool then closes the connections
     * itself.
     */
    if (subscription && EG(active) && !EG(exception)) {
        oh_node_client_invoke(subscription->node_client, "close");
    }
}

/* ---- Calling ---- */

static void throw_failure(oh_subscription *subscription)
{
    const oh_snapshot *snapshot = subscription->client->snapshot;
    const oh_listener *listener = subscription->listener;
    zend_object *cause = oh_node_client_take_first_cause();
    oh_node node;

    if (listener->failed_node != OH_NO_NODE) {
        node = oh_topology_node(snapshot->topology, listener->failed_node);
    }
    oh_failure_throw(oh_failure_exception(listener->failure,
        listener->failed_node == OH_NO_NODE ? NULL : &node, snapshot->pool->name.bytes, cause));
}

/* Replaces phpredis' exception about the end of its stream by the real cause. */
static void conclude(oh_subscription *subscription, zend_object *thrown, zval *return_value)
{
    if (oh_is_script_ending()) {
        return;
    }
    if (subscription->listener->has_failed) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        throw_failure(subscription);
    } else if (thrown) {
        zend_clear_exception();
        GC_ADDREF(thrown);
        oh_failure_throw(thrown);
    } else if (subscription->has_ended && EG(exception)) {
        zend_object *cause = oh_node_client_take_first_cause();

        if (cause) {
            oh_failure_throw(cause);
        }
        ZVAL_BOOL(return_value, oh_listener_is_idle(subscription->listener));
    }
}

static void call(oh_subscription *subscription, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_execute_data *frame = subscription->frame;
    zend_function *function = subscription->function;
    zend_object *redis = subscription->node_client->redis;
    zval released;

    subscription->callback = ZEND_NUM_ARGS() >= 2 ? ZEND_CALL_ARG(execute_data, 2) : NULL;
    subscription->frame = execute_data;
    subscription->function = execute_data->func;
    GC_ADDREF(redis);
    oh_node_client_call_in_frame(
        subscription->node_client, oh_method_of(execute_data), execute_data, return_value);
    OBJ_RELEASE(redis);
    subscription->frame = frame;
    subscription->function = function;
    zend_object *thrown = subscription->thrown;
    subscription->thrown = NULL;
    conclude(subscription, thrown, return_value);
    if (thrown) {
        OBJ_RELEASE(thrown);
    }
    ZVAL_COPY_VALUE(&released, &subscription->released);
    ZVAL_UNDEF(&subscription->released);
    zval_ptr_dtor(&released);
}

void oh_subscription_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    if (!client) {
        return;
    }
    if (client->batch) {
        oh_failure_throw_plain(
            OH_SAY_SUBSCRIBE_IN_PIPELINE, ZSTR_VAL(execute_data->func->common.function_name));
        return;
    }
    if (client->snapshot->pool->is_ssdb) {
        oh_failure_throw_plain(
            OH_SAY_SUBSCRIBE_SSDB, ZSTR_VAL(execute_data->func->common.function_name));
        return;
    }
    if (oh_client_is_in_transaction(client)) {
        oh_refuse_in_transaction(execute_data, OH_ADVICE_NOT_IN_PIPELINE);
        return;
    }
    oh_subscription *subscription = client->subscription;
    bool is_first = !subscription;

    if (is_first && !(subscription = begin(client))) {
        return;
    }
    call(subscription, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (is_first) {
        end(subscription);
    }
}
