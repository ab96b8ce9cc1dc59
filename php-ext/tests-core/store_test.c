/*
 * The store of a host: an image is published completely or not at all, even if processes are
 * killed, and no connection has two owners.
 *
 * The tests start real processes that share the memory, and kill them.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/health/health.h"
#include "core/store/store.h"
#include "check.h"

#define BYTES (1 << 20)
#define NODES 8
#define IMAGE_BYTES 5000
#define KILLS 100

static const uint8_t salt[OH_STORE_IDENTITY_BYTES] = "salt";
static const uint8_t alpha[OH_STORE_IDENTITY_BYTES] = "alpha",
                     beta[OH_STORE_IDENTITY_BYTES] = "beta";

static void *memory;

static oh_store *make_store(size_t bytes)
{
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : oh_store_make(memory, bytes, NODES, salt);
}

static void drop_store(oh_store *store)
{
    oh_store_release(store);
    munmap(memory, BYTES);
}

/* Sets every byte of an image to its number. */
static void fill_image(uint8_t *image, size_t length, uint64_t number)
{
    memset(image, (int)(number & 0xff), length);
}

static bool is_whole(const uint8_t *image, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        if (image[i] != image[0]) {
            return false;
        }
    }
    return length > 0;
}

/* ---- Publishing ---- */

static void test_making(void)
{
    test_begin("store: a new one");
    oh_store *store = make_store(BYTES);
    CHECK(store != NULL);
    CHECK(
        oh_store_nodes_max(store) == NODES && memcmp(oh_store_salt(store), salt, sizeof salt) == 0);
    CHECK(oh_store_node_at(store, NODES - 1) && !oh_store_node_at(store, NODES));
    drop_store(store);
    test_begin("store: too little memory");
    CHECK(make_store(oh_store_bytes_min(NODES) - 1) == NULL);
}

/* In this test the processes with odd ids are alive. */
static bool is_odd(uint32_t pid, uint64_t since_ms)
{
    return since_ms > 0 && pid % 2 == 1;
}

static void test_publishing(void)
{
    uint8_t image[IMAGE_BYTES], copy[IMAGE_BYTES];
    uint64_t generation;
    oh_store *store = make_store(BYTES);

    test_begin("store: pools are found again");
    CHECK(oh_store_find(store, alpha) == OH_STORE_NONE);
    uint32_t pool = oh_store_add(store, alpha, "label");
    CHECK(oh_store_add(store, beta, "label") != pool &&
          oh_store_add(store, alpha, "label") == pool && oh_store_find(store, alpha) == pool);
    test_begin("store: a pool is empty until an image is published");
    CHECK(oh_store_generation(store, pool) == 0 &&
          oh_store_copy(store, pool, copy, sizeof copy, &generation) == 0);
    for (uint64_t number = 1; number <= 5; number++) {
        fill_image(image, sizeof image, number);
        CHECK(oh_store_publish(store, pool, image, sizeof image) &&
              oh_store_generation(store, pool) == number);
        CHECK(oh_store_copy(store, pool, copy, sizeof copy, &generation) == sizeof copy &&
              generation == number);
        CHECK(memcmp(copy, image, sizeof copy) == 0);
    }
    test_begin("store: a copy needs enough room");
    CHECK(oh_store_copy(store, pool, copy, 1, &generation) == IMAGE_BYTES);
    test_begin("store: a larger image gets a new place; a too large image is not published");
    uint8_t *large = calloc(1, BYTES);
    CHECK(oh_store_publish(store, pool, large, IMAGE_BYTES * 4) &&
          oh_store_generation(store, pool) == 6);
    CHECK(!oh_store_publish(store, pool, large, BYTES) && oh_store_generation(store, pool) == 6);
    CHECK(!oh_store_publish(store, pool, large, 0));
    CHECK(oh_store_copy(store, pool, large, BYTES, &generation) == IMAGE_BYTES * 4);
    free(large);
    test_begin("store: one process checks the file in each interval");
    CHECK(oh_store_is_my_turn(store, pool, 5000, 1000) &&
          !oh_store_is_my_turn(store, pool, 5999, 1000));
    CHECK(oh_store_is_my_turn(store, pool, 6000, 1000));
    CHECK(oh_store_is_my_turn(store, pool, UINT64_MAX, 1000) &&
          oh_store_is_my_turn(store, pool, 7000, 1000));
    test_begin("store: the check of a dead process is taken over");
    CHECK(oh_store_begin_check(store, pool, 7, 20000, 1000, is_odd) &&
          !oh_store_begin_check(store, pool, 9, 20500, 1000, is_odd));
    oh_store_end_check(store, pool, 9);
    CHECK(oh_store_begin_check(store, pool, 8, 21000, 1000, is_odd) &&
          oh_store_checked_ms(store, pool) == 21000);
    oh_store_end_check(store, pool, 7);
    CHECK(oh_store_begin_check(store, pool, 9, 21000, 1000, is_odd) &&
          !oh_store_begin_check(store, pool, 11, 21001, 1000, is_odd));
    oh_store_end_check(store, pool, 9);
    CHECK(!oh_store_begin_check(store, pool, 11, 21999, 1000, is_odd) &&
          oh_store_begin_check(store, pool, 11, 22000, 1000, is_odd));
    oh_store_pass_check(store, pool, 11);
    CHECK(oh_store_begin_check(store, pool, 13, 22001, 1000, is_odd) &&
          !oh_store_begin_check(store, pool, 15, 22002, 1000, is_odd));
    test_begin("store: the number of pools is limited");
    for (uint32_t i = 0; i < OH_STORE_POOLS_MAX; i++) {
        uint8_t identity[OH_STORE_IDENTITY_BYTES] = {(uint8_t)i, 'n'};
        CHECK((oh_store_add(store, identity, "label") == OH_STORE_NONE) ==
              (i >= OH_STORE_POOLS_MAX - 2));
    }
    drop_store(store);
}

static void test_labels(void)
{
    char label[OH_STORE_LABEL_BYTES], text[1000];
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    oh_store *store = make_store(BYTES);

    test_begin("store: pools can be listed, with their labels and identities");
    CHECK(oh_store_pools_count(store) == 0);
    oh_store_add(store, alpha, "/etc/alpha.yml");
    memset(text, 'x', sizeof text);
    memcpy(text + sizeof text - 4, "end", 4);
    oh_store_add(store, beta, text);
    CHECK(oh_store_pools_count(store) == 2);
    oh_store_label(store, 0, label);
    oh_store_identity(store, 1, identity);
    CHECK(strcmp(label, "/etc/alpha.yml") == 0 && memcmp(identity, beta, sizeof identity) == 0);
    test_begin("store: a label that is too long is cut to its end");
    oh_store_label(store, 1, label);
    CHECK(strlen(label) == sizeof label - 1 && strcmp(label + sizeof label - 5, "xend") == 0);
    memset(memory, 'y', oh_store_bytes_min(NODES));
    oh_store_label(store, 1, label);
    CHECK(oh_store_pools_count(store) == OH_STORE_POOLS_MAX && strlen(label) == sizeof label - 1);
    drop_store(store);
}

static void test_meters(void)
{
    oh_store *store = make_store(BYTES);

    test_begin("store: meters are found again, and start at zero");
    CHECK(oh_store_find_meter(store, alpha) == OH_STORE_NONE &&
          !oh_store_meter_at(store, OH_STORE_NONE));
    uint32_t number = oh_store_add_meter(store, alpha);
    CHECK(oh_store_add_meter(store, beta) != number && oh_store_add_meter(store, alpha) == number);
    oh_store_meter *meter = oh_store_meter_at(store, number);
    CHECK((uintptr_t)&meter->meter % 64 == 0 && meter->meter.counters[OH_METER_LEASES] == 0);
    test_begin("store: a meter knows its nodes");
    CHECK(!oh_store_is_tied(meter, 7));
    oh_store_tie(meter, 7);
    oh_store_tie(meter, OH_STORE_NONE);
    CHECK(oh_store_is_tied(meter, 7) && !oh_store_is_tied(meter, 71) &&
          !oh_store_is_tied(meter, OH_STORE_NONE));
    test_begin("store: the number of meters is limited, and the last one overlaps no other");
    for (uint32_t i = 0; i < NODES; i++) {
        uint8_t identity[OH_STORE_IDENTITY_BYTES] = {(uint8_t)i, 'n'};
        CHECK((oh_store_add_meter(store, identity) == OH_STORE_NONE) == (i >= NODES - 2));
    }
    memset(oh_store_meter_at(store, NODES - 1), 0xff, sizeof *meter);
    CHECK(oh_store_find_meter(store, alpha) == number);
    drop_store(store);
}

/* Does all that can be done with an entry, whatever is in it. */
static void use_entries(oh_store *store)
{
    for (uint32_t i = 0; i < NODES; i++) {
        oh_store_node *node = oh_store_node_at(store, i);
        oh_store_want(node, 1, 5000);
        oh_store_leave(node, 1, 5000);
        oh_store_use_of(node, 100000);
        oh_store_give_up_node(node, 100000);
        oh_store_clear_node(store, i);
        CHECK(oh_store_use_of(node, 100000) != OH_STORE_LEFT);
        oh_store_give_up_meter(store, i, 100000);
    }
}

/* No access leaves the store, whatever workers of other users have written there. */
static void test_hostile_bytes(void)
{
    uint8_t image[IMAGE_BYTES] = {0}, *copy = malloc(BYTES);
    uint64_t generation, seed = 88172645463325252u;
    uint32_t tenure;

    test_begin("store: random bytes in it");
    for (int round = 0; round < 300; round++) {
        oh_store *store = make_store(BYTES);
        uint32_t pool = oh_store_add(store, alpha, "label");
        oh_store_publish(store, pool, image, sizeof image);
        for (size_t i = 0; i < 4096; i += 8) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            if (seed % 7 == 0) {
                memcpy((char *)memory + i, &seed, 8);
            }
        }
        size_t length = oh_store_copy(store, pool, copy, BYTES, &generation);
        CHECK(length <= BYTES);
        oh_store_publish(store, pool, image, sizeof image);
        oh_store_add(store, beta, "label");
        oh_store_find_node(store, beta, &tenure);
        oh_store_add_node(store, beta, 5000, &tenure);
        use_entries(store);
        CHECK(oh_store_nodes_max(store) == NODES && !oh_store_node_at(store, NODES));
        drop_store(store);
    }
    free(copy);
}

static pid_t publish_for_ever(oh_store *store, uint32_t pool)
{
    pid_t child = fork();
    if (child == 0) {
        uint8_t image[IMAGE_BYTES];
        for (uint64_t number = oh_store_generation(store, pool) + 1;; number++) {
            fill_image(image, sizeof image, number);
            oh_store_publish(store, pool, image, sizeof image);
        }
    }
    return child;
}

/* The test has no lock: it starts a publisher only when the previous one is dead. */
static void test_killed_publishers(void)
{
    uint8_t copy[IMAGE_BYTES];
    uint64_t generation, reads = 0, last = 0;
    oh_store *store = make_store(BYTES);
    uint32_t pool = oh_store_add(store, alpha, "label");

    test_begin("store: %d publishers that are killed leave no torn image", KILLS);
    fill_image(copy, sizeof copy, 1);
    CHECK(oh_store_publish(store, pool, copy, sizeof copy));
    for (int kills = 0; kills < KILLS; kills++) {
        pid_t child = publish_for_ever(store, pool);
        for (int i = 0; i < 200; i++) {
            size_t length = oh_store_copy(store, pool, copy, sizeof copy, &generation);
            if (length == 0) {
                /* The publisher was faster eight times in a row: the reader keeps what it has. */
                continue;
            }
            reads++;
            CHECK(length == IMAGE_BYTES && is_whole(copy, length) && generation >= last);
            CHECK(copy[0] == (uint8_t)generation);
            last = generation;
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        CHECK(oh_store_copy(store, pool, copy, sizeof copy, &generation) == IMAGE_BYTES &&
              is_whole(copy, IMAGE_BYTES));
    }
    CHECK(reads > 1000);
    drop_store(store);
}

/* ---- Owners ---- */

static bool everybody_is_alive(uint32_t pid, uint64_t since_ms)
{
    return pid != 0 && since_ms > 0;
}

static bool seven_is_dead(uint32_t pid, uint64_t since_ms)
{
    return everybody_is_alive(pid, since_ms) && pid != 7;
}

static void test_owners(void)
{
    oh_store *store = make_store(BYTES);

    test_begin("store: nodes are found again, and their number is limited");
    uint32_t tenure;
    CHECK(oh_store_find_node(store, beta, &tenure) == OH_STORE_NONE);
    uint32_t number = oh_store_add_node(store, beta, 1000, &tenure);
    CHECK(oh_store_add_node(store, beta, 1000, &tenure) == number &&
          oh_store_find_node(store, beta, &tenure) == number);
    for (uint32_t i = 0; i < NODES; i++) {
        uint8_t identity[OH_STORE_IDENTITY_BYTES] = {(uint8_t)i, 'n'};
        CHECK((oh_store_add_node(store, identity, 1000, &tenure) == OH_STORE_NONE) ==
              (i == NODES - 1));
    }
    oh_store_node *node = oh_store_node_at(store, number);

    test_begin("store: one process at a time claims, parks, takes and frees a connection");
    uint32_t first = oh_store_claim(node, 2, 7, 1000), second = oh_store_claim(node, 2, 8, 1000);
    CHECK(first == 0 && second == 1 && oh_store_claim(node, 2, 9, 1000) == OH_STORE_NONE);
    CHECK(!oh_store_park(node, first, 8, 1001) && oh_store_park(node, first, 7, 1001));
    CHECK(!oh_store_park(node, first, 7, 1001));
    CHECK(oh_store_take(node, first, 9, 1002) && !oh_store_take(node, first, 8, 1002));
    oh_store_free(node, first, 7);
    CHECK(oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX).leased == 2);
    oh_store_free(node, first, 9);
    CHECK(oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX).leased == 1 &&
          oh_store_claim(node, 2, 7, 1003) == first);
    CHECK(!oh_store_take(node, OH_STORE_CONNECTIONS_MAX, 7, 1003));

    test_begin("store: only the seats of dead processes are reclaimed");
    CHECK(oh_store_reclaim(node, everybody_is_alive, true, 1004) == 0);
    /* Another call has just checked who is dead. */
    CHECK(oh_store_reclaim(node, seven_is_dead, true, 1013) == 0);
    CHECK(oh_store_reclaim(node, seven_is_dead, true, 1014) == 1 &&
          oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX).leased == 1);

    test_begin("store: an idle connection that no process can find is given up after a second");
    CHECK(oh_store_park(node, second, 8, 2000) &&
          oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX).idle == 1);
    CHECK(oh_store_reclaim(node, everybody_is_alive, true, 2999) == 0);
    CHECK(oh_store_reclaim(node, everybody_is_alive, false, 3010) == 0);
    CHECK(oh_store_reclaim(node, everybody_is_alive, true, 3020) == 1 &&
          !oh_store_take(node, second, 8, 3021));

    test_begin("store: times that wrap around");
    CHECK(oh_store_claim(node, 1, 8, UINT32_MAX) == 0 && oh_store_park(node, 0, 8, UINT32_MAX));
    CHECK(oh_store_reclaim(node, everybody_is_alive, true, (uint64_t)UINT32_MAX + 500) == 0);
    CHECK(oh_store_reclaim(node, everybody_is_alive, true, (uint64_t)UINT32_MAX + 1000) == 1);
    drop_store(store);
}

static void test_use_of_an_entry(oh_store_node *node, uint32_t tenure)
{
    test_begin("store: an entry counts as used while it is wanted, and later as quiet");
    CHECK(oh_store_use_of(node, 10000 + OH_STORE_QUIET_MS - 1) == OH_STORE_USED &&
          oh_store_use_of(node, 10000 + OH_STORE_QUIET_MS) == OH_STORE_QUIET);
    CHECK(oh_store_want(node, tenure, 20000) &&
          oh_store_use_of(node, 20000 + OH_STORE_QUIET_MS - 1) == OH_STORE_USED);
    CHECK(
        !oh_store_want(node, tenure + 2, 90000) && oh_store_use_of(node, 90000) == OH_STORE_QUIET);

    test_begin("store: an entry that was left is soon given up, unless a process wants it again");
    CHECK(!oh_store_is_left(node));
    oh_store_leave(node, tenure, 30000);
    CHECK(oh_store_is_left(node));
    CHECK(oh_store_use_of(node, 30000 + OH_STORE_LEFT_MS - 1) == OH_STORE_USED &&
          oh_store_use_of(node, 30000 + OH_STORE_LEFT_MS) == OH_STORE_LEFT);
    CHECK(oh_store_want(node, tenure, 30100) && !oh_store_is_left(node) &&
          oh_store_use_of(node, 30000 + OH_STORE_LEFT_MS) == OH_STORE_USED);
    CHECK(!oh_store_give_up_node(node, 30000 + OH_STORE_LEFT_MS) && oh_store_is_held(node, tenure));
    oh_store_leave(node, tenure, 40000);
}

static void test_entries(void)
{
    uint32_t tenure, other;
    oh_store *store = make_store(BYTES);
    uint32_t number = oh_store_add_node(store, alpha, 10000, &tenure),
             meter = oh_store_add_meter(store, alpha);
    oh_store_node *node = oh_store_node_at(store, number);
    oh_store_tie(oh_store_meter_at(store, meter), number);
    test_use_of_an_entry(node, tenure);

    test_begin(
        "store: an entry is not given up while its node rests or its connections are in use");
    atomic_store(&node->health.state, 50000);
    CHECK(oh_store_use_of(node, 49999) == OH_STORE_RESTING &&
          oh_store_use_of(node, 50000) == OH_STORE_LEFT);
    CHECK(oh_store_claim(node, 1, 7, 40000) == 0 && !oh_store_give_up_node(node, 50000) &&
          oh_store_is_held(node, tenure));
    CHECK(!oh_store_give_up_meter(store, meter, 41000));
    oh_store_free(node, 0, 7);

    test_begin("store: an entry that was given up is free, and later used for another node");
    CHECK(oh_store_give_up_node(node, 50001) && !oh_store_is_held(node, tenure) &&
          !oh_store_want(node, tenure, 50001));
    CHECK(oh_store_find_node(store, alpha, &other) == OH_STORE_NONE);
    /* If the process that gave the entry up dies here, another one clears it. */
    CHECK(oh_store_use_of(node, 50001) == OH_STORE_LEFT);
    CHECK(oh_store_give_up_node(node, 50001));
    oh_store_clear_node(store, number);
    CHECK(oh_store_use_of(node, 50001) == OH_STORE_FREE &&
          !oh_store_is_tied(oh_store_meter_at(store, meter), number));
    CHECK(oh_store_add_node(store, beta, 50002, &other) == number && other != tenure &&
          oh_store_is_held(node, other));
    CHECK(oh_health_until(atomic_load(&node->health.state)) == 0);

    test_begin("store: a meter can be given up, too, and is used again from zero");
    atomic_store(&oh_store_meter_at(store, meter)->meter.counters[OH_METER_LEASES], 5);
    CHECK(oh_store_give_up_meter(store, meter, 50002) &&
          oh_store_find_meter(store, alpha) == OH_STORE_NONE);
    CHECK(oh_store_add_meter(store, beta) == meter &&
          oh_store_meter_at(store, meter)->meter.counters[OH_METER_LEASES] == 0);

    test_begin("store: some messages appear only once an hour");
    CHECK(oh_store_may_tell(store, OH_STORE_NO_PLACE, 1000) &&
          !oh_store_may_tell(store, OH_STORE_NO_PLACE, 3600999));
    CHECK(oh_store_may_tell(store, OH_STORE_NO_PUSH, 1001) &&
          oh_store_may_tell(store, OH_STORE_NO_PLACE, 3601000));
    drop_store(store);
}

#define TAKERS 4
#define TENURES 400

/*
 * Uses a node like a worker. While the worker wants the node, the entry must not pass to another
 * node.
 */
static void want_for_a_while(oh_store *store, _Atomic uint32_t *clock, const uint8_t *identity)
{
    uint32_t tenure = 0, number = OH_STORE_NONE;
    while (atomic_load(clock) < TENURES * 1000) {
        uint64_t now_ms = atomic_load(clock);
        oh_store_node *node = oh_store_node_at(store, number);
        if (!node || !oh_store_want(node, tenure, now_ms)) {
            number = oh_store_find_node(store, identity, &tenure);
            usleep(10);
            continue;
        }
        uint32_t seat = oh_store_claim(node, 1, (uint32_t)getpid(), now_ms);
        if (seat != OH_STORE_NONE &&
            memcmp(node->key.identity, identity, OH_STORE_IDENTITY_BYTES) != 0 &&
            atomic_load(clock) - now_ms < OH_STORE_LEFT_MS) {
            _exit(1);
        }
        oh_store_free(node, seat, (uint32_t)getpid());
        /* Waits, so that the entry is unwanted now and then. */
        while (atomic_load(clock) < now_ms + OH_STORE_LEFT_MS * 2 &&
               atomic_load(clock) < TENURES * 1000) {
            usleep(100);
        }
    }
    _exit(0);
}

/*
 * The process with the lock gives up an entry and adds it again, many times. The clock advances by
 * a second each time. Two nodes use the entry in turn.
 */
static void test_entries_change_hands(void)
{
    oh_store *store = make_store(BYTES);
    _Atomic uint32_t *clock =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t takers[TAKERS];

    test_begin("store: %d processes never use an entry for its previous node", TAKERS);
    for (uint32_t i = 0; i < TAKERS; i++) {
        takers[i] = fork();
        if (takers[i] == 0) {
            want_for_a_while(store, clock, i % 2 ? alpha : beta);
        }
    }
    uint32_t tenure, given = 0;
    while (atomic_fetch_add(clock, 1000) < TENURES * 1000) {
        const uint8_t *identity = given % 2 ? alpha : beta;
        uint32_t number = oh_store_add_node(store, identity, atomic_load(clock), &tenure);
        oh_store_node *node = oh_store_node_at(store, number);
        if (oh_store_give_up_node(node, atomic_load(clock))) {
            oh_store_clear_node(store, number);
            given++;
        } else if (atomic_load(clock) / 1000 % 4 == 0) {
            oh_store_leave(node, tenure, atomic_load(clock));
        }
        usleep(50);
    }
    for (int i = 0; i < TAKERS; i++) {
        int status = -1;
        waitpid(takers[i], &status, 0);
        CHECK(status == 0);
    }
    CHECK(given > 0);
    munmap((void *)clock, 4096);
    drop_store(store);
}

#define WORKERS 6
#define LIMIT 3
#define TURNS 20000

/* Claims and frees as fast as it can. `holders` shows if two processes have the same seat. */
static void claim_for_a_while(oh_store_node *node, _Atomic uint32_t *holders, uint32_t pid)
{
    for (int i = 0; i < TURNS; i++) {
        uint32_t seat = oh_store_claim(node, LIMIT, pid, 1);
        if (seat == OH_STORE_NONE) {
            continue;
        }
        if (atomic_fetch_add(&holders[seat], 1) != 0) {
            _exit(1);
        }
        atomic_fetch_sub(&holders[seat], 1);
        oh_store_free(node, seat, pid);
    }
    _exit(0);
}

static void test_many_owners(void)
{
    oh_store *store = make_store(BYTES);
    uint32_t tenure;
    oh_store_node *node = oh_store_node_at(store, oh_store_add_node(store, alpha, 1000, &tenure));
    _Atomic uint32_t *holders =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t workers[WORKERS];

    test_begin("store: %d processes never share a seat", WORKERS);
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        if (workers[i] == 0) {
            claim_for_a_while(node, holders, i + 1);
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        int status = -1;
        waitpid(workers[i], &status, 0);
        CHECK(status == 0);
    }
    CHECK(oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX).leased == 0);
    munmap((void *)holders, 4096);
    drop_store(store);
}

void test_store(void)
{
    test_making();
    test_publishing();
    test_labels();
    test_meters();
    test_hostile_bytes();
    test_killed_publishers();
    test_owners();
    test_entries();
    test_entries_change_hands();
    test_many_owners();
}
