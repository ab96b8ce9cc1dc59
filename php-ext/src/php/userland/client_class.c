/*
 * The object behind OneHop\Redis: made, constructed, closed, freed. It cannot be cloned or
 * serialized, because it stands for connections.
 *
 * When the first client is made, OneHop finds out how many bytes phpredis keeps before its objects.
 */
#include "php/base/zend.h"

#include "engine/snapshot/snapshot.h"
#include "php/batch/batch.h"
#include "php/client/configuration.h"
#include "php/exception/exception.h"
#include "php/subscription/subscription.h"
#include "php/transaction/transaction.h"
#include "php/userland/userland.h"

static void free_client(zend_object *object);
static void destruct_client(zend_object *object);
static HashTable *describe_client(zend_object *object, int *is_temporary);

/* ---- Layout ---- */

static size_t aligned(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static void learn_layout(void)
{
    zend_object *phpredis = oh_phpredis_class->create_object(oh_phpredis_class);
    size_t phpredis_bytes = (size_t)phpredis->handlers->offset;

    OBJ_RELEASE(phpredis);
    oh_client_handlers = *zend_get_std_object_handlers();
    oh_client_handlers.dtor_obj = destruct_client;
    oh_client_handlers.free_obj = free_client;
    oh_client_handlers.clone_obj = NULL;
    oh_client_handlers.get_debug_info = describe_client;
    oh_client_handlers.offset = (int)(aligned(sizeof(oh_client)) + aligned(phpredis_bytes));
}

zend_object *oh_client_create(zend_class_entry *class)
{
    if (UNEXPECTED(!oh_client_handlers.offset)) {
        learn_layout();
    }
    size_t front = (size_t)oh_client_handlers.offset;
    char *block = emalloc(front + sizeof(zend_object) + zend_object_properties_size(class));
    zend_object *object = (zend_object *)(block + front);

    memset(block, 0, front);
    zend_object_std_init(object, class);
    object_properties_init(object, class);
    object->handlers = &oh_client_handlers;
    return object;
}

/* ---- Creating and freeing ---- */

ZEND_METHOD(OneHop_Redis, __construct)
{
    oh_client *client = oh_client_of(Z_OBJ_P(ZEND_THIS));
    zend_string *pool, *path = NULL;
    HashTable *directives = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STR(pool)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(directives, path)
    ZEND_PARSE_PARAMETERS_END();
    if (client->snapshot) {
        zend_throw_error(NULL, "OneHop\\Redis is constructed already");
        return;
    }
    oh_snapshot *snapshot = oh_configuration_take(pool, path, directives);
    if (!snapshot) {
        return;
    }
    if (!snapshot->pool->is_redis) {
        oh_failure_throw_plain(OH_SAY_MEMCACHED, snapshot->pool->name.bytes);
        oh_snapshot_release(snapshot);
        return;
    }
    client->snapshot = snapshot;
    client->topology = snapshot->topology;
    client->timeout_ms = snapshot->pool->timeout_ms;
    client->takes_express = oh_client_may_take_express(client);
    client->node_clients = ecalloc(snapshot->nodes_count, sizeof *client->node_clients);
}

void oh_client_close(oh_client *client)
{
    oh_batch_drop(client);
    oh_subscription_close(client);
    oh_transaction_drop(client);
    client->last_error_client = NULL;
    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        client->node_clients[node] = oh_node_client_close(client->node_clients[node]);
    }
}

/*
 * Drops queued commands while PHP can still call methods, because only discard() frees phpredis'
 * queue.
 */
static void destruct_client(zend_object *object)
{
    oh_client *client = oh_client_of(object);

    zend_objects_destroy_object(object);
    oh_batch_drop(client);
    oh_transaction_drop(client);
}

static void free_client(zend_object *object)
{
    oh_client *client = oh_client_of(object);

    if (client->snapshot) {
        oh_client_close(client);
        efree(client->node_clients);
        oh_client_place_by(client, NULL);
        oh_snapshot_release(client->snapshot);
        client->snapshot = NULL;
    }
    if (client->prefix) {
        zend_string_release(client->prefix);
        client->prefix = NULL;
    }
    if (client->own_name) {
        zend_string_release(client->own_name);
        client->own_name = NULL;
    }
    if (client->options) {
        zend_array_destroy(client->options);
        client->options = NULL;
    }
    zend_object_std_dtor(object);
}

/* What var_dump() shows: the properties of a subclass, the server pool and its configuration. */
static HashTable *describe_client(zend_object *object, int *is_temporary)
{
    const oh_client *client = oh_client_of(object);
    HashTable *shown = zend_array_dup(zend_std_get_properties(object));
    zval about;

    *is_temporary = true;
    if (client->snapshot) {
        ZVAL_ARR(&about, shown);
        add_assoc_string(&about, "pool", client->snapshot->pool->name.bytes);
        add_assoc_long(&about, "nodes", (zend_long)client->snapshot->nodes_count);
        add_assoc_string(&about, "fingerprint", oh_topology_fingerprint(client->topology));
    }
    return shown;
}
