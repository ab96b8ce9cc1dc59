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
 * If the old owner is down from the beginning, CHECK finds out whether the owner has the key. A key
 * that cannot be brought does not stop the other keys: its commands are refused, or a node's error
 * is their answer.
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

typedef enum step { MIGRATE, DUMP, RESTORE, COMPARE, UNLINK, CHECK, ENDED } step;

typedef struct carried {
    oh_moving *moving;
    oh_moving_key *key;  /* The first entry of its list with this key. */
    uint32_t keys_count; /* How often the list has this key: once for each command. */
    step step;
    bool is_sent;      /* It was sent in this round. */
    bool has_migrated; /* MIGRATE was sent. */
    uint32_t failure;  /* The number of its old owner's failure, from step CHECK on. */
    int64_t ttl_ms;
    oh_buffer value; /* What DUMP has answered. */
} carried;

typedef struct bringing {
    oh_moving *const *movings;
    uint32_t movings_count;
    oh_round round;
    carried *all; /* Memory of the call. */
    uint32_t count;
    /* True if nothing more is brought: the program has ended the wait, or there is no memory. */
    bool has_ended;
} bringing;

/* ---- What may be done ---- */

static bool is_unix(const oh_snapshot *snapshot, uint32_t node)
{
    return snapshot->pool->servers[node].path.bytes != NULL;
}

static bool may_migrate(const oh_moving *moving, uint32_t from)
{
    const oh_exchange *exchange = moving->exchange;
    oh_snapshot *snapshot = moving->snapshot;
    bool knows_database =
        snapshot->pool->redis_db == 0 || oh_database_is_chosen(exchange->peer.database);

    return knows_database && !is_unix(snapshot, from) && !is_unix(snapshot, moving->node) &&
           !oh_topology_moves_both_ways(snapshot->topology, from, moving->node) &&
           oh_clock_now_ns() >= oh_snapshot_by_hand(snapshot, from);
}

/* For some time MIGRATE is not used with the old owner of this key. */
static void go_by_hand(const carried *one)
{
    oh_snapshot_go_by_hand(
        one->moving->snapshot, one->key->from, oh_clock_now_ns() + OH_MIGRATE_AGAIN_MS * NS_PER_MS);
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

static void put_migrate(const carried *one, oh_resp_sink sink)
{
    const oh_exchange *exchange = one->moving->exchange;
    const oh_server_pool *pool = one->moving->snapshot->pool;
    const oh_server *server = &pool->servers[one->moving->node];
    oh_database database = exchange->peer.database;
    size_t credentials = !pool->redis_auth.bytes ? 0 : pool->username.bytes ? 3 : 2;

    oh_resp_put_list(sink, 6 + credentials);
    oh_resp_put_text(sink, "MIGRATE");
    put_text(sink, server->host);
    oh_resp_put_digits(sink, server->port);
    oh_resp_put_word(sink, one->key->key);
    oh_resp_put_digits(sink, oh_database_is_chosen(database) ? oh_database_number(database)
                                                             : oh_server_pool_database(pool));
    oh_resp_put_digits(sink, timeout_ms(exchange));
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
    /* For RESTORE 0 means no expiry. */
    oh_resp_put_digits(sink, one->ttl_ms == -1 ? 0 : OH_MAX(one->ttl_ms, 1));
    oh_resp_put_word(sink, (oh_bytes){(const uint8_t *)one->value.bytes, one->value.length});
}

/*
 * Puts the commands of the key's step into the round. Without room the key waits for the next
 * round.
 */
static void load(bringing *it, carried *one)
{
    bool is_of_owner = one->step == RESTORE || one->step == CHECK;
    uint32_t node = is_of_owner ? one->moving->node : one->key->from;

    one->is_sent = false;
    if (one->step == COMPARE && it->round.requests_count + 2 > OH_EXCHANGE_SET_MAX) {
        return; /* COMPARE may need two requests. */
    }
    oh_buffer *to = oh_round_to(&it->round, node);
    oh_buffer *other = one->step == COMPARE ? oh_round_to(&it->round, one->moving->node) : to;

    one->is_sent = to && other;
    if (!one->is_sent) {
        return;
    }
    oh_resp_sink sink = oh_buffer_sink(to);
    switch (one->step) {
    case MIGRATE: put_migrate(one, sink); break;
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

/* The key is not brought, and its commands are not sent. */
static void refuse(carried *one, uint32_t failure)
{
    one->step = ENDED;
    for (uint32_t i = 0; i < one->keys_count; i++) {
        one->key[i].is_refused = true;
        oh_refusals_add(one->moving, one->key[i].command, failure);
    }
}

/*
 * The command is not sent. If it is alone, a node's error becomes its answer. In a batch or a
 * transaction the error becomes a failure, because the command's own node has not sent it.
 */
static void end_with(carried *one, uint32_t node, oh_bytes reply)
{
    oh_moving *moving = one->moving;
    oh_exchange *exchange = moving->exchange;
    oh_text error = oh_value_error_text(reply.bytes, reply.length);
    oh_node from = oh_topology_node(moving->snapshot->topology, node);
    oh_quoted name, answer;
    oh_failure failure;
    bool is_answer = moving->commands_count == 1 && !exchange->use.keeps && is_error(reply);
    uint8_t *copy =
        is_answer && oh_exchange_is_idle(exchange) ? oh_call_allocate(reply.length) : NULL;

    if (copy) {
        memcpy(copy, reply.bytes, reply.length);
        oh_exchange_mark_complete(exchange);
        oh_exchange_replace(exchange, copy, reply.length, true, true);
    }
    if (is_answer && !oh_exchange_is_idle(exchange)) {
        one->step = ENDED;
        return;
    }
    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_BROUGHT,
        oh_quote_name(&name, from.name.bytes, from.name.length),
        oh_quote(&answer, error.bytes, error.length));
    failure.other_node = node + 1;
    refuse(one, oh_refusals_keep(moving, &failure));
}

/* Both nodes have the key, and nobody knows whether they are one server. */
static void end_nameless(carried *one, uint32_t node)
{
    oh_failure failure;

    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_NO_RUN_ID);
    failure.other_node = node + 1;
    refuse(one, oh_refusals_keep(one->moving, &failure));
}

/* Fails all requests that were not sent yet. */
static void end_all(bringing *it, const oh_round_request *failed, const oh_failure *failure)
{
    it->has_ended = true;
    for (uint32_t i = 0; i < it->movings_count; i++) {
        oh_exchange *exchange = it->movings[i]->exchange;

        if (oh_exchange_is_idle(exchange)) {
            *exchange->failure = *failure;
            oh_exchange_fail_like(exchange, &failed->exchange);
        }
    }
}

/*
 * A node does not answer. If nothing was sent to the old owner yet, the owner is asked whether it
 * has the key. If the program has ended the wait, nothing more is brought.
 */
static void take_failure(bringing *it, carried *one, const oh_round_request *failed)
{
    bool is_first = (one->step == MIGRATE || one->step == DUMP) && !one->has_migrated;
    oh_failure failure;

    oh_round_tell(&it->round, failed, OH_OUTCOME_NOT_SENT, &failure);
    if (oh_exchange_was_interrupted(&failed->exchange)) {
        end_all(it, failed, &failure);
        return;
    }
    one->failure = oh_refusals_keep(one->moving, &failure);
    if (is_first && failed->failure.outcome == OH_OUTCOME_NOT_SENT) {
        one->step = CHECK;
    } else {
        if (one->step == MIGRATE) { /* Perhaps the old owner waits for the owner. */
            go_by_hand(one);
        }
        refuse(one, one->failure);
    }
}

static void take_dump(carried *one, oh_bytes dump, oh_bytes ttl)
{
    oh_values values = oh_values_of(dump.bytes, dump.length);
    oh_values number = oh_values_of(ttl.bytes, ttl.length);
    oh_value value, left;

    if (is_error(dump) || is_error(ttl) || !oh_value_take(&values, &value) ||
        !oh_value_take(&number, &left) || left.kind != OH_VALUE_NUMBER) {
        end_with(one, one->key->from, is_error(dump) ? dump : ttl);
        return;
    }
    if (value.kind != OH_VALUE_TEXT || left.number == -2) {
        one->step = ENDED;
        return;
    }
    one->ttl_ms = left.number;
    oh_buffer_append(&one->value, value.text.bytes, value.text.length);
    one->step = RESTORE;
}

/* The line of INFO that begins with run_id; empty if there is none. */
static oh_text run_id(oh_bytes reply)
{
    const char *at = memmem(reply.bytes, reply.length, "\r\nrun_id:", 9);
    const char *end = (const char *)reply.bytes + reply.length;
    const char *cr = at ? memchr(at + 9, '\r', (size_t)(end - at - 9)) : NULL;

    return cr ? (oh_text){at + 9, (size_t)(cr - at - 9)} : (oh_text){NULL, 0};
}

static void compare(carried *one, oh_bytes old, oh_bytes own)
{
    oh_text one_id = run_id(old), other_id = run_id(own);

    if (is_error(old) || is_error(own)) {
        end_with(
            one, is_error(old) ? one->key->from : one->moving->node, is_error(old) ? old : own);
    } else if (one_id.length == 0 || other_id.length == 0) {
        end_nameless(one, one_id.length == 0 ? one->key->from : one->moving->node);
    } else if (oh_text_is_same(one_id, other_id)) {
        one->step = ENDED; /* Both addresses lead to one server. */
    } else {
        one->step = UNLINK;
    }
}

static void take_migrate(carried *one, oh_bytes reply)
{
    one->has_migrated = true;
    if (!is_error(reply)) {
        one->step = ENDED;
    } else if (has_busykey(reply)) {
        one->step = COMPARE;
    } else {
        go_by_hand(one);
        one->step = DUMP;
    }
}

static void take_restore(carried *one, oh_bytes reply)
{
    if (!is_error(reply)) {
        one->step = UNLINK;
    } else if (has_busykey(reply)) {
        one->step = COMPARE;
    } else {
        end_with(one, one->moving->node, reply);
    }
}

/* The owner has been asked, because the old owner is down. */
static void take_check(carried *one, oh_bytes reply)
{
    if (is_error(reply)) {
        end_with(one, one->moving->node, reply);
    } else if (oh_bytes_is(reply, ":1\r\n")) {
        one->step = ENDED;
    } else {
        refuse(one, one->failure);
    }
}

static void unload(bringing *it, carried *one)
{
    bool is_of_owner = one->step == RESTORE || one->step == CHECK;
    uint32_t node = is_of_owner ? one->moving->node : one->key->from;
    const oh_round_request *failed = NULL, *other_failed = NULL;
    oh_bytes reply = oh_round_take(&it->round, node, &failed);
    oh_bytes second = {NULL, 0};

    /*
     * The second reply is taken even if the first node has failed, because the next reply of the
     * second node belongs to another key.
     */
    if (one->step == DUMP || one->step == COMPARE) {
        node = one->step == DUMP ? node : one->moving->node;
        second = oh_round_take(&it->round, node, &other_failed);
        failed = failed ? failed : other_failed;
    }
    if (failed) {
        take_failure(it, one, failed);
        return;
    }
    switch (one->step) {
    case MIGRATE: take_migrate(one, reply); break;
    case DUMP: take_dump(one, reply, second); break;
    case RESTORE: take_restore(one, reply); break;
    case COMPARE: compare(one, reply, second); break;
    case UNLINK:
        if (is_error(reply)) {
            end_with(one, one->key->from, reply);
        } else {
            one->step = ENDED;
        }
        break;
    default: take_check(one, reply);
    }
}

/* ---- All of them ---- */

static void end_without_memory(bringing *it)
{
    it->has_ended = true;
    for (uint32_t i = 0; i < it->movings_count; i++) {
        if (oh_exchange_is_idle(it->movings[i]->exchange)) {
            oh_exchange_fail_without_memory(it->movings[i]->exchange);
        }
    }
}

/* False if there is nothing more to do. */
static bool run_round(bringing *it)
{
    bool is_done = true;

    for (uint32_t i = 0; i < it->count; i++) {
        it->all[i].is_sent = false;
        it->round.is_broken |= it->all[i].value.is_broken;
        if (it->all[i].step != ENDED) {
            load(it, &it->all[i]);
            is_done = false;
        }
    }
    if (is_done) {
        return false;
    }
    /* Each of these commands may be sent again. */
    if (!oh_round_run(&it->round, true)) {
        end_without_memory(it);
        return false;
    }
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->all[i].is_sent) {
            unload(it, &it->all[i]);
        }
    }
    return !it->has_ended;
}

static bool is_same(const oh_moving_key *one, const oh_moving_key *other)
{
    return one->key.length == other->key.length &&
           memcmp(one->key.bytes, other->key.bytes, one->key.length) == 0;
}

/*
 * Refuses the keys if their owner is down: an old owner that migrates to it would serve nobody
 * meanwhile.
 */
static void refuse_if_owner_rests(bringing *it, oh_moving *moving, uint32_t first)
{
    oh_connections *owner = oh_snapshot_connections(moving->snapshot, moving->node);
    oh_failure failure;

    if (owner && oh_pool_rests(owner, &failure)) {
        uint32_t number = oh_refusals_keep(moving, &failure);

        for (uint32_t i = first; i < it->count; i++) {
            refuse(&it->all[i], number);
        }
    }
}

/* Adds the keys to bring for a request, each key once. */
static void take_up(bringing *it, oh_moving *moving)
{
    oh_moving_keys *list = &moving->brought;
    uint32_t first = it->count;

    for (uint32_t i = 0; i < list->count; i++) {
        oh_moving_key *key = &list->keys[i];

        if (i > 0 && is_same(key - 1, key)) {
            it->all[it->count - 1].keys_count++;
            continue;
        }
        it->all[it->count++] = (carried){.moving = moving,
            .key = key,
            .keys_count = 1,
            .step = may_migrate(moving, key->from) ? MIGRATE : DUMP};
    }
    refuse_if_owner_rests(it, moving, first);
}

void oh_moving_bring(oh_moving *const *all, uint32_t count)
{
    bringing it = {.movings = all,
        .movings_count = count,
        .round = {.from = all[0]->exchange, .snapshot = all[0]->snapshot}};
    size_t keys_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        keys_count += all[i]->brought.count;
    }
    it.all = oh_call_zeroed(keys_count, sizeof *it.all);
    if (!it.all) {
        end_without_memory(&it);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        take_up(&it, all[i]);
    }
    while (run_round(&it)) {
        oh_round_end(&it.round);
    }
    oh_round_end(&it.round);
    for (uint32_t i = 0; i < it.count; i++) {
        oh_buffer_free(&it.all[i].value);
    }
    oh_call_release(it.all);
}
