/*
 * The nodes of a process. The first snapshot with a node opens it, and the last one closes it.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"

#include "engine/pool/pool_internal.h"

/* Enough for the port, the first step and the separators of an identity. */
#define OH_SEPARATORS_BYTES 32

OH_PER_THREAD oh_connections *oh_pool_nodes;

static size_t settings_length(const oh_endpoint *endpoint)
{
    return endpoint->tls ? oh_tls_peer_settings(endpoint->tls).length : 0;
}

/* The directives by which connections to one node differ, and the rules of ejection. */
typedef struct numbers {
#define X(member) uint32_t member;
    OH_OF_CONNECTIONS(X)
#undef X
    uint32_t failure_limit, retry_timeout_ms;
} numbers;

static numbers numbers_of(const oh_server_pool *pool)
{
    numbers all = {.failure_limit = pool->auto_eject_hosts ? pool->server_failure_limit : 0,
        .retry_timeout_ms = pool->auto_eject_hosts ? pool->server_retry_timeout_ms : 0};

#define X(member) all.member = pool->member;
    OH_OF_CONNECTIONS(X)
#undef X
    return all;
}

/*
 * Writes the identity of a node and returns its length. Servers of several files and server pools
 * share connections, and one word of health, if name, address, credentials, TLS and these numbers
 * are equal. (Two names for one address are two nodes, which may be in use at the same time. If
 * another node of a Redis Cluster takes over an address, its id differs, so it is another node.)
 * The identity contains the password and is never shown. It does not contain the name by which
 * connections introduce themselves.
 */
static size_t write_identity(char *identity, size_t room, const oh_endpoint *endpoint,
    const oh_server *server, const oh_server_pool *pool)
{
    numbers all = numbers_of(pool);
    char *end = identity + sizeof all;

    memcpy(identity, &all, sizeof all);
    room -= sizeof all + endpoint->handshake_length + settings_length(endpoint);
    end += snprintf(end, room, "%s|%s|%s%s|%u|%d|", server->name.bytes,
        server->id.bytes ? server->id.bytes : "",
        endpoint->host ? "tcp:" : "unix:", endpoint->host ? endpoint->host : endpoint->path,
        (unsigned)endpoint->port, endpoint->steps[0]);
    if (endpoint->handshake_length) { /* There is room for it, and for the settings. */
        memcpy(end, endpoint->handshake, endpoint->handshake_length);
        end += endpoint->handshake_length;
    }
    if (endpoint->tls) {
        oh_bytes settings = oh_tls_peer_settings(endpoint->tls);

        memcpy(end, settings.bytes, settings.length);
        end += settings.length;
    }
    return (size_t)(end - identity);
}

/* NULL if there is no memory. */
static oh_connections *make(const oh_server_pool *pool, const oh_server *server,
    const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_endpoint endpoint;

    if (!oh_endpoint_set(&endpoint, pool, server, identity)) {
        return NULL;
    }
    size_t room = sizeof(numbers) + OH_SEPARATORS_BYTES + server->name.length + server->id.length +
                  server->host.length + server->path.length + endpoint.handshake_length +
                  settings_length(&endpoint);
    oh_connections *connections = oh_memory_zeroed(1, sizeof *connections + room);
    if (!connections) {
        oh_endpoint_clear(&endpoint);
        return NULL;
    }
    connections->endpoint = endpoint;
    connections->size_max = pool->pool_size;
    connections->timeout_ms = pool->timeout_ms;
    connections->age_ms_max = pool->max_connection_age_ms;
    connections->identity_length =
        write_identity(connections->identity, room, &endpoint, server, pool);
    return connections;
}

static void destroy(oh_connections *connections)
{
    oh_endpoint_clear(&connections->endpoint);
    oh_node_health_end(&connections->health);
    oh_memory_erase(connections->identity, connections->identity_length);
    oh_memory_release(connections);
}

static oh_connections *find(const oh_connections *wanted)
{
    oh_connections *each = oh_pool_nodes;

    while (each && (each->identity_length != wanted->identity_length ||
                       memcmp(each->identity, wanted->identity, wanted->identity_length) != 0)) {
        each = each->next;
    }
    return each;
}

static void list(oh_connections *connections)
{
    connections->next = oh_pool_nodes;
    if (oh_pool_nodes) {
        oh_pool_nodes->previous = connections;
    }
    oh_pool_nodes = connections;
}

oh_connections *oh_pool_open(const oh_server_pool *pool, const oh_server *server,
    const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_connections *connections = make(pool, server, identity),
                   *known = connections ? find(connections) : NULL;

    if (known) {
        oh_endpoint_swap_names(&known->endpoint, &connections->endpoint);
        destroy(connections);
        connections = known;
    } else if (connections && oh_node_health_begin(&connections->health, NULL, pool, server)) {
        oh_host_begin(&connections->host, connections->identity, connections->identity_length,
            pool->pool_size);
        oh_pool_join(connections, 0);
        list(connections);
    } else if (connections) {
        destroy(connections);
        return NULL;
    } else {
        return NULL;
    }
    connections->references++;
    return connections;
}

void oh_pool_forget(oh_connections *connections)
{
    if (connections->previous) {
        connections->previous->next = connections->next;
    } else {
        oh_pool_nodes = connections->next;
    }
    if (connections->next) {
        connections->next->previous = connections->previous;
    }
    destroy(connections);
}

uint64_t oh_pool_join(oh_connections *connections, uint64_t now_ms)
{
    oh_host_node *host = &connections->host;

    now_ms = now_ms ? now_ms : oh_clock_now_ms();
    if (OH_UNLIKELY(!oh_host_is_joined(host, now_ms))) {
        oh_host_join(host, now_ms);
        /* The keys of an encrypted connection are in the memory of its process. */
        connections->is_of_host = !connections->endpoint.tls && oh_host_keeps(host);
        oh_node_health_move(&connections->health, host->shared ? &host->shared->health : NULL);
    }
    return now_ms;
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

oh_pool_view oh_pool_view_now(const oh_connections *connections)
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
