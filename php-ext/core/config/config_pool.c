/*
 * The rules for a whole pool: which directives are missing, need each other, or exclude each other.
 *
 * Implements spec/config, the end of section 5.
 */
#include "core/config/config_reader.h"

typedef struct {
    bool is_wrong;
    const char *reason;
} rule;

static bool check(
    oh_config_reader *reader, const oh_server_pool *pool, const rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rules[i].is_wrong) {
            return oh_config_fail(reader->error, pool->line, "%s", rules[i].reason);
        }
    }
    return true;
}

#define CHECK(reader, pool, rules) check(reader, pool, rules, sizeof(rules) / sizeof(rules)[0])

static bool has_seed(const oh_server_pool *pool, bool (*is_such)(const oh_server *))
{
    for (size_t i = 0; i < pool->servers_count; i++) {
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

static bool check_cluster(oh_config_reader *reader, const oh_server_pool *pool, uint32_t seen)
{
    bool is_cluster = pool->is_cluster;
    bool is_by_zone = pool->read_from == OH_READ_SAME_ZONE;
    const rule rules[] = {
        {is_cluster && !pool->is_redis, "\"cluster: true\" needs \"redis: true\""},
        {is_cluster && pool->is_ssdb, "\"cluster: true\" is not for \"engine: ssdb\""},
        {is_cluster && (seen >> OH_CONFIG_HASH & 1),
            "directive \"hash\" is not for \"cluster: true\""},
        {is_cluster && (seen >> OH_CONFIG_HASH_TAG & 1),
            "directive \"hash_tag\" is not for \"cluster: true\""},
        {is_cluster && (seen >> OH_CONFIG_DISTRIBUTION & 1),
            "directive \"distribution\" is not for \"cluster: true\""},
        {is_cluster && pool->auto_eject_hosts,
            "\"auto_eject_hosts: true\" is not for \"cluster: true\""},
        {is_cluster && oh_server_pool_database(pool) != 0,
            "\"cluster: true\" has no database but 0"},
        {is_cluster && has_seed(pool, is_weighted),
            "\"cluster: true\" has no server of another weight than 1"},
        {is_cluster && has_seed(pool, is_unix), "\"cluster: true\" has no server on a unix socket"},
        {(seen >> OH_CONFIG_READ_FROM & 1) && !is_cluster,
            "directive \"read_from\" needs \"cluster: true\""},
        {(seen >> OH_CONFIG_ZONE & 1) && !is_by_zone,
            "directive \"zone\" needs \"read_from: same_zone\""},
        {is_by_zone && !(seen >> OH_CONFIG_ZONE & 1), "\"read_from: same_zone\" needs \"zone\""},
    };
    return CHECK(reader, pool, rules);
}

bool oh_config_check_pool(oh_config_reader *reader, const oh_server_pool *pool, uint32_t seen)
{
    bool has_auth = seen >> OH_CONFIG_REDIS_AUTH & 1;
    bool has_username = seen >> OH_CONFIG_USERNAME & 1;
    bool has_database = seen >> OH_CONFIG_DATABASE & 1;
    bool has_redis_db = seen >> OH_CONFIG_REDIS_DB & 1;
    const rule rules[] = {
        {!(seen >> OH_CONFIG_LISTEN & 1), "directive \"listen\" is missing"},
        {!(seen >> OH_CONFIG_SERVERS & 1), "directive \"servers\" is missing"},
        {has_auth && !pool->is_redis, "directive \"redis_auth\" needs \"redis: true\""},
        {has_username && !pool->is_redis, "directive \"username\" needs \"redis: true\""},
        {has_database && !pool->is_redis, "directive \"database\" needs \"redis: true\""},
        {has_username && !has_auth, "directive \"username\" needs \"redis_auth\""},
        {has_database && has_redis_db,
            "directives \"database\" and \"redis_db\" exclude each other"},
        {pool->is_ssdb && !pool->is_redis, "\"engine: ssdb\" needs \"redis: true\""},
        {pool->is_ssdb && has_username, "directive \"username\" is not for \"engine: ssdb\""},
        {pool->is_ssdb && has_database, "directive \"database\" is not for \"engine: ssdb\""},
    };
    return CHECK(reader, pool, rules) && check_cluster(reader, pool, seen);
}

void oh_config_be_cluster(oh_server_pool *pool)
{
    pool->hash = OH_HASH_CRC16;
    pool->distribution = OH_SLOTS;
    pool->has_hash_tag = true;
    pool->hash_tag[0] = '{';
    pool->hash_tag[1] = '}';
}
