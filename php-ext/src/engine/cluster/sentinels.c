/*
 * The Sentinels of a server pool, and the masters they name. The Sentinels are a server pool of
 * their own, so that they are asked by exchanges like any node. What they agree on is a map: the
 * server pool with other addresses. A node of it has an id, the epoch of its address, or
 * OH_NOT_NAMED as long as no Sentinel has named one.
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
        .tls = pool->tls,
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

void oh_sentinels_write_question(oh_buffer *question, const oh_server_pool *pool)
{
    static const char *const verbs[] = {"GET-MASTER-ADDR-BY-NAME", "MASTER"};
    oh_resp_sink sink = oh_buffer_sink(question);

    for (size_t i = 0; i < pool->servers_count; i++) {
        for (int verb = 0; verb < 2; verb++) {
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

/* The map with another address for some names. `epochs` is the memory of their ids. */
typedef struct next_map {
    oh_server_pool pool;
    oh_server *servers;
    char (*epochs)[OH_EPOCH_BYTES];
    size_t named;              /* For how many names a Sentinel has named an address. */
    const oh_server *nameless; /* The first one without; NULL if all have one. */
    const char *reason;        /* Why it has none. */
} next_map;

/* Copies what is known. False if there is no memory. */
static bool begin(next_map *next, const oh_server_pool *known)
{
    next->pool = *known;
    next->pool.servers = next->servers =
        oh_call_zeroed(known->servers_count, sizeof *next->servers);
    next->epochs = oh_call_zeroed(known->servers_count, sizeof *next->epochs);
    if (!next->servers || !next->epochs) {
        return false;
    }
    memcpy(next->servers, known->servers, known->servers_count * sizeof *next->servers);
    for (size_t i = 0; i < known->servers_count; i++) {
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
}

/* The index of the server with this name; the count of servers if there is none. */
static size_t find(const oh_server_pool *pool, oh_text name, size_t guess)
{
    if (guess < pool->servers_count && oh_text_is_same(pool->servers[guess].name, name)) {
        return guess; /* Nearly always: the names are those that were asked. */
    }
    for (size_t i = 0; i < pool->servers_count; i++) {
        if (oh_text_is_same(pool->servers[i].name, name)) {
            return i;
        }
    }
    return pool->servers_count;
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

/* Judges what the Sentinels say of all names. */
static void judge_all(next_map *next, const oh_server_pool *asked, oh_values *replies, size_t count,
    const oh_server_pool *known)
{
    oh_sentinel_answer answers[OH_POOL_SENTINELS_MAX];

    for (size_t name = 0; name < asked->servers_count; name++) {
        for (size_t i = 0; i < count; i++) {
            if (!oh_sentinel_read(&replies[i], &answers[i])) {
                answers[i] = oh_sentinel_silent();
                replies[i].at = replies[i].end;
            }
        }
        size_t index = find(known, asked->servers[name].name, name);
        oh_sentinel_known before = {.is_adopted = false};
        if (index < known->servers_count) {
            before = known_of(&known->servers[index]);
            int chosen = oh_sentinel_judge(answers, count, &before);

            if (chosen >= 0) {
                adopt_address(next, index, &answers[chosen]);
                next->named++;
            } else if (!next->nameless) {
                next->nameless = &known->servers[index];
                next->reason =
                    count > 0 && answers[0].reason ? answers[0].reason : OH_REASON_SENTINEL_SILENT;
            }
        }
    }
}

/* ---- The log ---- */

static void log_moves(const oh_server_pool *before, const next_map *next)
{
    for (size_t i = 0; i < before->servers_count; i++) {
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
        judge_all(&next, asked, replies, count, known);
        log_silence(cluster, &next, why);
        if (cluster->map) {
            log_moves(known, &next);
        }
        is_adopted = oh_map_adopt(cluster, &next.pool);
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
        for (size_t i = 0; i < next.pool.servers_count; i++) {
            size_t before = find(known, next.servers[i].name, i);

            if (before < known->servers_count) {
                next.servers[i].host = known->servers[before].host;
                next.servers[i].port = known->servers[before].port;
                next.servers[i].id = known->servers[before].id;
            } else {
                is_known = false;
            }
        }
        oh_map_adopt(cluster, &next.pool);
    }
    end(&next);
    return is_known;
}
