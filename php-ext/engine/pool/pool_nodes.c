/*
 * Which nodes a process has connections of: each is opened by the first snapshot that has it, and goes with the last one.
 */
#include "php_onehop.h"

#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/base/clock.h"

#include "engine/pool/pool_inside.h"
#include "engine/shared/segment.h"

/*
 * Servers of several files and server pools share connections if name, address, sign-in, bound and the rules of ejection
 * agree, since one word says how the node is. (Two names for one address are two nodes, which may be in use at the same
 * time. A node of a Redis Cluster that has another id than the one before it at its address is another node.) Persistent, never shown to anyone.
 */
static zend_string *make_identity(const oh_endpoint *endpoint, const oh_server *server, const oh_pool *pool)
{
    char head[OH_SERVER_NAME_BYTES_MAX + OH_SERVER_ADDRESS_BYTES_MAX + OH_NODE_ID_BYTES_MAX + 96];
    size_t head_length = (size_t)snprintf(head, sizeof head, "%s|%s|%s%s|%u|%u|%u,%u|%d|", server->name.bytes,
        server->id.bytes ? server->id.bytes : "",
        endpoint->host ? "tcp:" : "unix:", endpoint->host ? endpoint->host : endpoint->path,
        (unsigned)endpoint->port, (unsigned)pool->pool_size, (unsigned)(pool->auto_eject_hosts ? pool->server_failure_limit : 0),
        (unsigned)(pool->auto_eject_hosts ? pool->server_retry_timeout_ms : 0), endpoint->steps[0]);

    head_length = OH_MIN(head_length, sizeof head - 1);
    zend_string *identity = zend_string_alloc(head_length + endpoint->greeting_length, true);
    memcpy(ZSTR_VAL(identity), head, head_length);
    if (endpoint->greeting_length) {
        memcpy(ZSTR_VAL(identity) + head_length, endpoint->greeting, endpoint->greeting_length);
    }
    ZSTR_VAL(identity)[ZSTR_LEN(identity)] = '\0';
    return identity;
}

oh_connections *oh_pool_open(const oh_pool *pool, const oh_server *server)
{
    oh_endpoint endpoint;

    oh_endpoint_set(&endpoint, pool, server);
    zend_string *identity = make_identity(&endpoint, server, pool);
    oh_connections *connections = zend_hash_find_ptr(&OHG(connections), identity);

    if (connections) {
        oh_endpoint_clear(&endpoint);
        zend_string_release_ex(identity, true);
    } else {
        connections = pecalloc(1, sizeof *connections, true);
        connections->all = &OHG(connections);
        connections->endpoint = endpoint;
        connections->size_max = pool->pool_size;
        connections->timeout_ms = pool->timeout_ms;
        connections->identity = identity;
        oh_host_begin(&connections->host, ZSTR_VAL(identity), ZSTR_LEN(identity), pool->pool_size);
        oh_node_health_begin(&connections->health, NULL, pool, server);
        oh_pool_join(connections);
        zend_hash_add_new_ptr(&OHG(connections), identity, connections);
    }
    connections->references++;
    return connections;
}

void oh_pool_join(oh_connections *connections)
{
    uint64_t now_ms = oh_clock_now_ms();
    oh_host_node *host = &connections->host;

    if (OH_UNLIKELY(!oh_host_is_joined(host, now_ms))) {
        oh_host_join(host, now_ms);
        connections->is_of_host = oh_host_keeps(host);
        oh_node_health_move(&connections->health, host->shared ? &host->shared->health : NULL);
    }
}

static void destroy(oh_connections *connections)
{
    connections->is_of_host = connections->is_of_host && oh_segment_store(); /* At the very end there is none. */
    while (connections->leased) {
        oh_pool_poison(connections->leased);
    }
    oh_pool_park_all(connections);
    oh_endpoint_clear(&connections->endpoint);
    oh_node_health_end(&connections->health);
    oh_memory_erase(ZSTR_VAL(connections->identity), ZSTR_LEN(connections->identity));
    zend_string_release_ex(connections->identity, true);
    oh_memory_release(connections);
}

void oh_pool_release(oh_connections *connections)
{
    if (--connections->references == 0) {
        zend_hash_del(connections->all, connections->identity);
        oh_host_leave(&connections->host);
        destroy(connections);
    }
}

const oh_endpoint *oh_pool_endpoint(const oh_connections *connections)
{
    return &connections->endpoint;
}

uint32_t oh_pool_number(const oh_connections *connections, uint32_t *joined)
{
    *joined = connections->host.joined;
    return connections->host.number;
}

oh_pool_view oh_pool_look(const oh_connections *connections)
{
    oh_pool_view view = {.is_of_host = connections->is_of_host,
        .leased = connections->leased_count,
        .health = connections->health.known};

    for (const oh_connection *idle = connections->idle; idle; idle = idle->next) {
        view.idle++;
    }
    return view;
}

bool oh_pool_ejects(const oh_connections *connections)
{
    return connections->health.rules.ejects;
}

uint32_t oh_pool_timeout(const oh_connections *connections)
{
    return connections->timeout_ms;
}

void oh_pool_prepare(HashTable *all)
{
    zend_hash_init(all, 8, NULL, NULL, true);
}

void oh_pool_shutdown(HashTable *all)
{
    oh_connections *connections;

    ZEND_HASH_MAP_FOREACH_PTR(all, connections)
    {
        destroy(connections);
    }
    ZEND_HASH_FOREACH_END();
    zend_hash_destroy(all);
}
