/*
 * Tests of keys that move: three old owners, each with an owner of its own. All that a call asks or
 * brings is under way at the same time, and a fault of a node concerns only its own keys.
 */
#include <stdio.h>
#include <string.h>

#include "engine/moving/moving.h"

#include "engine_tests.h"

#define PAIRS 3
#define REQUEST_BYTES 2048

/* An owner, the old owner of its keys, and what is asked of the owner. */
typedef struct pair {
    node owner, old;
    uint32_t index, old_index;
    caller it;
    oh_moving *moving;
    char request[REQUEST_BYTES];
    size_t length;
} pair;

static pair pairs[PAIRS];
static oh_snapshot *snapshot;

/* ---- Keys and requests ---- */

/*
 * A key that moves between the nodes of a pair. It begins with `manner`: one of node.h, or another
 * word.
 */
static void find_key(const pair *one, const char *manner, char *key, size_t room)
{
    for (;;) {
        int length = snprintf(key, room, "%s:%u", manner, caller_number());
        const uint8_t *bytes = (const uint8_t *)key;

        if (oh_topology_locate(snapshot->topology, bytes, (size_t)length) == one->index &&
            oh_topology_from(snapshot->topology, bytes, (size_t)length) == one->old_index) {
            return;
        }
    }
}

static void add(pair *one, const char *name, const char *manner)
{
    char key[64], command[96];

    find_key(one, manner, key, sizeof key);
    snprintf(command, sizeof command, "%s %s", name, key);
    one->length = caller_write(one->request, one->length, command);
}

static void nobody_else(oh_exchange_set *set)
{
    (void)set;
}

/* Sends the requests of the first pairs in one call, and reads the replies of those that have any.
 */
static void send_all(uint32_t count, const oh_call_terms *terms)
{
    static oh_exchange_set set;

    set = (oh_exchange_set){.start_others = nobody_else};
    for (uint32_t i = 0; i < count; i++) {
        pair *one = &pairs[i];

        CHECK(caller_begin(&one->it, snapshot, one->index));
        one->moving = oh_moving_attach(&one->it.exchange, snapshot, one->index);
        CHECK(one->moving != NULL);
        oh_exchange_prepare(&one->it.exchange, terms, &set);
        if (i + 1 < count) {
            oh_exchange_start(&one->it.exchange, one->request, one->length);
        }
    }
    oh_exchange_run(
        &pairs[count - 1].it.exchange, pairs[count - 1].request, pairs[count - 1].length);
    for (uint32_t i = 0; i < count; i++) {
        if (oh_exchange_conclude(&pairs[i].it.exchange)) {
            CHECK(caller_read(&pairs[i].it, pairs[i].request, pairs[i].length));
        }
    }
}

static void end_all(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        caller_end(&pairs[i].it);
        pairs[i].length = 0;
    }
}

static bool is_answered(const pair *one)
{
    return oh_exchange_is_complete(&one->it.exchange);
}

/* The failure of a command that was refused; NULL if it has a reply. */
static const oh_failure *refused(const pair *one, uint32_t command)
{
    uint32_t count;
    const oh_refusal *all = oh_moving_refusals(one->moving, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (all[i].command == command) {
            return oh_moving_failure(one->moving, &all[i]);
        }
    }
    return NULL;
}

/* ---- In parallel ---- */

/* The old owners answer when each of them has been asked, and not before. */
static void hold_all(void)
{
    node_hold_again();
    for (uint32_t i = 0; i < PAIRS; i++) {
        atomic_store(&pairs[i].old.counts->part.holds_until, PAIRS);
    }
}

static void test_parallel(const char *name, const char *manner, const char *reply)
{
    static const oh_call_terms terms = {.timeout_ms = 5000};

    hold_all();
    for (uint32_t i = 0; i < PAIRS; i++) {
        add(&pairs[i], name, manner);
    }
    send_all(PAIRS, &terms);
    for (uint32_t i = 0; i < PAIRS; i++) {
        CHECK(is_answered(&pairs[i]) && strstr(pairs[i].it.reply, reply));
        atomic_store(&pairs[i].old.counts->part.holds_until, 0);
    }
    end_all(PAIRS);
}

/* ---- A part that fails ---- */

/* Two owners. One of them also has a command for a key whose old owner answers so. */
static void test_fault(const char *name, const char *manner, unsigned migrates, uint32_t timeout_ms,
    oh_error_kind kind, oh_outcome outcome)
{
    const oh_call_terms terms = {.timeout_ms = timeout_ms};

    test_begin(
        "%s of a key whose old owner answers in this manner: %s, %u", name, manner, migrates);
    atomic_store(&pairs[0].old.counts->part.migrates, migrates);
    add(&pairs[0], name, manner);
    pairs[0].length = caller_write(pairs[0].request, pairs[0].length, "ECHO own");
    add(&pairs[1], name, "plain");
    send_all(2, &terms);

    const oh_failure *failure = refused(&pairs[0], 0);
    CHECK(is_answered(&pairs[0]) && strstr(pairs[0].it.reply, "-ERR refused\r\n$3\r\nown\r\n"));
    CHECK(failure && failure->kind == kind && failure->outcome == outcome &&
          failure->other_node == pairs[0].old_index + 1);
    CHECK(is_answered(&pairs[1]) && !refused(&pairs[1], 0));
    end_all(2);
    atomic_store(&pairs[0].old.counts->part.migrates, NODE_MIGRATES);
    faults_pass_time(60);
}

/* MIGRATE fails: the key goes by DUMP, RESTORE and UNLINK. */
static void test_by_hand(void)
{
    static const oh_call_terms terms = {.timeout_ms = 5000};

    test_begin("a key is moved by hand if MIGRATE fails");
    atomic_store(&pairs[0].old.counts->part.migrates, NODE_MIGRATE_FAILS);
    add(&pairs[0], "INCR", "plain");
    send_all(1, &terms);
    CHECK(is_answered(&pairs[0]) && strcmp(pairs[0].it.reply, ":1\r\n") == 0);
    end_all(1);
    atomic_store(&pairs[0].old.counts->part.migrates, NODE_MIGRATES);
}

/*
 * Two keys with one owner, of two old owners. The first old owner closes its connection when it is
 * asked who it is, so nobody waits for the owner's answer to the same question. If that answer were
 * taken for the reply to RESTORE of the other key, that key would be removed from its old owner.
 */
static void test_answer_of_nobody(void)
{
    static const oh_call_terms terms = {.timeout_ms = 5000};
    pair *one = &pairs[0], *other = &pairs[1];
    const pair mixed = {.index = one->index, .old_index = other->old_index};
    char key[64], command[96];

    test_begin("an answer that nobody waits for is not taken for an answer about another key");
    faults_pass_time(60); /* The first old owner may migrate again. */
    atomic_store(&other->old.counts->part.migrates, NODE_MIGRATE_FAILS);
    add(one, "INCR", "plain");
    add(other, "INCR", "plain"); /* From now on its keys are moved by hand. */
    send_all(2, &terms);
    CHECK(is_answered(other));
    end_all(2);

    atomic_store(&one->old.counts->part.migrates, NODE_MIGRATE_IS_BUSY);
    add(one, "INCR", "busy");
    find_key(&mixed, "full", key, sizeof key);
    snprintf(command, sizeof command, "INCR %s", key);
    one->length = caller_write(one->request, one->length, command);
    one->length = caller_write(one->request, one->length, "ECHO own");
    send_all(1, &terms);

    const oh_failure *failure = refused(one, 1);
    CHECK(failure && strstr(failure->what, "OOM out of memory"));
    CHECK(refused(one, 0) && refused(one, 0)->other_node == one->old_index + 1);
    CHECK(is_answered(one) && strstr(one->it.reply, "$3\r\nown\r\n"));
    end_all(1);
    atomic_store(&one->old.counts->part.migrates, NODE_MIGRATES);
    atomic_store(&other->old.counts->part.migrates, NODE_MIGRATES);
    faults_pass_time(60);
}

/* The nodes do not know COMMAND, so the keys of this command stay unknown. */
static void test_undescribed(void)
{
    static const oh_call_terms terms = {.timeout_ms = 5000};

    test_begin("a command that no node describes is not sent without its keys");
    add(&pairs[0], "UNKNOWN", "plain");
    send_all(1, &terms);
    CHECK(oh_exchange_has_failed(&pairs[0].it.exchange));
    CHECK(pairs[0].it.failure.kind == OH_ERROR_UNSUPPORTED &&
          pairs[0].it.failure.outcome == OH_OUTCOME_NOT_SENT);
    end_all(1);
}

/*
 * Repeats the call until it is refused because the owner rests. A rest may end before a call
 * begins.
 */
static void test_resting_owner(void)
{
    static const oh_call_terms terms = {.timeout_ms = 5000};
    pair *one = &pairs[0];
    bool has_rested = false;

    test_begin("an old owner is asked for nothing while the owner rests");
    node_stop(&one->owner);
    for (int i = 0; i < 100 && !has_rested; i++) {
        oh_failure failure;

        CHECK(!caller_gets(snapshot, one->index, "ECHO x", "", &failure));
        unsigned before = atomic_load(&one->old.counts->part.questions);
        add(one, "INCR", "plain");
        send_all(1, &terms);
        has_rested = strstr(one->it.failure.what, "is resting") != NULL;
        CHECK(oh_exchange_has_failed(&one->it.exchange) &&
              one->it.failure.outcome == OH_OUTCOME_NOT_SENT);
        CHECK(!has_rested || atomic_load(&one->old.counts->part.questions) == before);
        end_all(1);
    }
    CHECK(has_rested);
}

/* ---- All ---- */

static void open_rings(void)
{
    char servers[512] = "", old[512] = "";
    oh_failure failure;

    for (uint32_t i = 0; i < PAIRS; i++) {
        pairs[i] = (pair){.owner = node_start(), .old = node_start()};
        atomic_store(&pairs[i].owner.counts->part.is_empty, true);
        snprintf(servers + strlen(servers), sizeof servers - strlen(servers),
            "   - 127.0.0.1:%u:1 owner-%u\n", (unsigned)pairs[i].owner.port, (unsigned)i);
        snprintf(old + strlen(old), sizeof old - strlen(old), "   - 127.0.0.1:%u:1 old-%u\n",
            (unsigned)pairs[i].old.port, (unsigned)i);
    }
    caller_configure("alpha:\n  engine: redis\n  timeout: 5000\n  distribution: modula\n"
                     "  moving_from_distribution: modula\n  moving_from_hash: md5\n"
                     "  servers:\n%s  moving_from:\n%s",
        servers, old);
    snapshot = caller_open("alpha", &failure);
    CHECK(snapshot != NULL);
    for (uint32_t i = 0; i < PAIRS; i++) {
        for (uint32_t j = 0; j < snapshot->nodes_count; j++) {
            uint16_t port = oh_topology_node(snapshot->topology, j).port;

            pairs[i].index = port == pairs[i].owner.port ? j : pairs[i].index;
            pairs[i].old_index = port == pairs[i].old.port ? j : pairs[i].old_index;
        }
    }
}

void test_moving(void)
{
    open_rings();
    test_begin("a batch asks all old owners before the first of them has answered");
    test_parallel("GET", "found", "found:");
    test_begin("a batch brings keys from all old owners at the same time");
    test_parallel("INCR", "brought", ":1\r\n");
    test_fault("GET", "close", 0, 5000, OH_ERROR_NODE_DOWN, OH_OUTCOME_MAYBE_EXECUTED);
    test_fault("GET", "half", 0, 5000, OH_ERROR_NODE_DOWN, OH_OUTCOME_MAYBE_EXECUTED);
    test_fault("GET", "noise", 0, 5000, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_MAYBE_EXECUTED);
    test_fault("GET", "mute", 0, 2000, OH_ERROR_DEADLINE_EXCEEDED, OH_OUTCOME_MAYBE_EXECUTED);
    test_fault("INCR", "plain", NODE_MIGRATE_CLOSES, 5000, OH_ERROR_NODE_DOWN, OH_OUTCOME_NOT_SENT);
    test_by_hand();
    test_answer_of_nobody();
    test_undescribed();
    test_resting_owner();
    oh_snapshot_release(snapshot);
    caller_leave();
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (i > 0) { /* The first one has been stopped. */
            node_stop(&pairs[i].owner);
        }
        node_stop(&pairs[i].old);
    }
}
