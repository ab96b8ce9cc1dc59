/*
 * A client never changes its snapshot during a pipeline, a transaction or a subscription: the
 * replies of a pipeline are given to its commands by the map under which the commands were queued.
 *
 * A node of a Redis Cluster keeps its index as long as it belongs to the cluster. So node clients
 * survive a change of the map. Only those of removed nodes are closed. After a change of the
 * configuration, node clients of nodes that have kept their index survive, too.
 */
#include "php/base/zend.h"

#include "core/base/compiler.h"

#include "engine/snapshot/snapshot.h"
#include "php/call/enter.h"
#include "php/phpredis/node_client.h"
#include "engine/nodes/nodes.h"
#include "engine/source/source.h"

/* True if no call is running and nothing is queued, watched or subscribed. */
static bool is_at_rest(const oh_client *client)
{
    return client->mode == OH_ATOMIC && !client->transaction && !client->subscription;
}

/* ---- Ejected nodes ---- */

static void follow_ejection(oh_client *client)
{
    oh_live_ring *ring = oh_ejection_follow(client->snapshot);

    if (UNEXPECTED(ring != client->ring)) {
        oh_client_place_by(client, ring);
    }
}

/* ---- Another snapshot ---- */

static bool has_call_going_on(const oh_client *client)
{
    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        for (const oh_node_client *node_client = client->node_clients[node]; node_client;
            node_client = node_client->spare) {
            if (node_client->is_busy || node_client->is_reserved || node_client->holds) {
                return true;
            }
        }
    }
    return false;
}

/* True if a node client of `a` can serve `b`. */
static bool has_same_node(const oh_snapshot *a, const oh_snapshot *b, uint32_t node)
{
    if (node >= b->nodes_count ||
        ((a->is_cluster || b->is_cluster) && a->known_by != b->known_by) ||
        a->pool->is_ssdb != b->pool->is_ssdb || oh_topology_is_moving(a->topology) ||
        oh_topology_is_moving(b->topology)) {
        return false;
    }
    const oh_server *before = &a->pool->servers[node], *after = &b->pool->servers[node];

    return after->role != OH_GONE && oh_text_is_same(before->name, after->name);
}

static void move_node_clients(oh_client *client, oh_snapshot *snapshot)
{
    oh_node_client **node_clients = ecalloc(snapshot->nodes_count, sizeof *node_clients);

    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        if (!client->node_clients[node]) {
            continue;
        }
        if (!has_same_node(client->snapshot, snapshot, node) ||
            !oh_snapshot_connections(snapshot, node)) {
            client->last_error_client = NULL;
            oh_node_client_close(client->node_clients[node]);
            continue;
        }
        node_clients[node] = client->node_clients[node];
        for (oh_node_client *node_client = node_clients[node]; node_client;
            node_client = node_client->spare) {
            oh_node_client_set_map(node_client, snapshot);
        }
    }
    efree(client->node_clients);
    client->node_clients = node_clients;
}

/* Takes over the counted snapshot. Only if no call is going on. */
static void adopt(oh_client *client, oh_snapshot *snapshot)
{
    move_node_clients(client, snapshot);
    oh_client_place_by(client, NULL);
    uint32_t database = oh_client_database(client);
    oh_snapshot_release(client->snapshot);
    client->snapshot = snapshot;
    if (client->has_selected && oh_client_database(client) != database) {
        client->database = oh_database_of(database);
    }
    client->topology = snapshot->topology;
    client->takes_express = client->takes_express && oh_client_may_take_express(client);
    client->last_read_node = MIN(client->last_read_node, snapshot->nodes_count - 1);
    client->any_node = MIN(client->any_node, snapshot->nodes_count - 1);
    if (!oh_snapshot_has_keys(snapshot, client->any_node)) {
        client->any_node = oh_snapshot_next(snapshot, client->any_node);
    }
    if (!client->has_read_timeout) {
        client->timeout_ms = snapshot->pool->timeout_ms;
    }
}

/* A pool that has become one of memcached is not followed: no client can be made of it either. */
static OH_NOINLINE void follow_configuration(oh_client *client)
{
    oh_snapshot *snapshot =
        is_at_rest(client) && !client->is_of_session ? oh_source_follow(client->snapshot) : NULL;

    if (!snapshot) {
        return;
    }
    /* Meanwhile a signal's handler may have used this client. */
    if (snapshot == client->snapshot || !snapshot->pool->is_redis || !is_at_rest(client) ||
        has_call_going_on(client)) {
        oh_snapshot_release(snapshot);
        return;
    }
    adopt(client, snapshot);
}

static void follow_map(oh_client *client, oh_nodes *nodes)
{
    oh_nodes_tick(nodes);
    if (EXPECTED(!oh_nodes_are_old(nodes, client->snapshot)) || !is_at_rest(client) ||
        has_call_going_on(client)) {
        return;
    }
    adopt(client, oh_nodes_hold_newest(nodes));
}

/* ---- Entering ---- */

oh_client *oh_client_enter(zend_execute_data *execute_data)
{
    oh_client *client = oh_client_of(Z_OBJ_P(ZEND_THIS));

    if (UNEXPECTED(!client->snapshot)) {
        zend_throw_error(NULL, "%s has not called the constructor of OneHop\\Redis",
            ZSTR_VAL(Z_OBJCE_P(ZEND_THIS)->name));
        return NULL;
    }
    if (client->mode == OH_ATOMIC && oh_source_is_due(client->snapshot)) {
        follow_configuration(client);
    }
    if (UNEXPECTED(client->snapshot->ejects) && is_at_rest(client)) {
        follow_ejection(client);
    }
    if (UNEXPECTED(client->snapshot->known_by != NULL)) {
        follow_map(client, client->snapshot->known_by);
    }
    return client;
}
