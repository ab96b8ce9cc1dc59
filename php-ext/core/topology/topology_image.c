/*
 * The header has the directives by value. It does not repeat the servers, since the topology has
 * them in the same order.
 */
#include "core/topology/topology_image.h"

#include <string.h>

#include "core/generated/limits.h"
#include "core/hash/md5.h"

#define MAGIC 0x4f484932u /* "OHI2": also the version of the layout. */

typedef struct header {
    uint32_t magic;
    uint32_t length;
    uint32_t topology; /* Offset. */
    uint32_t name_length;
    uint32_t username_length; /* 0: none. */
    uint32_t zone_length;     /* 0: none. */
    uint32_t read_from;
    uint32_t hash, distribution;
    uint32_t redis_db, database;
    uint32_t timeout_ms, pool_size, server_connections;
    uint32_t server_retry_timeout_ms, server_failure_limit;
    uint8_t has_hash_tag, hash_tag[2];
    uint8_t is_redis, is_ssdb, is_cluster, has_database, has_password, preconnect, auto_eject_hosts;
    uint8_t password_digest[OH_IMAGE_DIGEST_BYTES];
    uint8_t padding[6];
} header;

_Static_assert(sizeof(header) % 8 == 0, "Nothing but fields may stand in it: images are compared.");

static size_t aligned(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static size_t topology_offset(size_t name_length, size_t username_length, size_t zone_length)
{
    return aligned(sizeof(header) + name_length + 1 + username_length + 1 + zone_length + 1);
}

static void digest_of(const uint8_t *salt, oh_text password, uint8_t digest[OH_IMAGE_DIGEST_BYTES])
{
    oh_md5 md5;
    oh_md5_begin(&md5);
    oh_md5_add(&md5, salt, OH_IMAGE_SALT_BYTES);
    oh_md5_add(&md5, password.bytes, password.length);
    oh_md5_end(&md5, digest);
}

/* ---- Writing ---- */

size_t oh_image_size(const oh_server_pool *pool)
{
    return topology_offset(pool->name.length, pool->username.length, pool->zone.length) +
           aligned(oh_topology_size(pool));
}

static void write_header(const oh_server_pool *pool, header *head)
{
    head->magic = MAGIC;
    head->name_length = (uint32_t)pool->name.length;
    head->username_length = (uint32_t)pool->username.length;
    head->zone_length = (uint32_t)pool->zone.length;
    head->read_from = pool->read_from;
    head->topology =
        (uint32_t)topology_offset(pool->name.length, pool->username.length, pool->zone.length);
    head->hash = pool->hash;
    head->distribution = pool->distribution;
    head->redis_db = pool->redis_db;
    head->database = pool->database;
    head->timeout_ms = pool->timeout_ms;
    head->pool_size = pool->pool_size;
    head->server_connections = pool->server_connections;
    head->server_retry_timeout_ms = pool->server_retry_timeout_ms;
    head->server_failure_limit = pool->server_failure_limit;
    head->has_hash_tag = pool->has_hash_tag;
    memcpy(head->hash_tag, pool->hash_tag, sizeof head->hash_tag);
    head->is_redis = pool->is_redis;
    head->is_ssdb = pool->is_ssdb;
    head->is_cluster = pool->is_cluster;
    head->has_database = pool->has_database;
    head->preconnect = pool->preconnect;
    head->auto_eject_hosts = pool->auto_eject_hosts;
}

static char *write_text(char *to, oh_text text)
{
    if (text.length > 0) {
        memcpy(to, text.bytes, text.length);
    }
    return to + text.length + 1;
}

void oh_image_write(
    const oh_server_pool *pool, const uint8_t salt[OH_IMAGE_SALT_BYTES], void *memory)
{
    size_t size = oh_image_size(pool);
    header *head = memory;
    memset(memory, 0, size);
    write_header(pool, head);
    char *texts = (char *)(head + 1);
    texts = write_text(texts, pool->name);
    texts = write_text(texts, pool->username);
    write_text(texts, pool->zone);
    if (pool->redis_auth.bytes != NULL) {
        head->has_password = 1;
        digest_of(salt, pool->redis_auth, head->password_digest);
    }
    oh_topology *topology = (oh_topology *)((char *)memory + head->topology);
    oh_topology_build(pool, NULL, topology, size - head->topology);
    head->length = head->topology + (uint32_t)oh_topology_length(topology);
}

/* ---- Trusting ---- */

static bool is_flag(uint8_t flag)
{
    return flag <= 1;
}

static bool has_good_fields(const header *head, size_t length)
{
    return head->magic == MAGIC && head->length <= length &&
           head->name_length <= OH_POOL_NAME_BYTES_MAX &&
           head->username_length <= OH_TEXT_BYTES_MAX && head->zone_length <= OH_TEXT_BYTES_MAX &&
           head->read_from < OH_READ_FROMS_COUNT && head->hash < OH_HASHES_COUNT &&
           head->distribution < OH_DISTRIBUTIONS_COUNT && is_flag(head->has_hash_tag) &&
           is_flag(head->is_redis) && is_flag(head->is_ssdb) && is_flag(head->is_cluster) &&
           is_flag(head->has_database) && is_flag(head->has_password) &&
           is_flag(head->preconnect) && is_flag(head->auto_eject_hosts) &&
           head->topology ==
               topology_offset(head->name_length, head->username_length, head->zone_length) &&
           head->topology < head->length;
}

static bool is_text(const char *text, size_t length)
{
    return memchr(text, '\0', length + 1) == text + length;
}

bool oh_image_is_valid(const void *image, size_t length)
{
    const header *head = image;
    if (length < sizeof *head || !has_good_fields(head, length)) {
        return false;
    }
    const char *name = (const char *)(head + 1);
    const char *username = name + head->name_length + 1;
    const char *zone = username + head->username_length + 1;
    return is_text(name, head->name_length) && is_text(username, head->username_length) &&
           is_text(zone, head->zone_length) &&
           oh_topology_valid((const char *)image + head->topology, head->length - head->topology) &&
           head->hash == oh_topology_hash_function(oh_image_topology(image)) &&
           head->distribution == oh_topology_distribution(oh_image_topology(image));
}

bool oh_image_equals(const void *a, size_t a_length, const void *b, size_t b_length)
{
    return a_length >= sizeof(header) && b_length >= sizeof(header) &&
           ((const header *)a)->length == ((const header *)b)->length &&
           memcmp(a, b, ((const header *)a)->length) == 0;
}

/* ---- Reading ---- */

const oh_topology *oh_image_topology(const void *image)
{
    const header *head = image;
    return (const oh_topology *)((const char *)image + head->topology);
}

static void read_servers(const oh_topology *topology, oh_server *servers)
{
    for (uint32_t i = 0; i < oh_topology_nodes_count(topology); i++) {
        oh_node node = oh_topology_node(topology, i);
        servers[i] = (oh_server){.name = node.name,
            .host = node.host,
            .path = node.path,
            .port = node.port,
            .weight = node.weight,
            .id = node.id,
            .role = node.role,
            .master = (uint16_t)node.master,
            .is_failing = node.is_failing,
            .is_near = node.is_near};
    }
}

void oh_image_pool(const void *image, oh_server *servers, oh_server_pool *pool)
{
    const header *head = image;
    const oh_topology *topology = oh_image_topology(image);
    const char *name = (const char *)(head + 1);
    read_servers(topology, servers);
    *pool = (oh_server_pool){.name = {name, head->name_length},
        .hash = (oh_hash)head->hash,
        .distribution = (oh_distribution)head->distribution,
        .has_hash_tag = head->has_hash_tag,
        .hash_tag = {head->hash_tag[0], head->hash_tag[1]},
        .servers = servers,
        .servers_count = oh_topology_nodes_count(topology),
        .is_redis = head->is_redis,
        .is_ssdb = head->is_ssdb,
        .is_cluster = head->is_cluster,
        .read_from = (oh_read_from)head->read_from,
        .slots = oh_topology_slots(topology),
        .epoch = oh_topology_epoch(topology),
        .redis_db = head->redis_db,
        .has_database = head->has_database,
        .database = head->database,
        .timeout_ms = head->timeout_ms,
        .pool_size = head->pool_size,
        .server_connections = head->server_connections,
        .preconnect = head->preconnect,
        .auto_eject_hosts = head->auto_eject_hosts,
        .server_retry_timeout_ms = head->server_retry_timeout_ms,
        .server_failure_limit = head->server_failure_limit};
    if (head->username_length > 0) {
        pool->username = (oh_text){name + head->name_length + 1, head->username_length};
    }
    if (head->zone_length > 0) {
        pool->zone =
            (oh_text){name + head->name_length + 1 + head->username_length + 1, head->zone_length};
    }
}

bool oh_image_has_password(const void *image)
{
    return ((const header *)image)->has_password;
}

bool oh_image_is_password(
    const void *image, const uint8_t salt[OH_IMAGE_SALT_BYTES], oh_text password)
{
    uint8_t digest[OH_IMAGE_DIGEST_BYTES];
    digest_of(salt, password, digest);
    return memcmp(digest, ((const header *)image)->password_digest, sizeof digest) == 0;
}
