/*
 * What exchanges report about the connections of a node, for the health that all workers of the
 * host share.
 *
 * Implements spec/health, section 2.
 */
#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/pool/pool_internal.h"

/*
 * True if the entry of the node is still the same. A connection with a seat keeps that entry; one
 * without a seat may outlive it.
 */
static bool is_known(const oh_connection *connection)
{
    const oh_host_node *host = &connection->connections->host;

    return !host->shared || oh_store_is_held(host->shared, host->tenure);
}

/*
 * The earliest instant at which its call can have begun: when the connection was leased or, if it
 * was held, when its last reply came.
 */
static uint64_t began_ms(const oh_connection *connection)
{
    return OH_MAX(connection->leased_ms, connection->used_ms);
}

void oh_pool_report_stale(const oh_connection *connection)
{
    if (is_known(connection)) {
        oh_node_health_condemn(&connection->connections->health, began_ms(connection));
    }
}

void oh_pool_report_failure(oh_connection *connection, oh_health_cause cause, const char *why)
{
    if (connection && is_known(connection)) {
        connection->is_reported = true;
        if (oh_node_health_fail(&connection->connections->health, cause, connection->health, why)) {
            oh_pool_report_stale(connection);
        }
    }
}

/* True if the failure to open it is the node's. */
static bool is_of_node(const oh_connection *connection)
{
    return !connection->is_turned_away && !oh_connection_has_own_error(connection);
}

void oh_pool_report_failed_opening(oh_connection *connection, const char *why)
{
    if (is_of_node(connection)) {
        oh_pool_report_failure(connection,
            connection->state == OH_CONNECTING ? OH_HEALTH_REFUSED : OH_HEALTH_EXCHANGE, why);
    }
}

bool oh_pool_awaits_heir(oh_connections *connections, bool has_heir)
{
    return oh_node_health_awaits_heir(&connections->health, has_heir);
}

/* True if several nodes were late together. Where nodes are ejected, every late node counts. */
static bool is_late_together(const oh_connections *connections, uint64_t begun_ms)
{
    oh_health_lateness lateness = {.began_ms = begun_ms, .now_ms = oh_clock_now_ms()};

    for (const oh_connections *each = oh_pool_nodes; each; each = each->next) {
        const oh_store_health *known = each->health.known;

        oh_health_add_late(&lateness, atomic_load(&known->heard_ms), atomic_load(&known->late_ms),
            known != connections->health.known);
    }
    return !connections->health.rules.ejects && oh_health_is_late_together(&lateness);
}

void oh_pool_note_late(const oh_connection *connection)
{
    if (is_known(connection) && is_of_node(connection)) {
        atomic_store(&connection->connections->health.known->late_ms, oh_clock_now_ms());
    }
}

void oh_pool_report_late(oh_connection *connection, const char *why)
{
    oh_pool_note_late(connection);
    if (!is_known(connection) || !is_of_node(connection)) {
        return;
    }
    oh_pool_report_stale(connection);
    if (!is_late_together(connection->connections, began_ms(connection))) {
        oh_pool_report_failure(connection, OH_HEALTH_EXCHANGE, why);
    }
}

void oh_pool_report_success(oh_connection *connection, uint64_t now_ms)
{
    connection->used_ms = now_ms;
    connection->connections->is_slow = false;
    if (OH_LIKELY(!connection->is_reported && is_known(connection))) {
        oh_node_health_answer(&connection->connections->health, now_ms);
    }
}

void oh_pool_report_ready(oh_connection *connection)
{
    if (is_known(connection)) {
        oh_node_health_answer(&connection->connections->health, oh_clock_now_ms());
    }
}
