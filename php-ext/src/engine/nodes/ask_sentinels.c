/*
 * What the Sentinels of a server pool are asked, and the masters they name. The Sentinels are a
 * server pool of their own, so that they are asked by exchanges like any node. The map is the
 * server pool as configured, with the addresses on which the Sentinels agree.
 *
 * Implements spec/topology/sentinel.md.
 */
#include "engine/nodes/nodes_internal.h"

#include <syslog.h>

#include "core/base/clock.h"
#include "core/generated/limits.h"

#include "engine/base/environment.h"
#include "engine/base/log.h"
#include "engine/shared/segment.h"

/* ---- The Sentinels as a server pool ---- */

/* They have no keys, so their role is that of a node that is only known. */
static oh_server_pool pool_of_sentinels(const oh_server_pool *pool, oh_server *servers)
{
    oh_server_pool sentinels = {.name = pool->name,
        .fingerprint = pool->fingerprint,
        .distribution = OH_MODULA,
        .servers = servers,
        .servers_count = oh_server_pool_sentinels(pool, servers),
        .redis_auth = pool->sentinel_password,
        .username = pool->sentinel_username};

#define X(member) sentinels.member = pool->member;
    OH_FOR_SENTINELS(X)
#undef X
    sentinels.tls.is_on = pool->has_sentinel_tls;
    for (size_t i = 0; i < sentinels.servers_count; i++) {
        servers[i].role = OH_SPARE;
    }
    return sentinels;
}

static oh_snapshot *contacts_of(oh_snapshot *seeds, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_server servers[OH_POOL_SENTINELS_MAX];
    oh_server_pool sentinels = pool_of_sentinels(seeds->pool, servers);
    oh_config_image config_image = {.image = NULL};

    config_image.image = oh_map_write(&sentinels, &config_image.image_length);
    if (!config_image.image || !oh_secrets_copy(&config_image.secrets, &sentinels)) {
        oh_config_image_free(&config_image);
        return NULL;
    }
    return oh_snapshot_make(&config_image, identity);
}

/* ---- The configuration ---- */

static bool is_map(const oh_topology *topology)
{
    return !oh_topology_slots(topology) && oh_topology_nodes_count(topology) > 0 &&
           oh_topology_node(topology, 0).id.length > 0;
}

/* Gives the map the new directives. False if no address was adopted yet for one of its names. */
static bool keep_addresses(oh_nodes *nodes)
{
    const oh_server_pool *known = nodes->map->pool;
    bool are_known = true;
    oh_sentinels_map next = {.named_count = 0};

    if (oh_sentinels_map_begin(&next, nodes->seeds->pool)) {
        are_known = oh_sentinels_map_keep_addresses(&next, known);
        if (oh_sentinels_map_add_replicas(&next, known)) {
            oh_map_adopt(nodes, &next.pool);
        }
    }
    oh_sentinels_map_end(&next);
    return are_known;
}

/*
 * The addresses stay. If no Sentinel has named a master for one of the names yet, the Sentinels are
 * asked. If the configuration names other Sentinels now, their epochs cannot be compared with those
 * that are known.
 */
static void reconfigure(oh_nodes *nodes, const oh_snapshot *before)
{
    if (before && !oh_text_is_same(before->pool->sentinels, nodes->seeds->pool->sentinels)) {
        nodes->contradicted_ms = 1;
    }
    oh_map_catch_up(nodes);
    if (nodes->map && !keep_addresses(nodes)) {
        oh_nodes_ask(nodes, oh_refresh_first_deadline(nodes));
    }
}

/* ---- Asking ---- */

static void write_question(const oh_nodes *nodes, oh_refresh *refresh)
{
    (void)nodes;
    static const char *const verbs[] = {"GET-MASTER-ADDR-BY-NAME", "MASTER", "REPLICAS"};
    const oh_server_pool *pool = refresh->before->pool;
    oh_resp_sink sink = oh_buffer_sink(&refresh->question);
    size_t masters = oh_server_pool_count_masters(pool);
    int verbs_count = oh_server_pool_asks_replicas(pool) ? 3 : 2;

    for (size_t i = 0; i < masters; i++) {
        for (int verb = 0; verb < verbs_count; verb++) {
            oh_resp_put_list(sink, 3);
            oh_resp_put_text(sink, "SENTINEL");
            oh_resp_put_text(sink, verbs[verb]);
            oh_resp_put_word(sink, oh_text_bytes(pool->servers[i].name));
        }
    }
}

/* A Sentinel that is dead and rests fails immediately. */
static void begin(oh_nodes *nodes, uint64_t deadline_ns)
{
    uint32_t count, *targets = oh_refresh_targets(nodes->contacts, &count);

    if (targets) {
        oh_refresh_ask(nodes, nodes->contacts, targets, count, count, count, deadline_ns);
    }
    oh_call_release(targets);
}

/* Lists the replies of the Sentinels so far. For a Sentinel that is silent they are empty. */
static void list_replies(const oh_refresh *refresh, oh_values replies[OH_POOL_SENTINELS_MAX])
{
    for (uint32_t i = 0; i < refresh->count; i++) {
        oh_bytes all = oh_refresh_answer(refresh, i);

        replies[i] = oh_values_of(all.bytes, all.length);
    }
}

static bool is_certain(const oh_refresh *refresh)
{
    oh_values replies[OH_POOL_SENTINELS_MAX];

    list_replies(refresh, replies);
    return oh_sentinels_are_certain(refresh->before->pool, replies, refresh->count);
}

/* ---- The log ---- */

static void log_moves(const oh_server_pool *before, const oh_sentinels_map *next)
{
    for (size_t i = 0; i < next->masters_count; i++) {
        const oh_server *old = &before->servers[i], *new = &next->servers[i];

        if (!oh_text_is_same(old->host, new->host) || old->port != new->port) {
            oh_log_note(LOG_NOTICE, "OneHop: master %s of server pool %s is at %.*s:%u now",
                new->name.bytes, before->name.bytes, (int)new->host.length, new->host.bytes,
                (unsigned)new->port);
        }
    }
}

/*
 * One process of the host logs when the Sentinels stop naming a master, and when they name all
 * masters again. `why` is the failure of a Sentinel, or NULL.
 */
static void log_silence(oh_nodes *nodes, const oh_sentinels_map *next, const char *why)
{
    const char *pool = nodes->seeds->pool->name.bytes;
    _Atomic uint64_t *shared =
        nodes->entry == OH_STORE_NONE ? NULL : oh_store_read_at(oh_segment_store(), nodes->entry);
    bool is_silent = next->nameless != NULL;
    bool was_silent = shared ? atomic_exchange(shared, is_silent) != 0 : nodes->is_silent;

    nodes->is_silent = is_silent;
    if (is_silent && !was_silent) {
        oh_log_note(LOG_WARNING,
            "OneHop: no Sentinel of server pool %s names master %s (%s): its address %s stays in "
            "use",
            pool, next->nameless->name.bytes, why && next->named_count == 0 ? why : next->reason,
            next->is_nameless_adopted ? "so far" : "in the configuration");
    } else if (was_silent && !is_silent) {
        oh_log_note(
            LOG_NOTICE, "OneHop: the Sentinels of server pool %s name all masters again", pool);
    }
}

/* ---- Contradiction ---- */

static bool is_long_contradicted(const oh_nodes *nodes)
{
    return nodes->contradicted_ms != 0 &&
           oh_clock_now_ms() >= nodes->contradicted_ms + OH_SENTINELS_CONTRADICT_MS;
}

static void note_contradiction(oh_nodes *nodes, const oh_sentinels_map *next)
{
    if (!next->is_contradicted) {
        nodes->contradicted_ms = 0;
    } else if (nodes->contradicted_ms == 0) {
        nodes->contradicted_ms = oh_clock_now_ms();
    }
}

/* ---- Judging ---- */

/* Why one of the Sentinels has said nothing; NULL if all have answered. */
static const char *why_silent(
    const oh_refresh *refresh, const oh_values replies[OH_POOL_SENTINELS_MAX], oh_quoted *error)
{
    const char *why = NULL;

    for (uint32_t i = 0; i < refresh->count; i++) {
        oh_bytes all = {replies[i].at, (size_t)(replies[i].end - replies[i].at)};

        if (oh_exchange_has_failed(&refresh->exchanges[i])) {
            why = refresh->failures[i].what;
        } else if (oh_value_begins_error(all.bytes, all.length) &&
                   !oh_sentinel_is_none(all.bytes, all.length)) {
            /* An error about no single name: NOAUTH, for example. */
            oh_text text = oh_value_error_text(all.bytes, all.length);
            why = oh_quote(error, text.bytes, text.length);
        }
    }
    return why;
}

/*
 * Adopts the addresses that the Sentinels name. An address stays if no Sentinel names another one.
 */
static uint64_t judge(oh_nodes *nodes)
{
    const oh_refresh *refresh = nodes->refresh;
    oh_values replies[OH_POOL_SENTINELS_MAX];
    oh_sentinels_map next = {.named_count = 0};
    oh_quoted error;

    oh_map_catch_up(nodes);
    list_replies(refresh, replies);
    const char *why = why_silent(refresh, replies, &error);
    /* The directives come from the newest configuration, and only the addresses from the map. */
    const oh_server_pool *known = nodes->map ? nodes->map->pool : nodes->seeds->pool;
    if (oh_sentinels_map_begin(&next, known)) {
        next.distrusts_known = is_long_contradicted(nodes);
        oh_sentinels_map_judge(&next, refresh->before->pool, replies, refresh->count);
        note_contradiction(nodes, &next);
        log_silence(nodes, &next, why);
        if (nodes->map) {
            log_moves(known, &next);
        }
        if (oh_sentinels_map_add_replicas(&next, known)) {
            oh_map_adopt(nodes, &next.pool);
        }
    }
    oh_sentinels_map_end(&next);
    return 0;
}

const oh_protocol oh_protocol_of_sentinels = {.kind = OH_MAP_OF_SENTINELS,
    .name = "sentinels",
    .soon_ms = OH_SENTINELS_SOON_MS,
    .anyway_ms = OH_SENTINELS_EVERY_MS,
    .is_quorum = true,
    .is_map = is_map,
    .contacts = contacts_of,
    .reconfigure = reconfigure,
    .begin = begin,
    .write_question = write_question,
    .is_certain = is_certain,
    .judge = judge};
