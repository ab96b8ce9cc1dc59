/*
 * Brings keys to their owner. Each key is at one of these steps, and all keys take a step together:
 *
 *     MIGRATE ──OK, NOKEY──────────────────────────────────────────► brought
 *        │   └──BUSYKEY──────────────────────────────► COMPARE
 *        ▼ not allowed, or may not                        │ two servers
 *     DUMP ──nil──► brought                               ▼
 *        └──value──► RESTORE ──OK───────────────────► UNLINK ──────► brought
 *                       └────BUSYKEY────► COMPARE
 *
 * If the old owner is down from the beginning, LOOK finds out whether the owner has the key.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/decimal.h"
#include "core/generated/timings.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/moving/moving_internal.h"

#define NS_PER_MS UINT64_C(1000000)

typedef enum step { MIGRATE, DUMP, RESTORE, COMPARE, UNLINK, LOOK, BROUGHT } step;

typedef struct carried {
    const oh_moving_key *key;
    step step;
    bool is_sent;      /* In this round. */
    bool has_migrated; /* MIGRATE was sent. */
    int64_t ttl_ms;
    oh_buffer value; /* What DUMP has answered. */
} carried;

typedef struct bringing {
    oh_moving *moving;
    oh_exchange *exchange;
    oh_round round;
    carried *all; /* Memory of the call. */
    oh_failure down_failure;
    uint32_t down_node;
    bool has_ended; /* The exchange has ended. */
} bringing;

/* ---- What may be done ---- */

static bool is_unix(const oh_snapshot *snapshot, uint32_t node)
{
    return snapshot->pool->servers[node].path.bytes != NULL;
}

static bool may_migrate(const oh_moving *moving, const oh_exchange *exchange, uint32_t from)
{
    oh_snapshot *snapshot = moving->snapshot;
    bool knows_database =
        snapshot->pool->redis_db == 0 || oh_database_is_chosen(exchange->peer.database);

    return knows_database && !is_unix(snapshot, from) && !is_unix(snapshot, moving->node) &&
           !oh_topology_moves_both_ways(snapshot->topology, from, moving->node) &&
           oh_clock_now_ns() >= oh_snapshot_by_hand(snapshot, from);
}

/* ---- Writing ---- */

static uint32_t timeout_ms(const oh_exchange *exchange)
{
    uint64_t now_ns = oh_clock_now_ns(), deadline_ns = exchange->times.deadline_ns;
    uint64_t left_ms = deadline_ns > now_ns ? (deadline_ns - now_ns) / NS_PER_MS : 0;

    return exchange->terms.timeout_ms ? (uint32_t)OH_MAX(OH_MIN(left_ms / 3, OH_MIGRATE_MS), 1)
                                      : OH_MIGRATE_MS;
}

static void put_text(oh_resp_sink sink, oh_text text)
{
    oh_resp_put_word(sink, (oh_bytes){(const uint8_t *)text.bytes, text.length});
}

static void put_migrate(const bringing *it, oh_resp_sink sink, oh_bytes key)
{
    const oh_server_pool *pool = it->moving->snapshot->pool;
    const oh_server *server = &pool->servers[it->moving->node];
    oh_database database = it->exchange->peer.database;
    size_t credentials = !pool->redis_auth.bytes ? 0 : pool->username.bytes ? 3 : 2;

    oh_resp_put_list(sink, 6 + credentials);
    oh_resp_put_text(sink, "MIGRATE");
    put_text(sink, server->host);
    oh_resp_put_digits(sink, server->port);
    oh_resp_put_word(sink, key);
    oh_resp_put_digits(sink, oh_database_is_chosen(database) ? oh_database_number(database)
                                                             : oh_server_pool_database(pool));
    oh_resp_put_digits(sink, timeout_ms(it->exchange));
    if (credentials == 3) {
        oh_resp_put_text(sink, "AUTH2");
        put_text(sink, pool->username);
    } else if (credentials > 0) {
        oh_resp_put_text(sink, "AUTH");
    }
    if (credentials > 0) {
        put_text(sink, pool->redis_auth);
    }
}

static void put(oh_resp_sink sink, const char *name, oh_bytes key)
{
    oh_resp_put_list(sink, 2);
    oh_resp_put_text(sink, name);
    oh_resp_put_word(sink, key);
}

static void put_restore(oh_resp_sink sink, const carried *one)
{
    oh_resp_put_list(sink, 4);
    oh_resp_put_text(sink, "RESTORE");
    oh_resp_put_word(sink, one->key->key);
    oh_resp_put_digits(sink, one->ttl_ms == -1 ? 0 : OH_MAX(one->ttl_ms, 1)); /* 0 has no end. */
    oh_resp_put_word(sink, (oh_bytes){(const uint8_t *)one->value.bytes, one->value.length});
}

/* Puts the commands of its step into the round. It waits if there is no room. */
static void load(bringing *it, carried *one)
{
    bool is_of_owner = one->step == RESTORE || one->step == LOOK;
    uint32_t node = is_of_owner ? it->moving->node : one->key->from;

    one->is_sent = false;
    if (one->step == COMPARE && it->round.requests_count + 2 > OH_EXCHANGE_SET_MAX) {
        return; /* It may need two requests. */
    }
    oh_buffer *to = oh_round_to(&it->round, node);
    oh_buffer *other = one->step == COMPARE ? oh_round_to(&it->round, it->moving->node) : to;

    one->is_sent = to && other;
    if (!one->is_sent) {
        return;
    }
    oh_resp_sink sink = oh_buffer_sink(to);
    switch (one->step) {
    case MIGRATE: put_migrate(it, sink, one->key->key); break;
    case DUMP:
        put(sink, "DUMP", one->key->key);
        put(sink, "PTTL", one->key->key);
        break;
    case RESTORE: put_restore(sink, one); break;
    case COMPARE:
        put(sink, "INFO", (oh_bytes){(const uint8_t *)"server", 6});
        put(oh_buffer_sink(other), "INFO", (oh_bytes){(const uint8_t *)"server", 6});
        break;
    case UNLINK: put(sink, "UNLINK", one->key->key); break;
    default: put(sink, "EXISTS", one->key->key);
    }
}

/* ---- Reading ---- */

static bool is_error(oh_bytes reply)
{
    return oh_value_begins_error(reply.bytes, reply.length);
}

static bool has_busykey(oh_bytes reply)
{
    oh_text error = oh_value_error_text(reply.bytes, reply.length);

    return error.length > 0 && memmem(error.bytes, error.length, "BUSYKEY", 7) != NULL;
}

/*
 * An error is the answer to the command, which is not sent. In a batch it fails all of the request,
 * of which nothing is sent.
 */
static void end_with(bringing *it, uint32_t node, oh_bytes reply)
{
    oh_exchange *exchange = it->exchange;
    oh_text error = oh_value_error_text(reply.bytes, reply.length);
    oh_node from = oh_topology_node(it->moving->snapshot->topology, node);
    oh_quoted name, answer;
    uint8_t *copy = NULL;

    it->has_ended = true;
    if (it->moving->commands_count == 1 && !exchange->use.keeps && is_error(reply)) {
        copy = oh_call_allocate(reply.length);
    }
    if (copy) {
        memcpy(copy, reply.bytes, reply.length);
        oh_exchange_revive(exchange);
        oh_exchange_replace(exchange, copy, reply.length, true, true);
        return;
    }
    oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_BROUGHT,
        oh_quote_name(&name, from.name.bytes, from.name.length),
        oh_quote(&answer, error.bytes, error.length));
    oh_exchange_fail(exchange);
}

static void end_failed(bringing *it, const oh_round_request *failed)
{
    it->has_ended = true;
    oh_round_fail(&it->round, failed, OH_OUTCOME_NOT_SENT);
}

/* The old owner does not answer. If it has got nothing, the owner may have the key. */
static void meet_failure(bringing *it, carried *one, const oh_round_request *failed)
{
    bool is_first = (one->step == MIGRATE || one->step == DUMP) && !one->has_migrated;
    bool is_down = failed->failure.outcome == OH_OUTCOME_NOT_SENT &&
                   !oh_exchange_was_interrupted(&failed->exchange);

    if (!is_first || !is_down) {
        end_failed(it, failed);
        return;
    }
    it->down_failure = failed->failure;
    it->down_node = failed->node;
    one->step = LOOK;
}

static bool take_dump(bringing *it, carried *one, oh_bytes dump, oh_bytes ttl)
{
    oh_values values = oh_values_of(dump.bytes, dump.length);
    oh_values number = oh_values_of(ttl.bytes, ttl.length);
    oh_value value, left;

    if (is_error(dump) || is_error(ttl) || !oh_value_take(&values, &value) ||
        !oh_value_take(&number, &left) || left.kind != OH_VALUE_NUMBER) {
        end_with(it, one->key->from, is_error(dump) ? dump : ttl);
        return false;
    }
    if (value.kind != OH_VALUE_TEXT || left.number == -2) {
        one->step = BROUGHT;
        return true;
    }
    one->ttl_ms = left.number;
    oh_buffer_append(&one->value, value.text.bytes, value.text.length);
    it->round.is_broken |= one->value.is_broken;
    one->step = RESTORE;
    return true;
}

/* The line of INFO that begins with run_id; empty if there is none. */
static oh_text run_id(oh_bytes reply)
{
    const char *at = memmem(reply.bytes, reply.length, "\r\nrun_id:", 9);
    const char *end = (const char *)reply.bytes + reply.length;
    const char *cr = at ? memchr(at + 9, '\r', (size_t)(end - at - 9)) : NULL;

    return cr ? (oh_text){at + 9, (size_t)(cr - at - 9)} : (oh_text){NULL, 0};
}

static void compare(bringing *it, carried *one, oh_bytes old, oh_bytes own)
{
    oh_text one_id = run_id(old), other_id = run_id(own);

    if (is_error(old) || is_error(own)) {
        end_with(it, is_error(old) ? one->key->from : it->moving->node, is_error(old) ? old : own);
    } else if (one_id.length > 0 && oh_text_is_same(one_id, other_id)) {
        one->step = BROUGHT; /* One server by two addresses. */
    } else {
        one->step = UNLINK;
    }
}

static void meet_migrate(bringing *it, carried *one, oh_bytes reply)
{
    one->has_migrated = true;
    if (!is_error(reply)) {
        one->step = BROUGHT;
    } else if (has_busykey(reply)) {
        one->step = COMPARE;
    } else {
        oh_snapshot_go_by_hand(it->moving->snapshot, one->key->from,
            oh_clock_now_ns() + OH_MIGRATE_AGAIN_MS * NS_PER_MS);
        one->step = DUMP;
    }
}

static void meet_restore(bringing *it, carried *one, oh_bytes reply)
{
    if (!is_error(reply)) {
        one->step = UNLINK;
    } else if (has_busykey(reply)) {
        one->step = COMPARE;
    } else {
        end_with(it, it->moving->node, reply);
    }
}

/* The owner has been looked at, because the old owner is down. */
static void meet_look(bringing *it, carried *one, oh_bytes reply)
{
    oh_node node = oh_topology_node(it->moving->snapshot->topology, it->down_node);
    oh_quoted name;

    if (is_error(reply)) {
        end_with(it, it->moving->node, reply);
    } else if (oh_bytes_is(reply, ":1\r\n")) {
        one->step = BROUGHT;
    } else {
        oh_failure_set(it->exchange->failure, OH_OUTCOME_NOT_SENT, it->down_failure.kind,
            it->down_failure.advice, OH_WHAT_OLD_OWNER_FAILED,
            oh_quote_name(&name, node.name.bytes, node.name.length), it->down_failure.what);
        it->has_ended = true;
        oh_exchange_fail(it->exchange);
    }
}

static void unload(bringing *it, carried *one)
{
    bool is_of_owner = one->step == RESTORE || one->step == LOOK;
    uint32_t node = is_of_owner ? it->moving->node : one->key->from;
    const oh_round_request *failed = NULL;
    oh_bytes reply = oh_round_take(&it->round, node, &failed);
    oh_bytes second = {NULL, 0};

    if (!failed && (one->step == DUMP || one->step == COMPARE)) {
        second = oh_round_take(&it->round, one->step == DUMP ? node : it->moving->node, &failed);
    }
    if (failed) {
        meet_failure(it, one, failed);
        return;
    }
    switch (one->step) {
    case MIGRATE: meet_migrate(it, one, reply); break;
    case DUMP: take_dump(it, one, reply, second); break;
    case RESTORE: meet_restore(it, one, reply); break;
    case COMPARE: compare(it, one, reply, second); break;
    case UNLINK:
        if (is_error(reply)) {
            end_with(it, one->key->from, reply);
        } else {
            one->step = BROUGHT;
        }
        break;
    default: meet_look(it, one, reply);
    }
}

/* ---- All of them ---- */

/* False if there is nothing more to do. */
static bool run_round(bringing *it)
{
    uint32_t count = it->moving->brought.count;
    bool is_done = true;

    for (uint32_t i = 0; i < count; i++) {
        it->all[i].is_sent = false;
        if (it->all[i].step != BROUGHT) {
            load(it, &it->all[i]);
            is_done = false;
        }
    }
    if (is_done) {
        return false;
    }
    /* Each of these commands may be sent again. */
    if (!oh_round_run(&it->round, true)) {
        it->has_ended = true;
        oh_exchange_fail_without_memory(it->exchange);
        return false;
    }
    for (uint32_t i = 0; i < count && !it->has_ended; i++) {
        if (it->all[i].is_sent) {
            unload(it, &it->all[i]);
        }
    }
    return !it->has_ended;
}

bool oh_moving_bring(oh_moving *moving, oh_exchange *exchange)
{
    uint32_t count = moving->brought.count;
    bringing it = {.moving = moving,
        .exchange = exchange,
        .round = {.from = exchange, .snapshot = moving->snapshot},
        .all = oh_call_zeroed(count, sizeof *it.all)};

    if (!it.all) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        it.all[i].key = &moving->brought.keys[i];
        it.all[i].step =
            may_migrate(moving, exchange, moving->brought.keys[i].from) ? MIGRATE : DUMP;
    }
    while (run_round(&it)) {
        oh_round_end(&it.round);
    }
    oh_round_end(&it.round);
    for (uint32_t i = 0; i < count; i++) {
        oh_buffer_free(&it.all[i].value);
    }
    oh_call_release(it.all);
    return !it.has_ended;
}
