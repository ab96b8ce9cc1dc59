/*
 * Finds the nodes of a client's keys, and keeps its name. Room userland makes and frees the object
 * that PHP sees.
 */
#include "php/base/zend.h"

#include "engine/snapshot/snapshot.h"
#include "php/client/client.h"
#include "php/exception/exception.h"

zend_class_entry *oh_client_class;
zend_object_handlers oh_client_handlers;
const oh_mode *oh_modes;

void oh_client_place_by(oh_client *client, oh_live_ring *ring)
{
    if (ring) {
        oh_live_ring_hold(ring);
    }
    if (client->ring) {
        oh_live_ring_release(client->ring);
    }
    client->ring = ring;
    client->topology = ring ? ring->topology : client->snapshot->topology;
}

/* RedisArray places a key before it adds the prefix. */
static bool is_placed_unprefixed(const oh_client *client)
{
    oh_distribution distribution = client->snapshot->pool->distribution;
    return distribution == OH_REDIS_ARRAY || distribution == OH_REDIS_ARRAY_CONSISTENT;
}

static uint32_t home_of_prefixed(const oh_client *client, const zend_string *key)
{
    if (is_placed_unprefixed(client)) {
        return oh_client_home_of(client, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));
    }
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
    return client->prefix
               ? home_of_prefixed(client, key)
               : oh_client_home_of(client, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));
}

uint32_t oh_client_locate(const oh_client *client, const zend_string *key)
{
    if (client->prefix) {
        return oh_snapshot_node_of(client->snapshot, home_of_prefixed(client, key));
    }
    return oh_topology_locate(client->topology, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));
}

/*
 * Converts numbers, booleans, null and objects with __toString as phpredis does, with the same
 * notices.
 */
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
        zend_type_error("OneHop\\Redis::%s(): Argument #%u must be a key of type string, %s given; "
                        "nothing was sent",
            ZSTR_VAL(execute_data->func->common.function_name), position,
            zend_zval_type_name(argument));
    }
    return NULL;
}

bool oh_client_choose_replica(oh_client *client, uint32_t *node)
{
    oh_snapshot *snapshot = client->snapshot;
    oh_failure failure;

    if (OH_LIKELY(oh_read_from_choose(snapshot, &client->last_read_node, node, &failure))) {
        return true;
    }
    oh_node master = oh_topology_node(snapshot->topology, *node);
    oh_failure_throw(oh_failure_exception(&failure, &master, snapshot->pool->name.bytes, NULL));
    return false;
}

/* ---- Its own name ---- */

/*
 * True for a name of visible ASCII, which is all that servers accept. For any other, the result is
 * false, as phpredis returns for a server's error.
 */
static bool is_visible(const zend_string *text)
{
    for (size_t i = 0; i < ZSTR_LEN(text); i++) {
        if (ZSTR_VAL(text)[i] < '!' || ZSTR_VAL(text)[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool are_strings(const zval *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (Z_TYPE(words[i]) != IS_STRING) {
            return false;
        }
    }
    return count > 0;
}

static bool is_verb(const zval *word, const char *verb)
{
    return zend_binary_strcasecmp(Z_STRVAL_P(word), Z_STRLEN_P(word), verb, strlen(verb)) == 0;
}

static bool set_own_name(oh_client *client, zend_string *name)
{
    if (!is_visible(name)) {
        return false;
    }
    if (client->own_name) {
        zend_string_release(client->own_name);
    }
    client->own_name = ZSTR_LEN(name) ? zend_string_copy(name) : NULL;
    return true;
}

bool oh_own_name_answers(oh_client *client, const zval *words, uint32_t count, zval *return_value)
{
    if (client->mode != OH_ATOMIC || !are_strings(words, count)) {
        return false;
    }
    if (count == 2 && is_verb(words, "setname")) {
        RETVAL_BOOL(set_own_name(client, Z_STR(words[1])));
        return true;
    }
    if (count == 3 && is_verb(words, "setinfo")) {
        bool is_field = is_verb(&words[1], "lib-name") || is_verb(&words[1], "lib-ver");

        RETVAL_BOOL(is_field && is_visible(Z_STR(words[2])));
        return true;
    }
    if (count == 1 && is_verb(words, "getname")) {
        if (client->own_name) {
            RETVAL_STR_COPY(client->own_name);
        } else {
            RETVAL_FALSE;
        }
        return true;
    }
    return false;
}
