/*
 * Names of a server pool's enums, its secrets, its Sentinels, and the database that its connections
 * select.
 */
#include "core/topology/server_pool.h"

#include "core/base/decimal.h"
#include "core/generated/limits.h"

const char *oh_distribution_name(oh_distribution distribution)
{
    static const char *const names[OH_DISTRIBUTIONS_COUNT] = {
        [OH_KETAMA] = "ketama",
        [OH_MODULA] = "modula",
        [OH_RANDOM] = "random",
        [OH_SLOTS] = "slots",
    };
    return names[distribution];
}

const char *oh_role_name(oh_role role)
{
    static const char *const names[OH_ROLES_COUNT] = {
        [OH_MASTER] = "master",
        [OH_REPLICA] = "replica",
        [OH_SPARE] = "spare",
        [OH_GONE] = "gone",
    };
    return names[role];
}

const char *oh_read_from_name(oh_read_from read_from)
{
    static const char *const names[OH_READ_FROMS_COUNT] = {
        [OH_READ_MASTER] = "master",
        [OH_READ_PREFER_REPLICA] = "prefer_replica",
        [OH_READ_REPLICA] = "replica",
        [OH_READ_LOWEST_LATENCY] = "lowest_latency",
        [OH_READ_SAME_ZONE] = "same_zone",
    };
    return names[read_from];
}

const char *oh_tls_verify_name(oh_tls_verify verify)
{
    static const char *const names[OH_TLS_VERIFIES_COUNT] = {
        [OH_TLS_FULL] = "full",
        [OH_TLS_CA] = "ca",
        [OH_TLS_NONE] = "none",
    };
    return names[verify];
}

oh_secret_texts oh_server_pool_secrets(const oh_server_pool *pool)
{
    return (oh_secret_texts){{pool->redis_auth, pool->tls.key_file_pass, pool->sentinel_password}};
}

void oh_server_pool_set_secrets(oh_server_pool *pool, const oh_secret_texts *secrets)
{
    pool->redis_auth = secrets->each[0];
    pool->tls.key_file_pass = secrets->each[1];
    pool->sentinel_password = secrets->each[2];
}

uint32_t oh_server_pool_database(const oh_server_pool *pool)
{
    return pool->has_database ? pool->database : pool->redis_db;
}

size_t oh_server_pool_count_masters(const oh_server_pool *pool)
{
    size_t count = pool->servers_count;
    while (count > 0 && pool->servers[count - 1].role == OH_REPLICA) {
        count--;
    }
    return count;
}

int oh_server_compare_names(oh_text a, oh_text b)
{
    if (a.length != b.length) {
        return a.length < b.length ? -1 : 1;
    }
    return memcmp(a.bytes, b.bytes, a.length);
}

/* One Sentinel, "host:port". */
static oh_server sentinel_of(oh_text address)
{
    uint64_t port;
    size_t colon = address.length;
    while (colon > 0 && address.bytes[colon - 1] != ':') {
        colon--;
    }
    (void)oh_decimal_read((oh_text){address.bytes + colon, address.length - colon}, &port);
    return (oh_server){.name = address,
        .host = {address.bytes, colon > 0 ? colon - 1 : 0},
        .port = (uint16_t)port,
        .weight = 1};
}

size_t oh_server_pool_sentinels(const oh_server_pool *pool, oh_server *sentinels)
{
    size_t count = 0;
    const char *at = pool->sentinels.bytes;
    const char *end = at + pool->sentinels.length;
    while (at < end && count < OH_POOL_SENTINELS_MAX) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        size_t length = (size_t)((blank != NULL ? blank : end) - at);
        sentinels[count++] = sentinel_of((oh_text){at, length});
        at += length + 1;
    }
    return count;
}
