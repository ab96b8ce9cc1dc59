/*
 * A server pool is shown from the image that is published of it. The store has numbers and connections of all
 * workers; what a process keeps for itself alone is added from its own snapshot, if it has one.
 */
#include "php_onehop.h"

#include "core/base/clock.h"
#include "core/topology/topology_image.h"

#include "engine/cluster/cluster.h"
#include "engine/pool/pool_entry.h"
#include "engine/shared/segment.h"
#include "engine/source/source.h"
#include "php/userland/status.h"

#define OH_LIMIT_BITS_MIN 4 /* Of a histogram: 16 us to 16.8 s. */
#define OH_LIMIT_BITS_MAX 24
#define OH_SHOWN_MAX (UINT64_C(1) << 53)

/* A server pool, for as long as it is shown. */
typedef struct oh_shown {
    const char *path;
    uint64_t generation;
    uint64_t read_at;    /* As oh_store_read_at has it. */
    const char *problem; /* Why the file was refused then; anybody may have written that. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    oh_pool pool;
    const oh_topology *topology;
    const oh_snapshot *snapshot; /* Of this process; NULL: it has none. */
} oh_shown;

/* What there is of one of its nodes. */
typedef struct oh_seen {
    uint32_t leased, idle;
    bool is_up, is_known; /* By somebody. */
    uint64_t until_ms;    /* The latest instant until which somebody leaves it alone. */
    const oh_store_health *down; /* Of the one who does; NULL: everybody asks it. */
    uint32_t failures;
    bool is_refused, is_down;    /* Somebody leaves it alone now; nobody knows it to be up. */
    const oh_meter *meter;       /* NULL: nothing was counted yet. */
} oh_seen;

/* ---- Looking ---- */

static void see_health(oh_seen *seen, const oh_store_health *health)
{
    uint64_t state = atomic_load_explicit(&health->state, memory_order_relaxed);
    uint64_t until_ms = oh_health_until(state);

    seen->is_known = true;
    seen->is_up |= until_ms == 0;
    if (until_ms > seen->until_ms) {
        seen->until_ms = until_ms;
        seen->down = health;
    }
    seen->failures = MAX(seen->failures, oh_health_failures(state));
}

static void see_host(oh_seen *seen, const oh_store_meter *meter)
{
    const oh_store *store = oh_segment_store();

    for (uint32_t i = 0; i < oh_store_nodes_max(store); i++) {
        if (oh_store_is_tied(meter, i)) {
            const oh_store_node *node = oh_store_node_at(store, i);
            oh_store_usage usage = oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX);

            seen->leased += usage.leased;
            seen->idle += usage.idle;
            see_health(seen, &node->health);
        }
    }
}

/* Where this process has the node, by its name; NONE: nowhere, or nobody has used it. */
static uint32_t own_index(const oh_shown *shown, const oh_text *name)
{
    const oh_snapshot *snapshot = shown->snapshot;

    for (uint32_t i = 0; snapshot && i < snapshot->nodes_count; i++) {
        const oh_text *other = &snapshot->pool->servers[i].name;

        if (snapshot->connections[i] && other->length == name->length &&
            memcmp(other->bytes, name->bytes, name->length) == 0) {
            return i;
        }
    }
    return OH_STORE_NONE;
}

static oh_seen look(const oh_shown *shown, const oh_text *name)
{
    const oh_store_meter *shared = oh_metered_find(shown->identity, name);
    uint32_t own = own_index(shown, name);
    oh_seen seen = {.leased = 0};

    if (shared) {
        see_host(&seen, shared);
        seen.meter = &shared->meter;
    }
    if (own != OH_STORE_NONE) {
        oh_pool_view view = oh_pool_look(shown->snapshot->connections[own]);

        if (!view.is_of_host) {
            seen.leased += view.leased;
            seen.idle += view.idle;
        }
        if (!shared) {
            see_health(&seen, view.health);
            seen.meter = shown->snapshot->meters[own].meter;
        }
    }
    seen.is_refused = seen.until_ms > oh_clock_now_ms();
    seen.is_down = seen.is_refused || (!shown->pool.auto_eject_hosts && seen.is_known && !seen.is_up);
    return seen;
}

/* Shares are those of the ring without the nodes that are ejected. */
static void look_at_shares(const oh_shown *shown, const oh_seen *seen, uint32_t count, uint32_t *shares)
{
    bool *ejected = safe_emalloc(count, sizeof *ejected, 0), is_any_ejected = false;

    for (uint32_t i = 0; i < count; i++) {
        ejected[i] = shown->pool.auto_eject_hosts && seen[i].is_down;
        is_any_ejected |= ejected[i];
    }
    if (is_any_ejected) {
        size_t size = oh_topology_size(&shown->pool);
        oh_topology *now = emalloc(size);

        oh_topology_build(&shown->pool, ejected, now, size);
        oh_topology_shares(now, shares);
        efree(now);
    } else {
        oh_topology_shares(shown->topology, shares);
    }
    efree(ejected);
}

/* ---- Showing ---- */

/* Anybody may have written there: what is not printable is left out. */
static void show_text(zval *into, const char *name, const char *text)
{
    zend_string *shown = zend_string_alloc(strlen(text), false);
    size_t length = 0;

    for (const char *at = text; *at; at++) {
        ZSTR_VAL(shown)[length] = *at;
        length += *at >= ' ' && *at <= '~';
    }
    ZSTR_VAL(shown)[length] = '\0';
    ZSTR_LEN(shown) = length;
    add_assoc_str(into, name, shown);
}

static void show_reason(zval *into, const oh_store_health *health)
{
    char text[sizeof health->reason + 1];

    oh_store_read_text(health->reason, OH_STORE_REASON_WORDS, text);
    show_text(into, "reason", text);
}

/* Of a Redis Cluster, and whom a replica follows. A node of none has no id. */
static void show_role(zval *into, const oh_shown *shown, const oh_node *node)
{
    oh_node master = oh_topology_node(shown->topology, node->master);

    if (node->id.length > 0) {
        add_assoc_string(into, "role", oh_role_name(node->role));
    } else {
        add_assoc_null(into, "role");
    }
    if (node->id.length > 0 && node->role == OH_REPLICA && master.role != OH_GONE) {
        add_assoc_stringl(into, "master", master.name.bytes, master.name.length);
    } else {
        add_assoc_null(into, "master");
    }
}

static void show_state(zval *into, const oh_shown *shown, const oh_seen *seen)
{
    uint64_t now_ms = oh_clock_now_ms();

    add_assoc_string(into, "state", !seen->is_down ? "up" : shown->pool.auto_eject_hosts ? "ejected" : "resting");
    add_assoc_long(into, "rests_ms", seen->until_ms > now_ms ? (zend_long)(seen->until_ms - now_ms) : 0);
    add_assoc_long(into, "failures", seen->failures);
    if (seen->is_down && seen->down) {
        show_reason(into, seen->down);
    } else {
        add_assoc_null(into, "reason");
    }
}

static void show_connections(zval *into, const oh_shown *shown, const oh_seen *seen)
{
    zval connections;

    array_init_size(&connections, 3);
    add_assoc_long(&connections, "leased", seen->leased);
    add_assoc_long(&connections, "idle", seen->idle);
    add_assoc_long(&connections, "max", shown->pool.pool_size);
    add_assoc_zval(into, "connections", &connections);
}

/* Anybody may have written there: no sum of such numbers is too large for PHP, and a double, too, has them exactly. */
static void show_number(zval *into, const char *name, uint64_t number)
{
    add_assoc_long(into, name, (zend_long)MIN(number, OH_SHOWN_MAX));
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
        add_index_long(&below, 1L << bits, (zend_long)MIN(oh_meter_below(reading, UINT64_C(1) << bits), OH_SHOWN_MAX));
    }
    add_assoc_zval(&latency, "below", &below);
    add_assoc_zval(into, "latency", &latency);
}

static void show_numbers(zval *into, const oh_meter_reading *reading)
{
    static const struct {
        const char *name;
        oh_meter_counter counter;
    } numbers[] = {{"errors", OH_METER_ERRORS}, {"redirects", OH_METER_REDIRECTS}, {"leases", OH_METER_LEASES},
        {"waits", OH_METER_WAITS}, {"connects", OH_METER_CONNECTS}, {"bytes_sent", OH_METER_BYTES_SENT},
        {"bytes_received", OH_METER_BYTES_RECEIVED}};

    show_number(into, "calls", reading->calls);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        show_number(into, numbers[i].name, reading->counters[numbers[i].counter]);
    }
    show_latency(into, reading);
}

static void show_node(zval *list, const oh_shown *shown, uint32_t index, const oh_seen *seen, uint32_t share)
{
    oh_node node = oh_topology_node(shown->topology, index);
    oh_meter_reading reading = {.calls = 0};
    zval into;

    if (seen->meter) {
        oh_meter_read(seen->meter, &reading);
    }
    array_init(&into);
    add_assoc_stringl(&into, "node", node.name.bytes, node.name.length);
    if (node.path.bytes) {
        add_assoc_stringl(&into, "address", node.path.bytes, node.path.length);
    } else {
        add_assoc_str(&into, "address", strpprintf(0, "%s:%u", node.host.bytes, (unsigned)node.port));
    }
    add_assoc_long(&into, "weight", node.weight);
    show_role(&into, shown, &node);
    add_assoc_double(&into, "share", (double)share / OH_SHARES);
    show_state(&into, shown, seen);
    show_connections(&into, shown, seen);
    show_numbers(&into, &reading);
    add_next_index_zval(list, &into);
}

/* What the last look at the file has led to. */
static void show_config(zval *into, const oh_shown *shown)
{
    bool is_refused = shown->read_at % 2 == 1 && shown->problem;
    zval config;

    array_init_size(&config, 3);
    show_number(&config, "read_at", shown->read_at / 2);
    add_assoc_bool(&config, "ok", !is_refused);
    if (is_refused) {
        show_text(&config, "error", shown->problem);
    } else {
        add_assoc_null(&config, "error");
    }
    add_assoc_zval(into, "config", &config);
}

/* Of the host, for all its server pools together: entries, and descriptors that lie in queues. */
static void show_sharing(zval *into)
{
    oh_host_view view = oh_host_look();
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

static void show_pool(zval *list, const oh_shown *shown)
{
    uint32_t count = oh_topology_nodes_count(shown->topology), *shares = safe_emalloc(count, sizeof *shares, 0);
    oh_seen *seen = safe_emalloc(count, sizeof *seen, 0);
    zval into, nodes;

    for (uint32_t i = 0; i < count; i++) {
        seen[i] = look(shown, &shown->pool.servers[i].name);
    }
    look_at_shares(shown, seen, count, shares);
    array_init(&into);
    add_assoc_stringl(&into, "pool", shown->pool.name.bytes, shown->pool.name.length);
    add_assoc_string(&into, "path", shown->path);
    add_assoc_long(&into, "generation", (zend_long)shown->generation);
    add_assoc_string(&into, "fingerprint", oh_topology_fingerprint(shown->topology));
    add_assoc_string(&into, "distribution", oh_distribution_name(oh_topology_distribution(shown->topology)));
    add_assoc_string(&into, "hash", oh_hash_name(oh_topology_hash_function(shown->topology)));
    show_config(&into, shown);
    show_sharing(&into);
    array_init(&nodes);
    for (uint32_t i = 0; i < count; i++) {
        if (oh_topology_node(shown->topology, i).role != OH_GONE) {
            show_node(&nodes, shown, i, &seen[i], shares[i]);
        }
    }
    add_assoc_zval(&into, "nodes", &nodes);
    add_next_index_zval(list, &into);
    efree(shares);
    efree(seen);
}

/* Of a Redis Cluster the map is shown, which is published for itself; its seeds serve no slot. */
static bool is_seeds(const oh_pool *pool)
{
    uint32_t slot = 0;

    while (pool->slots && slot < OH_SLOTS_COUNT && (pool->slots[slot] & OH_SLOT_UNSERVED)) {
        slot++;
    }
    return pool->is_cluster && slot == (pool->slots ? OH_SLOTS_COUNT : 0);
}

static void show_image(zval *list, oh_shown *shown, const void *image)
{
    oh_server *servers;

    shown->topology = oh_image_topology(image);
    servers = safe_emalloc(oh_topology_nodes_count(shown->topology), sizeof *servers, 0);
    oh_image_pool(image, servers, &shown->pool);
    if (!is_seeds(&shown->pool)) {
        show_pool(list, shown);
    }
    efree(servers);
}

/* ---- Which ---- */

/* What this process has of the server pool at that place of the store. */
static const oh_snapshot *own_snapshot(uint32_t index)
{
    const oh_snapshot *snapshot;
    oh_source_place place;
    uint32_t at = 0;

    while ((snapshot = oh_source_next(&at, &place)) && place.index != index) {
    }
    return snapshot;
}

/* A map is published for itself; what is known of the file stands with the seeds. */
static uint32_t place_of_file(const oh_shown *shown, uint32_t index)
{
    uint8_t seeds[OH_STORE_IDENTITY_BYTES], map[OH_STORE_IDENTITY_BYTES];

    for (uint32_t i = 0; i < oh_store_pools_count(oh_segment_store()); i++) {
        oh_store_identity(oh_segment_store(), i, seeds);
        oh_cluster_identify(seeds, map);
        if (memcmp(map, shown->identity, sizeof map) == 0) {
            return i;
        }
    }
    return index;
}

/* A server pool that is no cluster any more still has a map in the store, behind itself. */
static uint32_t forgotten_map(const oh_shown *shown)
{
    uint8_t identity[OH_STORE_IDENTITY_BYTES];

    oh_cluster_identify(shown->identity, identity);
    return shown->pool.is_cluster ? OH_STORE_NONE : oh_store_find(oh_segment_store(), identity);
}

static void show_published(zval *list, uint32_t index, bool *is_forgotten)
{
    oh_store *store = oh_segment_store();
    char path[OH_STORE_LABEL_BYTES], problem[OH_STORE_PROBLEM_WORDS * sizeof(uint64_t) + 1];
    oh_shown shown = {.path = path, .problem = problem, .snapshot = own_snapshot(index)};
    size_t room = 1 << 14, length;
    void *image = emalloc(room);

    while ((length = oh_store_copy(store, index, image, room, &shown.generation)) > room) {
        room = length + length / 4;
        image = erealloc(image, room);
    }
    if (length && oh_image_is_valid(image, length)) {
        oh_store_label(store, index, path);
        oh_store_identity(store, index, shown.identity);
        uint32_t file = place_of_file(&shown, index);
        shown.read_at = atomic_load(oh_store_read_at(store, file));
        oh_store_read_text(oh_store_problem(store, file), OH_STORE_PROBLEM_WORDS, problem);
        show_image(list, &shown, image);
        uint32_t map = forgotten_map(&shown);
        if (map != OH_STORE_NONE) {
            is_forgotten[map] = true;
        }
    }
    efree(image);
}

void oh_status_show(zval *list)
{
    uint32_t count = oh_segment_store() ? oh_store_pools_count(oh_segment_store()) : 0, at = 0;
    bool is_forgotten[OH_STORE_POOLS_MAX] = {false};
    oh_source_place place;
    oh_snapshot *snapshot;

    array_init(list);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_forgotten[i]) {
            show_published(list, i, is_forgotten);
        }
    }
    while ((snapshot = oh_source_next(&at, &place))) {
        if (place.index == OH_STORE_NONE) {
            oh_shown shown = {.path = place.path, .generation = place.generation, .read_at = place.read_at,
                .problem = place.problem, .snapshot = snapshot};

            memcpy(shown.identity, snapshot->identity, sizeof shown.identity);
            show_image(list, &shown, snapshot->image);
        }
    }
}
