/*
 * The Sentinels of a server pool, and the masters they name. The Sentinels are a server pool of
 * their own, so that they are asked by exchanges like any node. What they agree on is a map: the
 * server pool with other addresses, and behind its servers the replicas that answer reads. A server
 * has an id, the epoch of its address, or OH_NOT_NAMED as long as no Sentinel has named one.
 *
 * The epoch is a part of a node's identity. So no connection from before a failover is used after
 * it, even if the old address comes back.
 *
 * Implements spec/topology/sentinel.md.
 */
#include "engine/cluster/cluster_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/cluster/sentinel.h"
#include "core/generated/limits.h"
#include "core/generated/messages.h"

#include "engine/base/environment.h"
#include "engine/base/log.h"
#include "engine/shared/segment.h"

#define OH_NOT_NAMED "-"
#define OH_EPOCH_BYTES 24

/* ---- The Sentinels as a server pool ---- */

static oh_tls_settings tls_of(const oh_server_pool *pool)
{
    oh_tls_settings tls = pool->tls;

    tls.is_on = pool->has_sentinel_tls;
    return tls;
}

/* They have no keys, so their role is that of a node that is only known. */
static oh_server_pool pool_of_sentinels(const oh_server_pool *pool, oh_server *servers)
{
    oh_server_pool sentinels = {.name = pool->name,
        .distribution = OH_MODULA,
        .servers = servers,
        .servers_count = oh_server_pool_sentinels(pool, servers),
        .is_redis = true,
        .redis_auth = pool->sentinel_password,
        .username = pool->sentinel_username,
        .tls = tls_of(pool),
        .timeout_ms = pool->timeout_ms,
        .pool_size = pool->pool_size,
        .max_connection_age_ms = pool->max_connection_age_ms};

    for (size_t i = 0; i < sentinels.servers_count; i++) {
        servers[i].role = OH_SPARE;
    }
    return sentinels;
}

oh_snapshot *oh_sentinels_open(
    const oh_server_pool *pool, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_server servers[OH_POOL_SENTINELS_MAX];
    oh_server_pool sentinels = pool_of_sentinels(pool, servers);
    oh_config_image config_image = {.image = NULL};

    config_image.image = oh_map_write(&sentinels, &config_image.image_length);
    if (!config_image.image || !oh_secrets_copy(&config_image.secrets, &sentinels)) {
        oh_config_image_free(&config_image);
        return NULL;
    }
    return oh_snapshot_make(&config_image, identity);
}

/* ---- The question ---- */

static bool asks_for_replicas(const oh_server_pool *pool)
{
    return pool->read_from != OH_READ_MASTER;
}

void oh_sentinels_write_question(oh_buffer *question, const oh_server_pool *pool)
{
    static const char *const verbs[] = {"GET-MASTER-ADDR-BY-NAME", "MASTER", "REPLICAS"};
    oh_resp_sink sink = oh_buffer_sink(question);
    size_t masters = oh_server_pool_count_masters(pool);
    int verbs_count = asks_for_replicas(pool) ? 3 : 2;

    for (size_t i = 0; i < masters; i++) {
        for (int verb = 0; verb < verbs_count; verb++) {
            oh_resp_put_list(sink, 3);
            oh_resp_put_text(sink, "SENTINEL");
            oh_resp_put_text(sink, verbs[verb]);
            oh_resp_put_word(sink, oh_text_bytes(pool->servers[i].name));
        }
    }
}

/* ---- What is known ---- */

/* What was adopted before. The store may hold anything, so an id that is no number is none. */
static oh_sentinel_known known_of(const oh_server *server)
{
    oh_sentinel_known known = {.host = server->host, .port = server->port};

    known.is_adopted = server->id.length > 0;
    for (size_t i = 0; i < server->id.length && known.is_adopted; i++) {
        known.is_adopted = server->id.bytes[i] >= '0' && server->id.bytes[i] <= '9' && i < 19;
        known.epoch = known.epoch * 10 + (uint64_t)(server->id.bytes[i] - '0');
    }
    return known;
}

/* The map with another address for some names. */
typedef struct next_map {
    oh_server_pool pool;
    size_t masters;
    oh_server *servers;             /* The masters; at the end also their replicas. */
    char (*epochs)[OH_EPOCH_BYTES]; /* The memory of the masters' ids. */
    /* By master: the reply of the adopted answer about its replicas, empty if there is none, */
    oh_values *named_replicas;
    bool *keeps_replicas; /* or true if its replicas stay. */
    oh_sentinel_replica *replicas;
    size_t replicas_count;
    char (*names)[OH_REPLICA_NAME_BYTES]; /* The memory of the replicas' names. */
    size_t named;                         /* For how many names a Sentinel has named an address. */
    const oh_server *nameless;            /* The first one without; NULL if all have one. */
    const char *reason;                   /* Why it has none. */
} next_map;

/* Copies the masters that are known; their replicas stay. False if there is no memory. */
static bool begin(next_map *next, const oh_server_pool *known)
{
    size_t masters = next->masters = oh_server_pool_count_masters(known);

    next->pool = *known;
    next->servers = oh_call_zeroed(masters, sizeof *next->servers);
    next->epochs = oh_call_zeroed(masters, sizeof *next->epochs);
    next->named_replicas = oh_call_zeroed(masters, sizeof *next->named_replicas);
    next->keeps_replicas = oh_call_zeroed(masters, sizeof *next->keeps_replicas);
    if (!next->servers || !next->epochs || !next->named_replicas || !next->keeps_replicas) {
        return false;
    }
    memcpy(next->servers, known->servers, masters * sizeof *next->servers);
    for (size_t i = 0; i < masters; i++) {
        next->keeps_replicas[i] = true;
        if (next->servers[i].id.length == 0) {
            next->servers[i].id = (oh_text){OH_NOT_NAMED, strlen(OH_NOT_NAMED)};
        }
    }
    return true;
}

static void end(next_map *next)
{
    oh_call_release(next->servers);
    oh_call_release(next->epochs);
    oh_call_release(next->named_replicas);
    oh_call_release(next->keeps_replicas);
    oh_call_release(next->replicas);
    oh_call_release(next->names);
}

/* The index of the master with this name; the count of masters if there is none. */
static size_t find(const oh_server_pool *pool, size_t masters, oh_text name, size_t guess)
{
    if (guess < masters && oh_text_is_same(pool->servers[guess].name, name)) {
        return guess; /* Nearly always: the names are those that were asked. */
    }
    for (size_t i = 0; i < masters; i++) {
        if (oh_text_is_same(pool->servers[i].name, name)) {
            return i;
        }
    }
    return masters;
}

/* ---- Replicas ---- */

/* The replicas of the map so far whose masters keep them. */
static void keep_replicas(next_map *next, const oh_server_pool *known)
{
    size_t known_masters = oh_server_pool_count_masters(known);

    for (size_t i = known_masters; i < known->servers_count; i++) {
        const oh_server *replica = &known->servers[i];
        oh_text master = known->servers[replica->master].name;
        size_t index = find(&next->pool, next->masters, master, replica->master);

        if (index < next->masters && next->keeps_replicas[index]) {
            next->replicas[next->replicas_count++] =
                (oh_sentinel_replica){replica->host, replica->port, (uint16_t)index};
        }
    }
}

/* Lists all replicas in order. False if there is no memory. */
static bool list_replicas(next_map *next, const oh_server_pool *known)
{
    size_t most = known->servers_count;

    for (size_t i = 0; i < next->masters; i++) {
        most += oh_sentinel_count_replicas(next->named_replicas[i]);
    }
    next->replicas = oh_call_zeroed(most, sizeof *next->replicas);
    if (!next->replicas) {
        return false;
    }
    keep_replicas(next, known);
    for (size_t i = 0; i < next->masters; i++) {
        const oh_sentinel_answer adopted = {
            .host = next->servers[i].host, .port = next->servers[i].port};

        next->replicas_count += oh_sentinel_read_replicas(
            next->named_replicas[i], &adopted, (uint16_t)i, next->replicas + next->replicas_count);
    }
    next->replicas_count = oh_sentinel_order_replicas(next->replicas, next->replicas_count);
    next->replicas_count = OH_MIN(next->replicas_count, (size_t)OH_POOL_SERVERS_MAX);
    return true;
}

/*
 * Puts the replicas behind the masters. `known` is the map so far. False if there is no memory.
 */
static bool add_replicas(next_map *next, const oh_server_pool *known)
{
    if (asks_for_replicas(&next->pool) && !list_replicas(next, known)) {
        return false;
    }
    size_t count = next->masters + next->replicas_count;
    oh_server *servers = oh_call_zeroed(count, sizeof *servers);

    next->names = oh_call_zeroed(next->replicas_count + 1, sizeof *next->names);
    if (!servers || !next->names) {
        oh_call_release(servers);
        return false;
    }
    memcpy(servers, next->servers, next->masters * sizeof *servers);
    for (size_t i = 0; i < next->replicas_count; i++) {
        const oh_sentinel_replica *replica = &next->replicas[i];
        size_t length = oh_sentinel_replica_name(replica, next->names[i]);

        servers[next->masters + i] = (oh_server){.name = {next->names[i], length},
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

/* ---- Judging ---- */

static void adopt_address(next_map *next, size_t index, const oh_sentinel_answer *answer)
{
    oh_server *server = &next->servers[index];
    int length = snprintf(next->epochs[index], OH_EPOCH_BYTES, "%" PRIu64, answer->epoch);

    server->host = answer->host;
    server->port = answer->port;
    server->id = (oh_text){next->epochs[index], (size_t)length};
}

/* What one Sentinel says of one name: the answer, and the reply about replicas if they are asked.
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

/* Judges what the Sentinels say of one name, whose index in the map is `index`. */
static void judge_one(next_map *next, size_t index, const oh_sentinel_answer *answers,
    const oh_values *replicas, size_t count)
{
    oh_sentinel_known before = known_of(&next->servers[index]);
    int chosen = oh_sentinel_judge(answers, count, &before);

    if (chosen >= 0) {
        adopt_address(next, index, &answers[chosen]);
        next->named_replicas[index] = replicas[chosen];
        next->keeps_replicas[index] = false;
        next->named++;
    } else if (!next->nameless) {
        next->nameless = &next->servers[index];
        next->reason =
            count > 0 && answers[0].reason ? answers[0].reason : OH_REASON_SENTINEL_SILENT;
    }
}

/* Judges what the Sentinels say of all names. */
static void judge_all(next_map *next, const oh_server_pool *asked, oh_values *replies, size_t count)
{
    oh_sentinel_answer answers[OH_POOL_SENTINELS_MAX];
    oh_values replicas[OH_POOL_SENTINELS_MAX];
    size_t masters = oh_server_pool_count_masters(asked);

    for (size_t name = 0; name < masters; name++) {
        for (size_t i = 0; i < count; i++) {
            answers[i] = read_answer(&replies[i], asks_for_replicas(asked), &replicas[i]);
        }
        size_t index = find(&next->pool, next->masters, asked->servers[name].name, name);
        if (index < next->masters) {
            judge_one(next, index, answers, replicas, count);
        }
    }
}

/* ---- The log ---- */

static void log_moves(const oh_server_pool *before, const next_map *next)
{
    for (size_t i = 0; i < next->masters; i++) {
        const oh_server *old = &before->servers[i], *new = &next->servers[i];

        if (!oh_text_is_same(old->host, new->host) || old->port != new->port) {
            oh_log_note(LOG_NOTICE, "OneHop: master %s of server pool %s is at %.*s:%u now",
                new->name.bytes, before->name.bytes, (int)new->host.length, new->host.bytes,
                (unsigned)new->port);
        }
    }
}

/*
 * One process of the host logs when a name is not named any more, and when all are again. `why` is
 * the failure of a Sentinel, or NULL.
 */
static void log_silence(oh_cluster *cluster, const next_map *next, const char *why)
{
    const char *pool = cluster->seeds->pool->name.bytes;
    _Atomic uint64_t *shared = cluster->entry == OH_STORE_NONE
                                   ? NULL
                                   : oh_store_read_at(oh_segment_store(), cluster->entry);
    bool is_silent = next->nameless != NULL;
    bool was_silent = shared ? atomic_exchange(shared, is_silent) != 0 : cluster->is_silent;

    cluster->is_silent = is_silent;
    if (is_silent && !was_silent) {
        oh_log_note(LOG_WARNING,
            "OneHop: no Sentinel of server pool %s names master %s (%s): its address %s stays in "
            "use",
            pool, next->nameless->name.bytes, why && next->named == 0 ? why : next->reason,
            known_of(next->nameless).is_adopted ? "so far" : "in the configuration");
    } else if (was_silent && !is_silent) {
        oh_log_note(
            LOG_NOTICE, "OneHop: the Sentinels of server pool %s name all masters again", pool);
    }
}

/* ---- Adopting ---- */

bool oh_sentinels_adopt(oh_cluster *cluster, const oh_server_pool *asked, oh_values *replies,
    size_t count, const char *why)
{
    /* The directives of the newest configuration, and of the map only the addresses. */
    const oh_server_pool *known = cluster->map ? cluster->map->pool : cluster->seeds->pool;
    next_map next = {.named = 0};
    bool is_adopted = false;

    if (begin(&next, known)) {
        judge_all(&next, asked, replies, count);
        log_silence(cluster, &next, why);
        if (cluster->map) {
            log_moves(known, &next);
        }
        is_adopted = add_replicas(&next, known) && oh_map_adopt(cluster, &next.pool);
    }
    end(&next);
    return is_adopted;
}

bool oh_sentinels_reconfigure(oh_cluster *cluster)
{
    const oh_server_pool *known = cluster->map->pool;
    bool is_known = true;
    next_map next = {.named = 0};

    if (begin(&next, cluster->seeds->pool)) {
        size_t masters = oh_server_pool_count_masters(known);

        for (size_t i = 0; i < next.masters; i++) {
            size_t before = find(known, masters, next.servers[i].name, i);

            if (before < masters) {
                next.servers[i].host = known->servers[before].host;
                next.servers[i].port = known->servers[before].port;
                next.servers[i].id = known->servers[before].id;
            } else {
                is_known = false;
            }
        }
        if (add_replicas(&next, known)) {
            oh_map_adopt(cluster, &next.pool);
        }
    }
    end(&next);
    return is_known;
}
