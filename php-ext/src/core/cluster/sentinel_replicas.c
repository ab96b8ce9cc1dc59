/*
 * Reads what Sentinels say about the replicas of a master. Most masters have one to three, so
 * nothing here is quick at thousands.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cluster/sentinel.h"
#include "core/topology/server_pool.h"

/* A replica with a host, a port and flags has more bytes. */
#define BYTES_MIN 48

static bool has_flag(oh_text flags, const char *flag)
{
    return oh_text_has_part(flags, ',', (oh_text){flag, strlen(flag)});
}

/* True if it follows its master, as far as the Sentinel knows. */
static bool is_well(const oh_sentinel_fields *fields)
{
    return fields->flags.bytes != NULL && !has_flag(fields->flags, "s_down") &&
           !has_flag(fields->flags, "o_down") && !has_flag(fields->flags, "disconnected") &&
           (fields->link.bytes == NULL || oh_text_is(fields->link, "ok"));
}

void oh_sentinel_set_replica(
    oh_sentinel_replica *replica, oh_text host, uint16_t port, uint16_t master)
{
    replica->host = host;
    replica->port = port;
    replica->master = master;
    replica->name_length = (uint16_t)oh_address_write(replica->name, host, port).length;
}

/* A liar may send a list of a million empty lists. */
static size_t count_named(oh_values reply)
{
    size_t count;
    size_t most = (size_t)(reply.end - reply.at) / BYTES_MIN;
    oh_value_take_list(&reply, &count);
    return count < most ? count : most;
}

size_t oh_sentinel_count_replicas(const oh_values *replies, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most += count_named(replies[i]);
    }
    return most;
}

/* Those that one reply names, each once. */
static size_t read_named(oh_values reply, const oh_sentinel_answer *adopted, uint16_t master,
    oh_sentinel_replica *replicas)
{
    size_t named, count = 0;
    oh_value_take_list(&reply, &named);
    for (size_t i = 0; i < named; i++) {
        oh_values element = reply;
        oh_sentinel_fields fields;
        oh_value_skip(&reply);
        bool is_wanted = oh_sentinel_read_fields(element, &fields) && is_well(&fields);
        uint16_t port = is_wanted ? oh_sentinel_port(fields.host, fields.port) : 0;
        bool is_adopted = port == adopted->port && oh_text_is_same(fields.host, adopted->host);
        if (port > 0 && !is_adopted) {
            oh_sentinel_set_replica(&replicas[count++], fields.host, port, master);
        }
    }
    return oh_sentinel_order_replicas(replicas, count);
}

static int compare_names(const oh_sentinel_replica *one, const oh_sentinel_replica *other)
{
    return oh_server_compare_names(oh_sentinel_replica_name(one), oh_sentinel_replica_name(other));
}

static int compare(const void *a, const void *b)
{
    const oh_sentinel_replica *one = a, *other = b;
    int order = compare_names(one, other);
    return order != 0 ? order : (one->master > other->master) - (one->master < other->master);
}

size_t oh_sentinel_order_replicas(oh_sentinel_replica *replicas, size_t count)
{
    size_t kept = 0;
    if (count > 0) {
        qsort(replicas, count, sizeof *replicas, compare);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare_names(&replicas[kept - 1], &replicas[i]) != 0) {
            replicas[kept++] = replicas[i];
        }
    }
    return kept;
}

size_t oh_sentinel_read_replicas(const oh_values *replies, size_t count,
    const oh_sentinel_answer *adopted, uint16_t master, oh_sentinel_replica *replicas)
{
    size_t named = 0, kept = 0;
    for (size_t i = 0; i < count; i++) {
        named += read_named(replies[i], adopted, master, replicas + named);
    }
    if (named > 0) {
        qsort(replicas, named, sizeof *replicas, compare);
    }
    for (size_t i = 0, next; i < named; i = next) {
        for (next = i + 1; next < named && compare_names(&replicas[i], &replicas[next]) == 0;) {
            next++;
        }
        if ((next - i) * 2 > count) {
            replicas[kept++] = replicas[i];
        }
    }
    return kept;
}
