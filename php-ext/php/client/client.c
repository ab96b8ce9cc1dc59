/*
 * The object: made, constructed, freed. It can be neither cloned nor serialized: it stands for connections.
 *
 * How many bytes phpredis keeps in front of its objects is learnt from one of them when the first client is made.
 */
#include "php_onehop.h"

#include "engine/snapshot/ejection.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/client/configuration.h"
#include "php/subscription/subscription.h"

zend_class_entry *oh_client_class;
zend_object_handlers oh_client_handlers;

static void free_client(zend_object *object);
static void destruct_client(zend_object *object);

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

/* ---- What keys are placed by ---- */

static void place_by(oh_client *client, oh_ring *ring)
{
    if (ring) {
        oh_ring_hold(ring);
    }
    if (client->ring) {
        oh_ring_release(client->ring);
    }
    client->ring = ring;
    client->topology = ring ? ring->topology : client->snapshot->topology;
}

/* A pipeline, a transaction and a subscription keep the placement that they began with. */
static void follow_ejection(oh_client *client)
{
    const oh_transaction *transaction = &client->transaction;

    if (!client->batch.is_open && !transaction->is_open && !transaction->lane && !client->subscription) {
        oh_ring *ring = oh_ejection_follow(client->snapshot);

        if (UNEXPECTED(ring != client->ring)) {
            place_by(client, ring);
        }
    }
}

/* ---- Life ---- */

ZEND_METHOD(OneHop_Redis, __construct)
{
    oh_client *client = oh_client_of(Z_OBJ_P(ZEND_THIS));
    zend_string *pool, *path = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(pool)
        Z_PARAM_OPTIONAL
        Z_PARAM_PATH_STR_OR_NULL(path)
    ZEND_PARSE_PARAMETERS_END();
    if (client->snapshot) {
        zend_throw_error(NULL, "OneHop\\Redis is constructed already");
        return;
    }
    oh_snapshot *snapshot = oh_configuration_take(pool, path);
    if (!snapshot) {
        return;
    }
    if (!snapshot->pool->is_redis) {
        oh_failure_throw_plain(OH_ERROR_CONFIG_INVALID, "set \"redis: true\" if its servers do",
            "Server pool %s speaks memcached", snapshot->pool->name.bytes);
        oh_snapshot_release(snapshot);
        return;
    }
    client->snapshot = snapshot;
    client->topology = snapshot->topology;
    client->timeout_ms = snapshot->pool->timeout_ms;
    client->lanes = ecalloc(snapshot->nodes_count, sizeof *client->lanes);
}

void oh_client_close_lanes(oh_client *client)
{
    oh_batch_drop(client);
    oh_subscription_close(client);
    oh_transaction_drop(client);
    client->refused = NULL;
    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        client->lanes[node] = oh_lane_close(client->lanes[node]);
    }
}

/* While PHP can still call methods: phpredis frees what it has queued only in discard(). */
static void destruct_client(zend_object *object)
{
    oh_client *client = oh_client_of(object);

    zend_objects_destroy_object(object);
    if (client->batch.is_open) {
        oh_batch_drop(client);
    }
    oh_transaction_drop(client);
}

static void free_client(zend_object *object)
{
    oh_client *client = oh_client_of(object);

    if (client->snapshot) {
        oh_client_close_lanes(client);
        efree(client->lanes);
        place_by(client, NULL);
        oh_snapshot_release(client->snapshot);
        client->snapshot = NULL;
    }
    if (client->prefix) {
        zend_string_release(client->prefix);
        client->prefix = NULL;
    }
    if (client->options) {
        zend_array_destroy(client->options);
        client->options = NULL;
    }
    zend_object_std_dtor(object);
}

/* ---- What the handlers begin with ---- */

oh_client *oh_client_this(zend_execute_data *execute_data)
{
    oh_client *client = oh_client_of(Z_OBJ_P(ZEND_THIS));

    if (UNEXPECTED(!client->snapshot)) {
        zend_throw_error(NULL, "%s has not called the constructor of OneHop\\Redis",
            ZSTR_VAL(Z_OBJCE_P(ZEND_THIS)->name));
        return NULL;
    }
    if (UNEXPECTED(client->snapshot->ejects)) {
        follow_ejection(client);
    }
    if (UNEXPECTED(client->snapshot->cluster != NULL)) {
        oh_client_follow_map(client);
    }
    return client;
}

static uint32_t home_of_prefixed(const oh_client *client, const zend_string *key)
{
    uint8_t small[512], *bytes = small;
    size_t prefix_length = ZSTR_LEN(client->prefix), length = prefix_length + ZSTR_LEN(key);

    if (length > sizeof small) {
        bytes = emalloc(length);
    }
    memcpy(bytes, ZSTR_VAL(client->prefix), prefix_length);
    memcpy(bytes + prefix_length, ZSTR_VAL(key), ZSTR_LEN(key));
    uint32_t home = oh_client_home_of(client, bytes, length);
    if (bytes != small) {
        efree(bytes);
    }
    return home;
}

uint32_t oh_client_home(const oh_client *client, const zend_string *key)
{
    return client->prefix ? home_of_prefixed(client, key)
                          : oh_client_home_of(client, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));
}

uint32_t oh_client_locate(const oh_client *client, const zend_string *key)
{
    if (client->prefix) {
        return oh_snapshot_node_of(client->snapshot, home_of_prefixed(client, key));
    }
    return oh_topology_locate(client->topology, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));
}

/* Numbers, booleans, null and objects with __toString are taken as phpredis takes them, with the same notices. */
zend_string *oh_client_key(zend_execute_data *execute_data, zval *argument, uint32_t position)
{
    zend_string *key;

    ZVAL_DEREF(argument);
    if (EXPECTED(Z_TYPE_P(argument) == IS_STRING)) {
        return Z_STR_P(argument);
    }
    if (zend_parse_arg_str_weak(argument, &key, position)) {
        return key;
    }
    if (!EG(exception)) {
        zend_type_error("OneHop\\Redis::%s(): Argument #%u must be a key of type string, %s given; nothing was sent",
            ZSTR_VAL(execute_data->func->common.function_name), position, zend_zval_type_name(argument));
    }
    return NULL;
}
