/*
 * The fingerprint of a topology: a digest of the placement, of the names, weights and addresses of
 * the servers, and of the database. If two processes, in either language, have the same
 * fingerprint, they place keys alike, and reach each node at the same address and in the same
 * database. No other directive is part of the fingerprint, and neither is ejection.
 *
 * Implements spec/topology, fingerprint.
 */
#include <string.h>

#include "core/base/decimal.h"
#include "core/hash/md5.h"
#include "core/topology/topology_layout.h"

static const char hexadecimal[] = "0123456789abcdef";

static void add_string(oh_md5 *md5, const char *text)
{
    oh_md5_add(md5, text, strlen(text));
}

static void add_text(oh_md5 *md5, oh_text text)
{
    oh_md5_add(md5, text.bytes, text.length);
}

static void add_number(oh_md5 *md5, uint32_t number)
{
    char digits[OH_DECIMAL_DIGITS_MAX];

    oh_md5_add(md5, digits, oh_decimal_write(digits, number));
}

static void write_hexadecimal(char *to, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        to[2 * i] = hexadecimal[bytes[i] >> 4];
        to[2 * i + 1] = hexadecimal[bytes[i] & 15];
    }
}

static void add_hash_tag(oh_md5 *md5, const oh_server_pool *pool)
{
    char digits[4];

    if (pool->has_hash_tag) {
        write_hexadecimal(digits, pool->hash_tag, sizeof pool->hash_tag);
        oh_md5_add(md5, digits, sizeof digits);
    }
}

static void add_server(oh_md5 *md5, const oh_server *server, const oh_foreign *foreign)
{
    add_string(md5, "server=");
    if (!foreign || !foreign->has_unnamed || server->is_named) {
        add_text(md5, server->name);
    }
    add_string(md5, " ");
    add_number(md5, server->weight);
    add_string(md5, " ");
    if (server->path.bytes) {
        add_text(md5, server->path);
    } else {
        add_text(md5, server->host);
        add_string(md5, ":");
        add_number(md5, server->port);
    }
    if (server->slots.length == OH_SHARD_SLOTS_BYTES) {
        char digits[2 * OH_SHARD_SLOTS_BYTES];

        write_hexadecimal(digits, (const uint8_t *)server->slots.bytes, OH_SHARD_SLOTS_BYTES);
        add_string(md5, " ");
        oh_md5_add(md5, digits, sizeof digits);
    }
    add_string(md5, "\n");
}

static void add_servers(oh_md5 *md5, const oh_server_pool *pool)
{
    size_t masters = oh_server_pool_count_masters(pool);

    for (size_t i = 0; i < masters; i++) {
        add_server(md5, &pool->servers[i], oh_foreign_of(pool->distribution));
    }
}

static void add_old_ring(oh_md5 *md5, const oh_server_pool *old_ring)
{
    add_string(md5, "moving_from=");
    add_string(md5, oh_distribution_name(old_ring->distribution));
    add_string(md5, " ");
    add_string(md5, oh_hash_name(old_ring->hash));
    add_string(md5, " ");
    add_hash_tag(md5, old_ring);
    add_string(md5, "\n");
    add_servers(md5, old_ring);
}

static void end(oh_md5 *md5, char fingerprint[OH_FINGERPRINT_DIGITS + 1])
{
    uint8_t digest[OH_MD5_DIGEST_BYTES];

    oh_md5_end(md5, digest);
    write_hexadecimal(fingerprint, digest, sizeof digest);
    fingerprint[OH_FINGERPRINT_DIGITS] = '\0';
}

void oh_topology_fingerprint_of(
    const oh_server_pool *pool, char fingerprint[OH_FINGERPRINT_DIGITS + 1])
{
    oh_md5 md5;

    oh_md5_begin(&md5);
    add_string(&md5, "onehop-topology-1\ndistribution=");
    add_string(&md5, oh_distribution_name(pool->distribution));
    add_string(&md5, "\nhash=");
    add_string(&md5, oh_hash_name(pool->hash));
    add_string(&md5, "\nhash_tag=");
    add_hash_tag(&md5, pool);
    add_string(&md5, "\ndatabase=");
    add_number(&md5, oh_server_pool_database(pool));
    add_string(&md5, "\n");
    add_servers(&md5, pool);
    if (pool->old_ring) {
        add_old_ring(&md5, pool->old_ring);
    }
    end(&md5, fingerprint);
}

static void add_slots(
    oh_md5 *md5, const oh_topology *topology, uint32_t first, uint32_t last, uint32_t node)
{
    add_string(md5, "slots=");
    add_number(md5, first);
    add_string(md5, "-");
    add_number(md5, last);
    add_string(md5, " ");
    add_text(md5, oh_topology_node(topology, node).name);
    add_string(md5, "\n");
}

void oh_topology_fingerprint_of_slots(
    const oh_topology *topology, char fingerprint[OH_FINGERPRINT_DIGITS + 1])
{
    const uint16_t *slots = oh_topology_slots_table(topology);
    oh_md5 md5;

    oh_md5_begin(&md5);
    add_string(
        &md5, "onehop-topology-1\ndistribution=slots\nhash=crc16\nhash_tag=7b7d\ndatabase=0\n");
    for (uint32_t first = 0, next; first < OH_SLOTS_COUNT; first = next) {
        for (next = first + 1; next < OH_SLOTS_COUNT && slots[next] == slots[first]; next++) {
        }
        if (oh_slot_is_served(slots[first])) {
            add_slots(&md5, topology, first, next - 1, slots[first]);
        }
    }
    end(&md5, fingerprint);
}
