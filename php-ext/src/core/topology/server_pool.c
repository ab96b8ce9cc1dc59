/*
 * Names of a server pool's enums, its secrets, its Sentinels, its zone, and what its connections
 * select and are called.
 */
#include "core/topology/server_pool.h"

#include <string.h>

#include "core/base/decimal.h"
#include "core/generated/limits.h"

const oh_foreign *const oh_foreigns[OH_DISTRIBUTIONS_COUNT] = {
    [OH_REDIS_ARRAY] = &oh_redis_array,
    [OH_REDIS_ARRAY_CONSISTENT] = &oh_redis_array_consistent,
    [OH_PREDIS_HASHRING] = &oh_predis_hashring,
    [OH_LIBMEMCACHED_CONSISTENT] = &oh_libmemcached_consistent,
    [OH_SPYMEMCACHED] = &oh_spymemcached,
    [OH_SHARDED_JEDIS] = &oh_sharded_jedis,
    [OH_SHARDED_JEDIS_2_9] = &oh_sharded_jedis_2_9,
    [OH_JEDIS_SHARDING] = &oh_jedis_sharding,
    [OH_CODIS] = &oh_codis,
};

const char *oh_distribution_name(oh_distribution distribution)
{
    static const char *const names[OH_DISTRIBUTIONS_COUNT] = {OH_NAMES_OF_DISTRIBUTION, "slots"};
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
    static const char *const names[OH_READ_FROMS_COUNT] = {OH_NAMES_OF_READ_FROM};
    return names[read_from];
}

const char *oh_tls_verify_name(oh_tls_verify verify)
{
    static const char *const names[OH_TLS_VERIFIES_COUNT] = {OH_NAMES_OF_TLS_VERIFY};
    return names[verify];
}

oh_secret_texts oh_server_pool_secrets(const oh_server_pool *pool)
{
#define X(member) pool->member,
    return (oh_secret_texts){{OH_SECRETS(X)}};
#undef X
}

void oh_server_pool_set_secrets(oh_server_pool *pool, const oh_secret_texts *secrets)
{
    const oh_text *next = secrets->each;

#define X(member) pool->member = *next++;
    OH_SECRETS(X)
#undef X
}

uint32_t oh_server_pool_database(const oh_server_pool *pool)
{
    return pool->has_database ? pool->database : pool->redis_db;
}

size_t oh_server_pool_count_masters(const oh_server_pool *pool)
{
    size_t count = pool->servers_count - pool->old_nodes_count;

    while (count > 0 && pool->servers[count - 1].role == OH_REPLICA) {
        count--;
    }
    return count;
}

bool oh_server_has_address_of(const oh_server *a, const oh_server *b)
{
    return oh_text_is_same(a->host, b->host) && oh_text_is_same(a->path, b->path) &&
           a->port == b->port;
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
        size_t length = (size_t)((blank ? blank : end) - at);

        sentinels[count++] = sentinel_of((oh_text){at, length});
        at += length + 1;
    }
    return count;
}

/* ---- Zone: a host is one of its hosts, or has its name as a label ---- */

/* True for an IP address, whose parts between dots are not labels. */
static bool is_address(oh_text host)
{
    bool is_number = true;

    for (size_t i = 0; i < host.length; i++) {
        if (host.bytes[i] == ':') {
            return true;
        }
        is_number &= host.bytes[i] == '.' || (host.bytes[i] >= '0' && host.bytes[i] <= '9');
    }
    return is_number;
}

bool oh_zone_has(const oh_zone *zone, oh_text host)
{
    return zone->name.length > 0 && host.length > 0 &&
           (oh_text_has_part(zone->hosts, ' ', host) ||
               (!is_address(host) && oh_text_has_part(host, '.', zone->name)));
}

/* ---- The name of connections ---- */

#define DIGITS 8

/* An image may come from another process, but its texts are within the limits of the name. */

void oh_connection_name_write(const oh_server_pool *pool, char name[OH_CONNECTION_NAME_BYTES])
{
    static const char standard[] = "onehop";
    oh_text word =
        pool->client_name.bytes ? pool->client_name : (oh_text){standard, sizeof standard - 1};
    char *at = name;

    memcpy(at, word.bytes, word.length);
    at += word.length;
    *at++ = ':';
    for (size_t i = 0; i < pool->name.length; i++) {
        char byte = pool->name.bytes[i];

        *at++ = (byte < '!' || byte > '~') ? '_' : byte;
    }
    *at++ = ':';
    for (int shift = 4 * (DIGITS - 1); shift >= 0; shift -= 4) {
        *at++ = "0123456789abcdef"[pool->fingerprint >> shift & 15];
    }
    *at = '\0';
}
