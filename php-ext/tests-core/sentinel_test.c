/*
 * Sentinels, against the vectors of spec/: which address is adopted from their answers, and why an
 * answer has none. Each cut of a recorded reply is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cluster/sentinel.h"
#include "core/generated/limits.h"
#include "core/topology/server_pool.h"
#include "check.h"
#include "vectors.h"

#define SENTINELS_MAX 8

static oh_text host_of(const char *address, uint16_t *port)
{
    const char *colon = strrchr(address, ':');
    *port = (uint16_t)atoi(colon + 1);
    return (oh_text){address, (size_t)(colon - address)};
}

/* The adopted address, as "host:port epoch". */
static void check_adopted(const json_t *expected, const oh_sentinel_answer *answer)
{
    char address[OH_SERVER_ADDRESS_BYTES_MAX + 16];
    snprintf(address, sizeof address, "%.*s:%u", (int)answer->host.length, answer->host.bytes,
        answer->port);
    CHECK(strcmp(address, vectors_string(expected, "address")) == 0);
    CHECK(answer->epoch == (uint64_t)json_integer_value(json_object_get(expected, "epoch")));
}

static void test_case(const json_t *test)
{
    const json_t *answers = json_object_get(test, "answers");
    const json_t *known_address = json_object_get(test, "known");
    const json_t *adopted = json_object_get(test, "adopted");
    bytes replies[SENTINELS_MAX] = {{NULL, 0}};
    oh_sentinel_answer read[SENTINELS_MAX];
    oh_sentinel_known known = {.is_adopted = !json_is_null(known_address)};
    size_t count = json_array_size(answers);

    for (size_t i = 0; i < count; i++) {
        const json_t *reply = json_array_get(answers, i);
        const json_t *reason = json_array_get(json_object_get(test, "reasons"), i);
        read[i] = oh_sentinel_silent();
        if (!json_is_null(reply)) {
            replies[i] = bytes_of_latin(reply);
            oh_values values = oh_values_of(replies[i].bytes, replies[i].length);
            CHECK(oh_sentinel_read(&values, &read[i]) && values.at == values.end);
        }
        CHECK(json_is_null(reason)
                  ? read[i].reason == NULL
                  : read[i].reason && strcmp(read[i].reason, json_string_value(reason)) == 0);
    }
    if (known.is_adopted) {
        known.host = host_of(vectors_string(known_address, "address"), &known.port);
        known.epoch = (uint64_t)json_integer_value(json_object_get(known_address, "epoch"));
    }
    CHECK(oh_sentinel_is_certain(read, count, &known) ==
          json_is_true(json_object_get(test, "certain")));
    int index = oh_sentinel_judge(read, count, &known);
    if (CHECK((index < 0) == json_is_null(adopted)) && index >= 0) {
        check_adopted(adopted, &read[index]);
        known = (oh_sentinel_known){true, read[index].host, read[index].port, read[index].epoch};
    }
    CHECK(oh_sentinel_is_contradicted(read, count, &known) ==
          json_is_true(json_object_get(test, "contradicted")));
    for (size_t i = 0; i < count; i++) {
        free(replies[i].bytes);
    }
}

/* A reply that ends too early is refused, wherever it ends. */
static void test_cuts(const json_t *reply)
{
    test_begin("sentinel: every cut of a reply is refused");
    bytes whole = bytes_of_latin(reply);
    for (size_t length = 0; length < whole.length; length++) {
        uint8_t *cut = malloc(length + 1);
        memcpy(cut, whole.bytes, length);
        cut = realloc(cut, length > 0 ? length : 1);
        oh_values values = oh_values_of(cut, length);
        oh_sentinel_answer answer;
        CHECK(!oh_sentinel_read(&values, &answer) && answer.reason);
        free(cut);
    }
    free(whole.bytes);
}

/* Replicas of server 0 already have the taken addresses; the replies are about server 1. */
static void test_replicas_case(const json_t *test)
{
    const json_t *taken = json_object_get(test, "taken");
    const json_t *expected = json_object_get(test, "replicas");
    const json_t *told = json_object_get(test, "replies");
    bytes replies[SENTINELS_MAX];
    oh_values values[SENTINELS_MAX];
    size_t replies_count = json_array_size(told), count = json_array_size(taken), place = 0;
    oh_sentinel_answer master = {.reason = NULL};
    master.host = host_of(vectors_string(test, "master"), &master.port);
    for (size_t i = 0; i < replies_count; i++) {
        replies[i] = bytes_of_latin(json_array_get(told, i));
        values[i] = oh_values_of(replies[i].bytes, replies[i].length);
    }
    oh_sentinel_replica *replicas =
        calloc(count + oh_sentinel_count_replicas(values, replies_count) + 1, sizeof *replicas);

    for (size_t i = 0; i < count; i++) {
        uint16_t port;
        oh_text host = host_of(json_string_value(json_array_get(taken, i)), &port);
        oh_sentinel_set_replica(&replicas[i], host, port, 0);
    }
    count += oh_sentinel_read_replicas(values, replies_count, &master, 1, replicas + count);
    count = oh_sentinel_order_replicas(replicas, count);
    for (size_t i = 0; i < count; i++) {
        if (replicas[i].master == 1) {
            const json_t *name = json_array_get(expected, place++);
            CHECK(name &&
                  oh_text_is(oh_sentinel_replica_name(&replicas[i]), json_string_value(name)));
        }
    }
    CHECK(place == json_array_size(expected));
    free(replicas);
    for (size_t i = 0; i < replies_count; i++) {
        free(replies[i].bytes);
    }
}

static void test_list(void)
{
    test_begin("sentinel: the Sentinels of a server pool");
    oh_server sentinels[OH_POOL_SENTINELS_MAX];
    oh_server_pool pool = {.sentinels = {"a:1 ::1:26379", 13}};
    CHECK(oh_server_pool_sentinels(&pool, sentinels) == 2);
    CHECK(oh_text_is(sentinels[0].name, "a:1") && oh_text_is(sentinels[0].host, "a") &&
          sentinels[0].port == 1);
    CHECK(oh_text_is(sentinels[1].name, "::1:26379") && oh_text_is(sentinels[1].host, "::1") &&
          sentinels[1].port == 26379);
    pool.sentinels = (oh_text){NULL, 0};
    CHECK(oh_server_pool_sentinels(&pool, sentinels) == 0);
}

void test_sentinel(void)
{
    static const char path[] = "topology/vectors/sentinel.json";
    json_t *page = vectors_load(path);
    json_t *first = json_array_get(json_object_get(page, "testGroups"), 0);
    json_t *test = json_array_get(json_object_get(first, "tests"), 0);
    test_cuts(json_array_get(json_object_get(test, "answers"), 0));
    json_decref(page);
    vectors_run(path, "SentinelTest", test_case);
    vectors_run(path, "SentinelReplicasTest", test_replicas_case);
    test_list();
}
