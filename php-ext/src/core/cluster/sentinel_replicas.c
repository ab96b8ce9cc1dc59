/*
 * Reads what a Sentinel says about the replicas of a master. Most masters have one to three, so
 * nothing here is quick at thousands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cluster/sentinel.h"
#include "core/topology/server_pool.h"

/* A replica with a host, a port and flags has more bytes. */
#define BYTES_MIN 48

/* What one element of the reply says; texts that it does not have are absent. */
typedef struct {
    oh_text host, port, flags, link;
} sayings;

/* Where the value of this name belongs; NULL if it has no meaning here. */
static oh_text *place_of(sayings *said, const oh_value *name)
{
    return oh_value_is(name, "ip")                   ? &said->host
           : oh_value_is(name, "port")               ? &said->port
           : oh_value_is(name, "flags")              ? &said->flags
           : oh_value_is(name, "master-link-status") ? &said->link
                                                     : NULL;
}

/* Reads names and values. False if the element is no list of them. */
static bool read_sayings(oh_values element, sayings *said)
{
    oh_value list, name, value;
    *said = (sayings){.host.bytes = NULL};
    if (!oh_value_take(&element, &list) || list.kind != OH_VALUE_LIST || list.number % 2 != 0) {
        return false;
    }
    for (int64_t i = 0; i < list.number; i += 2) {
        if (!oh_value_take(&element, &name) || name.kind != OH_VALUE_TEXT) {
            return false;
        }
        oh_text *place = place_of(said, &name);
        oh_values before = element;
        oh_value_skip(&element);
        if (place != NULL && place->bytes == NULL && oh_value_take(&before, &value) &&
            value.kind == OH_VALUE_TEXT) {
            *place = value.text;
        }
    }
    return true;
}

static bool has_flag(oh_text flags, const char *flag)
{
    size_t begin = 0;
    for (size_t i = 0; i <= flags.length; i++) {
        if (i == flags.length || flags.bytes[i] == ',') {
            if (oh_text_is((oh_text){flags.bytes + begin, i - begin}, flag)) {
                return true;
            }
            begin = i + 1;
        }
    }
    return false;
}

/* True if it follows its master, as far as the Sentinel knows. */
static bool is_well(const sayings *said)
{
    return said->flags.bytes != NULL && !has_flag(said->flags, "s_down") &&
           !has_flag(said->flags, "o_down") && !has_flag(said->flags, "disconnected") &&
           (said->link.bytes == NULL || oh_text_is(said->link, "ok"));
}

size_t oh_sentinel_replica_name(
    const oh_sentinel_replica *replica, char name[OH_REPLICA_NAME_BYTES])
{
    return (size_t)snprintf(name, OH_REPLICA_NAME_BYTES, "%.*s:%u", (int)replica->host.length,
        replica->host.bytes, (unsigned)replica->port);
}

static bool take_list(oh_values *reply, oh_value *list)
{
    return oh_value_take(reply, list) && list->kind == OH_VALUE_LIST && list->number > 0;
}

/* A liar may send a list of a million empty lists. */
size_t oh_sentinel_count_replicas(oh_values reply)
{
    oh_value list;
    uint64_t most = (uint64_t)(reply.end - reply.at) / BYTES_MIN;
    uint64_t count = take_list(&reply, &list) ? (uint64_t)list.number : 0;
    return (size_t)(count < most ? count : most);
}

size_t oh_sentinel_read_replicas(oh_values reply, const oh_sentinel_answer *adopted,
    uint16_t master, oh_sentinel_replica *replicas)
{
    size_t count = 0;
    oh_value list = {.number = 0};
    bool is_list = take_list(&reply, &list);
    for (int64_t i = 0; is_list && i < list.number; i++) {
        oh_sentinel_answer address;
        oh_values element = reply;
        sayings said;
        oh_value_skip(&reply);
        if (!read_sayings(element, &said) || !is_well(&said) ||
            !oh_sentinel_is_address(said.host, said.port, &address) ||
            (address.port == adopted->port && oh_text_is_same(address.host, adopted->host))) {
            continue;
        }
        replicas[count++] = (oh_sentinel_replica){address.host, address.port, master};
    }
    return count;
}

static int compare_names(const oh_sentinel_replica *one, const oh_sentinel_replica *other)
{
    char name[OH_REPLICA_NAME_BYTES], other_name[OH_REPLICA_NAME_BYTES];
    size_t length = oh_sentinel_replica_name(one, name);
    size_t other_length = oh_sentinel_replica_name(other, other_name);
    return oh_server_compare_names((oh_text){name, length}, (oh_text){other_name, other_length});
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
