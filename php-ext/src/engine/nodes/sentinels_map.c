/*
 * The map that follows from the answers of Sentinels: the server pool with another address for some
 * names, and behind its servers the replicas that answer reads. A server has an id, the epoch of
 * its address, or OH_NOT_NAMED as long as no Sentinel has named one.
 *
 * The epoch is a part of a node's identity. So no connection from before a failover is used after
 * it, even if the old address comes back.
 *
 * Implements spec/topology/sentinel.md, sections 2 and 6.
 */
#include "engine/nodes/nodes_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/compiler.h"
#include "core/generated/limits.h"
#include "core/generated/messages.h"

#include "engine/base/environment.h"

#define OH_NOT_NAMED "-"

/* ---- What is known ---- */

/* What was adopted before. The store may hold anything: an id that is not a number is ignored. */
static oh_sentinel_known known_of(const oh_server *server)
{
    oh_sentinel_known known = {.host = server->host, .port = server->port};

    known.is_adopted = oh_sentinel_read_number(server->id, &known.epoch);
    return known;
}

bool oh_sentinels_map_begin(oh_sentinels_map *next, const oh_server_pool *known)
{
    size_t masters = next->masters_count = oh_server_pool_count_masters(known);

    next->pool = *known;
    next->servers = oh_call_zeroed(masters, sizeof *next->servers);
    next->epochs = oh_call_zeroed(masters, sizeof *next->epochs);
    if (!next->servers || !next->epochs) {
        return false;
    }
    memcpy(next->servers, known->servers, masters * sizeof *next->servers);
    for (size_t i = 0; i < masters; i++) {
        if (next->servers[i].id.length == 0) {
            next->servers[i].id = (oh_text){OH_NOT_NAMED, strlen(OH_NOT_NAMED)};
        }
    }
    return true;
}

void oh_sentinels_map_end(oh_sentinels_map *next)
{
    oh_call_release(next->servers);
    oh_call_release(next->epochs);
    oh_call_release(next->replicas);
}

/* The index of the master with this name; the count of masters if there is none. */
static size_t find(const oh_server_pool *pool, size_t masters, oh_text name, size_t guess)
{
    if (guess < masters && oh_text_is_same(pool->servers[guess].name, name)) {
        return guess; /* Nearly always: the names seldom change before the answer. */
    }
    for (size_t i = 0; i < masters; i++) {
        if (oh_text_is_same(pool->servers[i].name, name)) {
            return i;
        }
    }
    return masters;
}

bool oh_sentinels_map_keep_addresses(oh_sentinels_map *next, const oh_server_pool *known)
{
    size_t masters = oh_server_pool_count_masters(known);
    bool are_known = true;

    for (size_t i = 0; i < next->masters_count; i++) {
        oh_server *server = &next->servers[i];
        size_t before = find(known, masters, server->name, i);

        if (before < masters) {
            server->host = known->servers[before].host;
            server->port = known->servers[before].port;
            server->id = known->servers[before].id;
        } else {
            are_known = false;
        }
    }
    return are_known;
}

/* ---- Judging ---- */

/* Room for so many more replicas. NULL for none, or if there is no memory. */
static oh_sentinel_replica *add_room(oh_sentinels_map *next, size_t count)
{
    oh_sentinel_replica *grown =
        count == 0
            ? NULL
            : oh_call_resize(next->replicas, next->replicas_count + count, sizeof *next->replicas);

    next->lacks_memory |= count > 0 && !grown;
    next->replicas = grown ? grown : next->replicas;
    return grown ? grown + next->replicas_count : NULL;
}

static void adopt_address(oh_sentinels_map *next, size_t index, const oh_sentinel_answer *answer)
{
    oh_server *server = &next->servers[index];
    int length = snprintf(next->epochs[index], OH_EPOCH_BYTES, "%" PRIu64, answer->epoch);

    server->host = answer->host;
    server->port = answer->port;
    server->id = (oh_text){next->epochs[index], (size_t)length};
}

/*
 * Reads what one Sentinel says of one name: its answer and, if it was asked, its reply about
 * replicas.
 */
static oh_sentinel_answer read_answer(oh_values *reply, bool has_replicas, oh_values *replicas)
{
    oh_sentinel_answer answer;
    bool is_whole = oh_sentinel_read(reply, &answer);

    *replicas = *reply;
    is_whole = is_whole && (!has_replicas || oh_value_skip(reply));
    replicas->end = reply->at;
    if (!is_whole) {
        answer = oh_sentinel_silent();
        reply->at = replicas->at = replicas->end = reply->end;
    }
    return answer;
}

/* True if the map has an address that a Sentinel has named for this master. */
static bool is_adopted(const oh_sentinels_map *next, size_t index)
{
    return next->epochs[index][0] != '\0';
}

/* Takes over the replicas named by most of the Sentinels that name the adopted address. */
static void take_replicas(oh_sentinels_map *next, size_t index, const oh_sentinel_answer *answers,
    const oh_values *replies, size_t count)
{
    const oh_server *master = &next->servers[index];
    const oh_sentinel_answer adopted = {.host = master->host, .port = master->port};
    oh_values chosen[OH_POOL_SENTINELS_MAX];
    size_t chosen_count = 0;

    for (size_t i = 0; i < count; i++) {
        if (oh_sentinel_names(&answers[i], adopted.host, adopted.port)) {
            chosen[chosen_count++] = replies[i];
        }
    }
    oh_sentinel_replica *place = add_room(next, oh_sentinel_count_replicas(chosen, chosen_count));
    if (place) {
        next->replicas_count +=
            oh_sentinel_read_replicas(chosen, chosen_count, &adopted, (uint16_t)index, place);
    }
}

/*
 * Chooses the answer to adopt. If most Sentinels contradict the result, and known addresses are
 * distrusted, the answers are judged again without the known epoch.
 */
static int judge_answers(oh_sentinels_map *next, const oh_sentinel_known *before,
    const oh_sentinel_answer *answers, size_t count)
{
    oh_sentinel_known now = *before;
    int chosen = oh_sentinel_judge(answers, count, before);

    if (chosen >= 0) {
        now = (oh_sentinel_known){true, answers[chosen].host, answers[chosen].port, 0};
    }
    if (!oh_sentinel_is_contradicted(answers, count, &now)) {
        return chosen;
    }
    next->is_contradicted = true;
    now = *before;
    now.epoch = 0;
    return next->distrusts_known ? oh_sentinel_judge(answers, count, &now) : chosen;
}

/* Judges what the Sentinels say of one name, whose index in the map is `index`. */
static void judge_one(oh_sentinels_map *next, size_t index, const oh_sentinel_answer *answers,
    const oh_values *replicas, size_t count)
{
    oh_sentinel_known before = known_of(&next->servers[index]);
    int chosen = judge_answers(next, &before, answers, count);

    if (chosen >= 0) {
        adopt_address(next, index, &answers[chosen]);
        take_replicas(next, index, answers, replicas, count);
        next->named_count++;
    } else if (!next->nameless) {
        next->nameless = &next->servers[index];
        next->is_nameless_adopted = before.is_adopted;
        next->reason =
            count > 0 && answers[0].reason ? answers[0].reason : OH_REASON_SENTINEL_SILENT;
    }
}

/* Reads what each Sentinel says of the next name. */
static void read_answers(const oh_server_pool *asked, oh_values *replies, size_t count,
    oh_sentinel_answer *answers, oh_values *replicas)
{
    for (size_t i = 0; i < count; i++) {
        answers[i] = read_answer(&replies[i], oh_server_pool_asks_replicas(asked), &replicas[i]);
    }
}

bool oh_sentinels_are_certain(const oh_server_pool *asked, oh_values *replies, size_t count)
{
    oh_sentinel_answer answers[OH_POOL_SENTINELS_MAX];
    oh_values replicas[OH_POOL_SENTINELS_MAX];
    size_t masters = oh_server_pool_count_masters(asked);

    for (size_t name = 0; name < masters; name++) {
        oh_sentinel_known known = known_of(&asked->servers[name]);

        read_answers(asked, replies, count, answers, replicas);
        if (!oh_sentinel_is_certain(answers, count, &known)) {
            return false;
        }
    }
    return true;
}

void oh_sentinels_map_judge(
    oh_sentinels_map *next, const oh_server_pool *asked, oh_values *replies, size_t count)
{
    oh_sentinel_answer answers[OH_POOL_SENTINELS_MAX];
    oh_values replicas[OH_POOL_SENTINELS_MAX];
    size_t masters = oh_server_pool_count_masters(asked);

    for (size_t name = 0; name < masters; name++) {
        read_answers(asked, replies, count, answers, replicas);
        size_t index = find(&next->pool, next->masters_count, asked->servers[name].name, name);
        if (index < next->masters_count) {
            judge_one(next, index, answers, replicas, count);
        }
    }
}

/* ---- Replicas ---- */

/* Adds the replicas of the map so far whose masters keep them. */
static void keep_replicas(oh_sentinels_map *next, const oh_server_pool *known)
{
    size_t known_masters = oh_server_pool_count_masters(known);
    oh_sentinel_replica *place = add_room(next, known->servers_count - known_masters);

    for (size_t i = known_masters; place && i < known->servers_count; i++) {
        const oh_server *replica = &known->servers[i];
        oh_text master = known->servers[replica->master].name;
        size_t index = find(&next->pool, next->masters_count, master, replica->master);

        if (index < next->masters_count && !is_adopted(next, index)) {
            oh_sentinel_set_replica(place++, replica->host, replica->port, (uint16_t)index);
            next->replicas_count++;
        }
    }
}

/* Lists all replicas in order. False if there is no memory. */
static bool list_replicas(oh_sentinels_map *next, const oh_server_pool *known)
{
    keep_replicas(next, known);
    next->replicas_count = oh_sentinel_order_replicas(next->replicas, next->replicas_count);
    next->replicas_count = OH_MIN(next->replicas_count, (size_t)OH_POOL_SERVERS_MAX);
    return !next->lacks_memory;
}

bool oh_sentinels_map_add_replicas(oh_sentinels_map *next, const oh_server_pool *known)
{
    if (!oh_server_pool_asks_replicas(&next->pool)) {
        next->replicas_count = 0;
    } else if (!list_replicas(next, known)) {
        return false;
    }
    size_t count = next->masters_count + next->replicas_count;
    oh_server *servers = oh_call_zeroed(count, sizeof *servers);

    if (!servers) {
        return false;
    }
    memcpy(servers, next->servers, next->masters_count * sizeof *servers);
    for (size_t i = 0; i < next->replicas_count; i++) {
        const oh_sentinel_replica *replica = &next->replicas[i];

        servers[next->masters_count + i] = (oh_server){.name = oh_sentinel_replica_name(replica),
            .host = replica->host,
            .port = replica->port,
            .weight = 1,
            .role = OH_REPLICA,
            .master = replica->master};
    }
    oh_call_release(next->servers);
    next->pool.servers = next->servers = servers;
    next->pool.servers_count = count;
    return true;
}
