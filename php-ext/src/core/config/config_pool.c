/*
 * The end of a pool: its values, servers, Sentinels, replicas and zones are taken, and the rules
 * for the whole pool checked: which directives are missing, need each other, or exclude each other.
 *
 * Implements spec/config, the end of section 5.
 */
#include <string.h>

#include "core/config/config_reader.h"

typedef struct {
    bool is_wrong;
    const char *reason;
} rule;

static void check(
    oh_config_reader *reader, const oh_server_pool *pool, const rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rules[i].is_wrong) {
            oh_config_fail(reader, pool->line, "%s", rules[i].reason);
        }
    }
}

#define CHECK(reader, pool, rules) check(reader, pool, rules, sizeof(rules) / sizeof(rules)[0])

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

/* True if its name is its address: no master of a Sentinel has a colon in its name. */
static bool is_unnamed(const oh_server *server)
{
    return memchr(server->name.bytes, ':', server->name.length) != NULL;
}

static bool has(const oh_config_reader *reader, int directive)
{
    return reader->seen >> directive & 1;
}

static void check_cluster(oh_config_reader *reader, const oh_server_pool *pool, bool is_whole)
{
    bool is_cluster = pool->is_cluster;
    const rule rules[] = {
        {is_whole && is_cluster && !pool->is_redis, "\"cluster: true\" needs \"redis: true\""},
        {is_cluster && pool->is_ssdb, "\"cluster: true\" is not for \"engine: ssdb\""},
        {is_cluster && has(reader, OH_CONFIG_HASH),
            "directive \"hash\" is not for \"cluster: true\""},
        {is_cluster && has(reader, OH_CONFIG_HASH_TAG),
            "directive \"hash_tag\" is not for \"cluster: true\""},
        {is_cluster && has(reader, OH_CONFIG_DISTRIBUTION),
            "directive \"distribution\" is not for \"cluster: true\""},
        {is_cluster && pool->auto_eject_hosts,
            "\"auto_eject_hosts: true\" is not for \"cluster: true\""},
        {is_cluster && pool->redis_db != 0,
            "\"cluster: true\" needs \"database\" instead of \"redis_db\""},
        {is_cluster && has_server(pool, is_weighted),
            "\"cluster: true\" has no server of another weight than 1"},
        {is_cluster && has_server(pool, is_unix),
            "\"cluster: true\" has no server on a unix socket"},
    };
    CHECK(reader, pool, rules);
}

/* Only replicas give a choice, and only a choice by zones needs zones. */
static void check_reading(oh_config_reader *reader, const oh_server_pool *pool, bool is_whole)
{
    bool is_by_zone = pool->read_from == OH_READ_SAME_ZONE;
    bool may_have_replicas =
        pool->is_cluster || has(reader, OH_CONFIG_SENTINELS) || has(reader, OH_CONFIG_REPLICAS);
    const rule rules[] = {
        {is_whole && has(reader, OH_CONFIG_READ_FROM) && !may_have_replicas,
            "directive \"read_from\" needs \"cluster: true\", \"sentinels\" or \"replicas\""},
        {is_whole && has(reader, OH_CONFIG_ZONE) && !is_by_zone,
            "directive \"zone\" needs \"read_from: same_zone\""},
        {is_whole && has(reader, OH_CONFIG_HOST_ZONES) && !is_by_zone,
            "directive \"host_zones\" needs \"read_from: same_zone\""},
        {is_whole && is_by_zone && !has(reader, OH_CONFIG_ZONE),
            "\"read_from: same_zone\" needs \"zone\""},
    };
    CHECK(reader, pool, rules);
}

/* Without TLS its settings have no meaning; a certificate and its key need each other. */
static void check_tls(oh_config_reader *reader, const oh_server_pool *pool, bool is_whole)
{
    bool is_off = is_whole && !pool->tls.is_on && !pool->has_sentinel_tls;
    bool has_cert = has(reader, OH_CONFIG_TLS_CERT_FILE);
    bool has_key = has(reader, OH_CONFIG_TLS_KEY_FILE);
    bool has_pass = has(reader, OH_CONFIG_TLS_KEY_FILE_PASS);
    const rule rules[] = {
        {is_whole && pool->tls.is_on && !pool->is_redis, "\"tls: true\" needs \"redis: true\""},
        {is_off && has(reader, OH_CONFIG_TLS_CA_CERT_FILE),
            "directive \"tls_ca_cert_file\" needs \"tls: true\""},
        {is_off && has_cert, "directive \"tls_cert_file\" needs \"tls: true\""},
        {is_off && has_key, "directive \"tls_key_file\" needs \"tls: true\""},
        {is_off && has_pass, "directive \"tls_key_file_pass\" needs \"tls: true\""},
        {is_off && has(reader, OH_CONFIG_TLS_SERVER_NAME),
            "directive \"tls_server_name\" needs \"tls: true\""},
        {is_off && has(reader, OH_CONFIG_TLS_VERIFY),
            "directive \"tls_verify\" needs \"tls: true\""},
        {is_whole && has_cert && !has_key, "directive \"tls_cert_file\" needs \"tls_key_file\""},
        {is_whole && has_key && !has_cert, "directive \"tls_key_file\" needs \"tls_cert_file\""},
        {is_whole && has_pass && !has_key,
            "directive \"tls_key_file_pass\" needs \"tls_key_file\""},
    };
    CHECK(reader, pool, rules);
}

static void check_sentinels(oh_config_reader *reader, const oh_server_pool *pool, bool is_whole)
{
    bool has_sentinels = has(reader, OH_CONFIG_SENTINELS);
    bool has_username = has(reader, OH_CONFIG_SENTINEL_USERNAME);
    bool has_password = has(reader, OH_CONFIG_SENTINEL_PASSWORD);
    const rule rules[] = {
        {is_whole && has_sentinels && !pool->is_redis,
            "directive \"sentinels\" needs \"redis: true\""},
        {has_sentinels && pool->is_ssdb, "directive \"sentinels\" is not for \"engine: ssdb\""},
        {has_sentinels && pool->is_cluster, "directive \"sentinels\" is not for \"cluster: true\""},
        {has_sentinels && pool->auto_eject_hosts,
            "\"auto_eject_hosts: true\" is not for \"sentinels\""},
        {has_sentinels && has_server(pool, is_unix),
            "\"sentinels\" has no server on a unix socket"},
        {is_whole && has_sentinels && has_server(pool, is_unnamed),
            "directive \"sentinels\" needs a name for each server"},
        {is_whole && has_username && !has_sentinels,
            "directive \"sentinel_username\" needs \"sentinels\""},
        {is_whole && has_password && !has_sentinels,
            "directive \"sentinel_password\" needs \"sentinels\""},
        {is_whole && has_username && !has_password,
            "directive \"sentinel_username\" needs \"sentinel_password\""},
        {is_whole && has(reader, OH_CONFIG_SENTINEL_TLS) && !has_sentinels,
            "directive \"sentinel_tls\" needs \"sentinels\""},
    };
    CHECK(reader, pool, rules);
}

static void check_replicas(oh_config_reader *reader, const oh_server_pool *pool, bool is_whole)
{
    bool has_replicas = has(reader, OH_CONFIG_REPLICAS);
    const rule rules[] = {
        {is_whole && has_replicas && !pool->is_redis,
            "directive \"replicas\" needs \"redis: true\""},
        {has_replicas && pool->is_ssdb, "directive \"replicas\" is not for \"engine: ssdb\""},
        {has_replicas && pool->is_cluster, "directive \"replicas\" is not for \"cluster: true\""},
        {has_replicas && has(reader, OH_CONFIG_SENTINELS),
            "directive \"replicas\" is not for \"sentinels\""},
        {has_replicas && pool->auto_eject_hosts,
            "\"auto_eject_hosts: true\" is not for \"replicas\""},
    };
    CHECK(reader, pool, rules);
}

/*
 * What misses something is checked only if the pool is whole, which means without another error:
 * what is missing may be what is misspelled.
 */
static void check_pool(oh_config_reader *reader, const oh_server_pool *pool)
{
    bool is_whole = oh_config_errors_count(reader) == reader->errors_before;
    bool needs_redis = is_whole && !pool->is_redis;
    bool has_password = has(reader, OH_CONFIG_REDIS_AUTH);
    bool has_file = has(reader, OH_CONFIG_REDIS_AUTH_FILE);
    bool has_username = has(reader, OH_CONFIG_USERNAME);
    bool has_database = has(reader, OH_CONFIG_DATABASE);
    const rule rules[] = {
        {is_whole && !reader->is_own_pool && !has(reader, OH_CONFIG_LISTEN),
            "directive \"listen\" is missing"},
        {is_whole && !has(reader, OH_CONFIG_SERVERS), "directive \"servers\" is missing"},
        {needs_redis && has_password, "directive \"redis_auth\" needs \"redis: true\""},
        {needs_redis && has_file, "directive \"redis_auth_file\" needs \"redis: true\""},
        {needs_redis && has_username, "directive \"username\" needs \"redis: true\""},
        {needs_redis && has_database, "directive \"database\" needs \"redis: true\""},
        {is_whole && has_username && !has_password && !has_file,
            "directive \"username\" needs \"redis_auth\""},
        {has_password && has_file,
            "directives \"redis_auth\" and \"redis_auth_file\" exclude each other"},
        {has_database && has(reader, OH_CONFIG_REDIS_DB),
            "directives \"database\" and \"redis_db\" exclude each other"},
        {needs_redis && pool->is_ssdb, "\"engine: ssdb\" needs \"redis: true\""},
        {pool->is_ssdb && has_username, "directive \"username\" is not for \"engine: ssdb\""},
        {pool->is_ssdb && has_database, "directive \"database\" is not for \"engine: ssdb\""},
    };
    CHECK(reader, pool, rules);
    check_cluster(reader, pool, is_whole);
    check_reading(reader, pool, is_whole);
    check_tls(reader, pool, is_whole);
    check_sentinels(reader, pool, is_whole);
    check_replicas(reader, pool, is_whole);
}

/* How the keys of a Redis Cluster are placed. No file says that. */
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

/* The nodes of the pool: its servers, and then their replicas. */
static bool take_nodes(oh_config_reader *reader, oh_server_pool *pool)
{
    const oh_config_sequence *servers = &reader->sequences[OH_CONFIG_SERVERS];
    const oh_config_sequence *replicas = &reader->sequences[OH_CONFIG_REPLICAS];
    size_t count = servers->items_count + replicas->items_count;
    pool->servers = oh_arena_take(reader->arena, count * sizeof *pool->servers);
    if (pool->servers == NULL) {
        return false;
    }
    copy_items(pool->servers, servers);
    copy_items(pool->servers + servers->items_count, replicas);
    pool->servers_count = count;
    return true;
}

/* The names of those with that id, in order, separated by blanks; absent if there are none. */
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
    for (size_t i = 0; i < sequence->items_count && to != NULL; i++) {
        if (oh_text_is_same(sequence->items[i]->id, id)) {
            oh_text name = sequence->items[i]->name;
            memcpy(to, name.bytes, name.length);
            to[name.length] = ' ';
            to += name.length + 1;
        }
    }
    if (to != NULL) {
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
    for (size_t i = 0; i < reader->values_count; i++) {
        oh_config_set(reader, pool, &reader->values[i]);
    }
    take_items(reader, OH_CONFIG_SERVERS, oh_config_add_server);
    take_items(reader, OH_CONFIG_SENTINELS, oh_config_add_sentinel);
    take_items(reader, OH_CONFIG_REPLICAS, oh_config_add_replica);
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
