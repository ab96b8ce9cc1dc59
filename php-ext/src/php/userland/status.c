/*
 * Builds the PHP arrays of the status. Users and dashboards depend on the names and the order of
 * their keys.
 */
#include "php/base/zend.h"

#include "core/base/clock.h"

#include "engine/pool/pool_entry.h"
#include "engine/status/status.h"

#include "php/exception/exception.h"
#include "php/userland/userland.h"

#define OH_LIMIT_BITS_MIN 4 /* Limits of the histogram as powers of two: 16 us to 16.8 s. */
#define OH_LIMIT_BITS_MAX 24
#define OH_SHOWN_MAX (UINT64_C(1) << 53)

/* Adds a text, or null if there is none. */
static void show_text(zval *into, const char *name, const char *text)
{
    if (text) {
        add_assoc_string(into, name, text);
    } else {
        add_assoc_null(into, name);
    }
}

/*
 * Adds a number from shared memory, where any process may have written anything. It is bounded, so
 * that sums do not overflow in PHP and a double holds it exactly.
 */
static void show_number(zval *into, const char *name, uint64_t number)
{
    add_assoc_long(into, name, (zend_long)MIN(number, OH_SHOWN_MAX));
}

/* When the node was first used, in seconds since 1970; null before that. */
static void show_since(zval *into, const oh_meter_reading *reading)
{
    if (reading->since_s) {
        show_number(into, "since", reading->since_s);
    } else {
        add_assoc_null(into, "since");
    }
}

/* When the last call succeeded, in seconds since 1970; null before the first one. */
static void show_answered(zval *into, const oh_meter_reading *reading, uint64_t now_ns)
{
    if (reading->answered_ns) {
        uint64_t ago_ns = now_ns - MIN(now_ns, reading->answered_ns);

        show_number(into, "answered_at", oh_clock_unix_s() - ago_ns / 1000000000);
    } else {
        add_assoc_null(into, "answered_at");
    }
}

static void show_latency(zval *into, const oh_meter_reading *reading)
{
    zval latency, below;

    array_init(&latency);
    show_number(&latency, "count", reading->timed);
    show_number(&latency, "sum", reading->counters[OH_METER_LATENCY_US]);
    show_number(&latency, "p50", oh_meter_percentile(reading, 500));
    show_number(&latency, "p99", oh_meter_percentile(reading, 990));
    array_init(&below);
    for (uint32_t bits = OH_LIMIT_BITS_MIN; bits <= OH_LIMIT_BITS_MAX; bits++) {
        add_index_long(&below, 1L << bits,
            (zend_long)MIN(oh_meter_below(reading, UINT64_C(1) << bits), OH_SHOWN_MAX));
    }
    add_assoc_zval(&latency, "below", &below);
    add_assoc_zval(into, "latency", &latency);
}

static void show_numbers(zval *into, const oh_meter_reading *reading)
{
    static const struct {
        const char *name;
        oh_meter_counter counter;
    } numbers[] = {{"errors", OH_METER_ERRORS}, {"redirects", OH_METER_REDIRECTS},
        {"leases", OH_METER_LEASES}, {"waits", OH_METER_WAITS}, {"connects", OH_METER_CONNECTS},
        {"selects", OH_METER_SELECTS}, {"bytes_sent", OH_METER_BYTES_SENT},
        {"bytes_received", OH_METER_BYTES_RECEIVED}};

    show_number(into, "calls", reading->calls);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        show_number(into, numbers[i].name, reading->counters[numbers[i].counter]);
    }
    show_latency(into, reading);
}

/* The calls of this process alone. */
static void show_own(zval *into, const oh_metered_own *own)
{
    zval process;

    array_init_size(&process, 4);
    show_number(&process, "calls", own->calls);
    show_number(&process, "errors", own->errors);
    show_number(&process, "time", own->took_ns / 1000);
    add_assoc_zval(into, "process", &process);
}

/* ---- Nodes ---- */

/* Adds the role of a node that has one, and the master of a replica. */
static void show_role(zval *into, const oh_node_status *status)
{
    const oh_node *node = &status->node;

    show_text(into, "role", oh_node_has_role(node) ? oh_role_name(node->role) : NULL);
    if (status->master.bytes) {
        add_assoc_stringl(into, "master", status->master.bytes, status->master.length);
    } else {
        add_assoc_null(into, "master");
    }
}

static void show_state(zval *into, const oh_node_status *status)
{
    static const char *const names[] = {"up", "resting", "ejected", "returned"};

    add_assoc_string(into, "state", names[status->state]);
    add_assoc_long(into, "rests_ms", (zend_long)status->rests_ms);
    add_assoc_long(into, "failures", status->failures);
    show_text(into, "reason", status->has_reason ? status->reason : NULL);
}

static void show_connections(zval *into, const oh_server_pool *pool, const oh_node_status *status)
{
    zval connections;

    array_init_size(&connections, 4);
    add_assoc_long(&connections, "leased", status->leased);
    add_assoc_long(&connections, "idle", status->idle);
    add_assoc_long(&connections, "max", pool->pool_size);
    add_assoc_string(&connections, "scope", status->is_of_host ? "host" : "process");
    add_assoc_zval(into, "connections", &connections);
}

static void show_node(zval *list, const oh_server_pool *pool, const oh_node_status *status)
{
    const oh_node *node = &status->node;
    oh_meter_reading reading = {.calls = 0};
    uint64_t now_ns = oh_clock_now_ns();
    zval into;

    if (status->meter) {
        oh_meter_read(status->meter, now_ns, &reading);
    }
    array_init(&into);
    add_assoc_stringl(&into, "node", node->name.bytes, node->name.length);
    if (node->path.bytes) {
        add_assoc_stringl(&into, "address", node->path.bytes, node->path.length);
    } else {
        add_assoc_str(
            &into, "address", strpprintf(0, "%s:%u", node->host.bytes, (unsigned)node->port));
    }
    add_assoc_long(&into, "weight", node->weight);
    show_role(&into, status);
    add_assoc_double(&into, "share", (double)status->share / OH_SHARES);
    show_state(&into, status);
    show_connections(&into, pool, status);
    show_since(&into, &reading);
    show_answered(&into, &reading, now_ns);
    show_number(&into, "errors_recent", reading.recent_errors);
    show_numbers(&into, &reading);
    show_own(&into, &status->own);
    add_next_index_zval(list, &into);
}

/* ---- Server pools ---- */

/* Adds the result of the last check of the file. */
static void show_config(zval *into, const oh_server_pool_status *status)
{
    zval config;

    array_init_size(&config, 3);
    show_number(&config, "read_at", status->read_at);
    add_assoc_bool(&config, "ok", !status->problem);
    show_text(&config, "error", status->problem);
    add_assoc_zval(into, "config", &config);
}

/* Adds the totals of the host, over all server pools: entries, and descriptors in queues. */
static void show_sharing(zval *into)
{
    oh_host_view view = oh_host_view_now();
    zval sharing;

    array_init_size(&sharing, 4);
    add_assoc_long(&sharing, "nodes", view.nodes);
    add_assoc_long(&sharing, "nodes_max", view.nodes_max);
    add_assoc_long(&sharing, "descriptors", view.idle);
    if (view.idle_max) {
        add_assoc_long(&sharing, "descriptors_max", (zend_long)MIN(view.idle_max, OH_SHOWN_MAX));
    } else {
        add_assoc_null(&sharing, "descriptors_max");
    }
    add_assoc_zval(into, "sharing", &sharing);
}

static void show_pool(zval *list, const oh_server_pool_status *status)
{
    const oh_topology *topology = status->topology;
    zval into, nodes;

    array_init(&into);
    add_assoc_stringl(&into, "pool", status->pool.name.bytes, status->pool.name.length);
    add_assoc_string(&into, "path", status->path);
    add_assoc_long(&into, "generation", (zend_long)status->generation);
    add_assoc_string(&into, "fingerprint", oh_topology_fingerprint(topology));
    add_assoc_string(
        &into, "distribution", oh_distribution_name(oh_topology_distribution(topology)));
    add_assoc_string(&into, "hash", oh_hash_name(oh_topology_hash_function(topology)));
    show_config(&into, status);
    show_sharing(&into);
    array_init(&nodes);
    for (uint32_t i = 0; i < status->nodes_count; i++) {
        show_node(&nodes, &status->pool, &status->nodes[i]);
    }
    add_assoc_zval(&into, "nodes", &nodes);
    add_next_index_zval(list, &into);
}

void oh_status_show(zval *list)
{
    oh_server_pool_status *pools;
    oh_failure failure;

    array_init(list);
    if (!oh_status_collect(&pools)) {
        oh_failure_set_no_memory(&failure, OH_OUTCOME_NOT_SENT);
        oh_failure_throw(oh_failure_exception(&failure, NULL, NULL, NULL));
        return;
    }
    for (const oh_server_pool_status *pool = pools; pool; pool = pool->next) {
        show_pool(list, pool);
    }
    oh_status_release(pools);
}
