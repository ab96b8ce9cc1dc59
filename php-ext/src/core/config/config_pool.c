/*
 * The end of a pool: its values, servers, Sentinels, replicas and zones are taken, and the rules
 * for the whole pool checked: which directives are missing, need each other, or exclude each other.
 *
 * Implements spec/config, the end of section 5.
 */
#include <string.h>

#include "core/config/config_reader.h"

static bool has_server(const oh_server_pool *pool, bool (*is_such)(const oh_server *))
{
    size_t servers = oh_server_pool_count_masters(pool);

    for (size_t i = 0; i < servers; i++) {
        if (is_such(&pool->servers[i])) {
            return true;
        }
    }
    return false;
}

static bool is_weighted(const oh_server *server)
{
    return server->weight != 1;
}

static bool is_unix(const oh_server *server)
{
    return server->path.bytes != NULL;
}

/*
 * True if its name is its address. The colon shows that: no name that Sentinels have for a master
 * contains one.
 */
static bool is_unnamed(const oh_server *server)
{
    return memchr(server->name.bytes, ':', server->name.length) != NULL;
}

static bool has(const oh_config_reader *reader, int directive)
{
    return reader->seen >> directive & 1;
}

/* ---- Distributions of other clients ---- */

static bool has_strange_hash(const oh_server_pool *pool)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);
    uint32_t nutcrackers = OH_HASH_BIT(OH_HASHES_COUNT) - 1;
    uint32_t hashes = foreign ? foreign->hashes : nutcrackers;

    return (hashes & OH_HASH_BIT(pool->hash)) == 0;
}

static bool has_no_tags(const oh_server_pool *pool)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);

    return foreign && !foreign->has_tags;
}

static bool has_strange_weights(const oh_server_pool *pool)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);

    return foreign && !foreign->has_weights && has_server(pool, is_weighted);
}

static bool has_long_name(const oh_server_pool *pool)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);
    size_t most = foreign ? foreign->name_bytes_max : 0;

    for (size_t i = 0; most > 0 && i < oh_server_pool_count_masters(pool); i++) {
        if (pool->servers[i].name.length > most) {
            return true;
        }
    }
    return false;
}

static bool has_many_points(const oh_config_reader *reader, const oh_server_pool *pool)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);

    return foreign && foreign->has_many_points && reader->new_weights_sum > OH_POOL_SERVERS_MAX;
}

/* ---- The ring that keys move from ---- */

static bool is_so(const oh_server_pool *old, bool (*is_such)(const oh_server_pool *))
{
    return old && old->servers_count > 0 && is_such(old);
}

static bool has_strange_old_hash(const oh_server_pool *pool)
{
    return pool->has_moving_from_distribution && is_so(pool->old_ring, has_strange_hash);
}

static bool has_many_old_points(const oh_config_reader *reader, const oh_server_pool *old)
{
    const oh_foreign *foreign = old ? oh_foreign_of(old->distribution) : NULL;

    return foreign && foreign->has_many_points && reader->weights_sum > OH_POOL_SERVERS_MAX;
}

static bool lacks_old_slots(const oh_config_reader *reader, const oh_server_pool *old)
{
    const oh_foreign *foreign = old ? oh_foreign_of(old->distribution) : NULL;

    return foreign && foreign->has_slots && old->servers_count > 0 &&
           reader->weights_sum < OH_SHARD_SLOTS;
}

static bool lacks_slots(const oh_config_reader *reader, const oh_server_pool *pool)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);

    return foreign && foreign->has_slots && reader->is_own_pool &&
           reader->new_weights_sum < OH_SHARD_SLOTS;
}

/* The server with that name in a sequence; NULL if there is none. */
static const oh_server *find_server(const oh_config_sequence *sequence, oh_text name)
{
    bool is_there;
    size_t place = oh_config_find(sequence, name, &is_there);

    return is_there ? sequence->items[place] : NULL;
}

static bool has_two_addresses(const oh_config_reader *reader)
{
    const oh_config_sequence *old = &reader->sequences[OH_CONFIG_MOVING_FROM];

    for (size_t i = 0; i < old->items_count; i++) {
        const oh_server *other =
            find_server(&reader->sequences[OH_CONFIG_SERVERS], old->items[i]->name);

        if (other && !oh_server_has_address_of(other, old->items[i])) {
            return true;
        }
    }
    return false;
}

static bool has_many_servers(const oh_config_reader *reader)
{
    size_t old = reader->sequences[OH_CONFIG_MOVING_FROM].items_count;

    return old > 0 && old + reader->sequences[OH_CONFIG_SERVERS].items_count > OH_POOL_SERVERS_MAX;
}

/*
 * Sets what depends on the distribution; so does the default of `hash`, which counts if the pool
 * names no hash that is right.
 */
static void be_foreign(oh_config_reader *reader, oh_server_pool *pool, oh_hash default_hash)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);

    reader->has_slots = foreign && foreign->has_slots && reader->is_own_pool;
    reader->has_long_names = foreign && !foreign->has_short_names;
    if (pool->hash == OH_ALL_HASHES_COUNT) {
        pool->hash = foreign ? foreign->default_hash : default_hash;
    }
}

/* ---- Rules ---- */

enum {
#define X(name, is_so) FACT_##name,
    OH_POOL_FACTS(X)
#undef X
};

#define HAS(name) (UINT64_C(1) << OH_CONFIG_##name)
#define IS(name) (UINT32_C(1) << FACT_##name)

/* It is an error if all conditions of a rule are true. */
static const struct {
    uint64_t has, lacks; /* Directives. */
    uint32_t is, is_not; /* Facts. */
    bool misses;         /* The error is that something is missing. */
    int named;           /* The directive that the reason names first. */
    const char *reason;
} rules[] = {OH_POOL_RULES};
#define RULES_COUNT (sizeof rules / sizeof rules[0])

static uint32_t facts_of(const oh_config_reader *reader, const oh_server_pool *pool)
{
    const oh_server_pool *old = pool->old_ring;
    uint32_t facts = 0;

#define X(name, is_so) facts |= (is_so) ? IS(name) : 0;
    OH_POOL_FACTS(X)
#undef X
    return facts;
}

/*
 * Rules that miss something are checked only if the pool has no other error: the missing directive
 * may be the one that is misspelled.
 */
static void check_pool(oh_config_reader *reader, const oh_server_pool *pool)
{
    bool is_whole = oh_config_errors_count(reader) == reader->errors_before;
    uint32_t facts = facts_of(reader, pool);

    for (size_t i = 0; i < RULES_COUNT; i++) {
        if ((reader->seen & rules[i].has) == rules[i].has && (reader->seen & rules[i].lacks) == 0 &&
            (facts & rules[i].is) == rules[i].is && (facts & rules[i].is_not) == 0 &&
            (is_whole || !rules[i].misses)) {
            int named = rules[i].named;

            oh_config_fail(reader, has(reader, named) ? reader->lines[named] : pool->line, "%s",
                rules[i].reason);
        }
    }
}

/* Sets how the keys of a Redis Cluster are placed, because no file says it. */
static void be_cluster(oh_server_pool *pool)
{
    pool->hash = OH_HASH_CRC16;
    pool->distribution = OH_SLOTS;
    pool->has_hash_tag = true;
    pool->hash_tag[0] = '{';
    pool->hash_tag[1] = '}';
}

/* ---- What the pool says ---- */

static void take_items(oh_config_reader *reader, int directive,
    void (*add)(oh_config_reader *, const oh_config_spelled *))
{
    const oh_config_sequence *sequence = &reader->sequences[directive];

    for (size_t i = 0; i < sequence->spelled_count; i++) {
        add(reader, &sequence->spelled[i]);
    }
}

static void copy_items(oh_server *to, const oh_config_sequence *from)
{
    for (size_t i = 0; i < from->items_count; i++) {
        to[i] = *from->items[i];
    }
}

/*
 * Puts the servers into the order of the file, and changes the masters' indexes in their replicas.
 */
static void be_in_order(oh_server_pool *pool, const oh_config_sequence *servers)
{
    for (size_t i = 0; i < servers->items_count; i++) {
        pool->servers[servers->items[i]->order] = *servers->items[i];
    }
    for (size_t i = servers->items_count; i < pool->servers_count; i++) {
        pool->servers[i].master = (uint16_t)servers->items[pool->servers[i].master]->order;
    }
}

static bool has_node_at(const oh_server_pool *pool, const oh_server *server)
{
    for (size_t i = 0; i < pool->servers_count; i++) {
        if (oh_server_has_address_of(&pool->servers[i], server)) {
            return true;
        }
    }
    return false;
}

/* Adds the servers of the old ring at whose address there is no other node. */
static void take_old_nodes(oh_server_pool *pool)
{
    const oh_server_pool *old_ring = pool->old_ring;

    for (size_t i = 0; old_ring && i < old_ring->servers_count; i++) {
        if (!has_node_at(pool, &old_ring->servers[i])) {
            pool->servers[pool->servers_count] = old_ring->servers[i];
            pool->servers[pool->servers_count++].slots = (oh_text){NULL, 0};
            pool->old_nodes_count++;
        }
    }
}

/* The nodes of the pool: its servers, and then their replicas, or those of the old ring. */
static bool take_nodes(oh_config_reader *reader, oh_server_pool *pool)
{
    const oh_config_sequence *servers = &reader->sequences[OH_CONFIG_SERVERS];
    const oh_config_sequence *replicas = &reader->sequences[OH_CONFIG_REPLICAS];
    size_t old = reader->sequences[OH_CONFIG_MOVING_FROM].items_count;
    size_t count = servers->items_count + replicas->items_count;

    pool->servers = oh_arena_take(reader->arena, (count + old) * sizeof *pool->servers);
    if (!pool->servers) {
        return false;
    }
    copy_items(pool->servers, servers);
    copy_items(pool->servers + servers->items_count, replicas);
    pool->servers_count = count;
    if (oh_foreign_of(pool->distribution)) {
        be_in_order(pool, servers);
    }
    take_old_nodes(pool);
    return true;
}

/* Reads the servers of the ring that keys move from, with what else is known of it. */
static bool take_old_ring(oh_config_reader *reader, oh_server_pool *pool)
{
    const oh_config_sequence *servers = &reader->sequences[OH_CONFIG_MOVING_FROM];

    reader->new_weights_sum = reader->weights_sum;
    if (servers->spelled_count == 0) {
        return true;
    }
    oh_server_pool *old = oh_arena_take(reader->arena, sizeof *old);
    if (!old) {
        return false;
    }
    *old = (oh_server_pool){.distribution = pool->distribution,
        .hash = pool->hash,
        .has_hash_tag = pool->has_hash_tag,
        .hash_tag = {pool->hash_tag[0], pool->hash_tag[1]}};
    if (pool->has_moving_from_distribution) {
        old->distribution = pool->moving_from_distribution;
        old->hash = pool->has_moving_from_hash ? pool->moving_from_hash : OH_ALL_HASHES_COUNT;
        old->has_hash_tag = pool->has_moving_from_hash_tag;
        memcpy(old->hash_tag, pool->moving_from_hash_tag, sizeof old->hash_tag);
    }
    be_foreign(reader, old, OH_HASH_FNV1A_64);
    reader->weights_sum = 0;
    take_items(reader, OH_CONFIG_MOVING_FROM, oh_config_add_server);
    old->servers = oh_arena_take(reader->arena, servers->items_count * sizeof *old->servers);
    if (!old->servers) {
        return false;
    }
    copy_items(old->servers, servers);
    old->servers_count = servers->items_count;
    if (oh_foreign_of(old->distribution)) {
        be_in_order(old, servers);
    }
    pool->old_ring = old->servers_count > 0 ? old : NULL;
    return true;
}

/*
 * Joins the names of the items with that id, in order, separated by blanks. Absent if there are
 * none.
 */
static bool join_names(
    oh_config_reader *reader, const oh_config_sequence *sequence, oh_text id, oh_text *names)
{
    size_t length = 0;

    for (size_t i = 0; i < sequence->items_count; i++) {
        bool counts = oh_text_is_same(sequence->items[i]->id, id);

        length += counts ? sequence->items[i]->name.length + 1 : 0;
    }
    if (length == 0) {
        return true;
    }
    char *to = oh_arena_take(reader->arena, length);
    *names = (oh_text){to, length - 1};
    for (size_t i = 0; i < sequence->items_count && to; i++) {
        if (oh_text_is_same(sequence->items[i]->id, id)) {
            oh_text name = sequence->items[i]->name;

            memcpy(to, name.bytes, name.length);
            to[name.length] = ' ';
            to += name.length + 1;
        }
    }
    if (to) {
        to[-1] = '\0';
    }
    return to != NULL;
}

/* What the pool keeps as texts: its Sentinels, and the hosts of its zone. */
static bool take_texts(oh_config_reader *reader, oh_server_pool *pool)
{
    const oh_text no_id = {NULL, 0};

    return join_names(reader, &reader->sequences[OH_CONFIG_SENTINELS], no_id, &pool->sentinels) &&
           join_names(reader, &reader->sequences[OH_CONFIG_HOST_ZONES], pool->zone.name,
               &pool->zone.hosts);
}

static bool take_variables(oh_config_reader *reader, oh_server_pool *pool)
{
    if (reader->variables.length == 0) {
        return true;
    }
    pool->variables = oh_config_copy(
        reader->arena, (oh_text){reader->variables.bytes + 1, reader->variables.length - 1});
    return pool->variables.bytes != NULL;
}

void oh_config_finish_pool(oh_config_reader *reader, oh_server_pool *pool)
{
    pool->is_redis = reader->is_own_pool;
    reader->variables = (oh_text){NULL, 0};
    oh_hash default_hash = pool->hash;
    pool->hash = OH_ALL_HASHES_COUNT;
    for (size_t i = 0; i < reader->values_count; i++) {
        oh_config_set(reader, pool, &reader->values[i]);
    }
    be_foreign(reader, pool, default_hash);
    take_items(reader, OH_CONFIG_SERVERS, oh_config_add_server);
    take_items(reader, OH_CONFIG_SENTINELS, oh_config_add_sentinel);
    take_items(reader, OH_CONFIG_REPLICAS, oh_config_add_replica);
    if (!take_old_ring(reader, pool)) {
        oh_config_fail_memory(reader);
    }
    take_items(reader, OH_CONFIG_HOST_ZONES, oh_config_add_zone);
    if (!take_texts(reader, pool) || !take_nodes(reader, pool) || !take_variables(reader, pool)) {
        oh_config_fail_memory(reader);
    }
    if (!has(reader, OH_CONFIG_SENTINEL_TLS)) {
        pool->has_sentinel_tls = pool->tls.is_on && has(reader, OH_CONFIG_SENTINELS);
    }
    if (reader->is_over) {
        return;
    }
    check_pool(reader, pool);
    if (pool->is_cluster) {
        be_cluster(pool);
    }
}
