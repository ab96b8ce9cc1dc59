/* A ring that keys move from: its nodes and owners, and how it takes commands and replies. */
#include <stdlib.h>
#include <string.h>

#include "core/command/command.h"
#include "check.h"
#include "vectors.h"

#define PAGE "topology/vectors/moving.json"
#define WORDS_MAX 16

/* ---- Rings ---- */

static bool is_named(const oh_topology *topology, uint32_t node, const json_t *name)
{
    if (json_is_null(name)) {
        return node == OH_STAYS;
    }
    return node < oh_topology_nodes_count(topology) &&
           strcmp(oh_topology_node(topology, node).name.bytes, json_string_value(name)) == 0;
}

static void check_key(const oh_topology *topology, const json_t *test)
{
    bytes key = bytes_of_field(test, "key");
    uint32_t owner = oh_topology_locate(topology, key.bytes, key.length);
    CHECK(is_named(topology, owner, json_object_get(test, "owner")));
    uint32_t from = oh_topology_from(topology, key.bytes, key.length);
    CHECK(is_named(topology, from, json_object_get(test, "from")));
    free(key.bytes);
}

static void test_old_ring(const json_t *test)
{
    oh_config *config = config_of(vectors_string(test, "config"));
    oh_topology *topology = topology_of(oh_config_pool(config, "p", 1), NULL);
    const json_t *nodes = json_object_get(test, "nodes"), *scan = json_object_get(test, "scan");
    const json_t *keys = json_object_get(test, "keys");
    CHECK(oh_topology_valid(topology, oh_topology_length(topology)));
    CHECK(strcmp(oh_topology_fingerprint(topology), vectors_string(test, "fingerprint")) == 0);
    CHECK(oh_topology_nodes_count(topology) == json_array_size(nodes));
    for (uint32_t i = 0; i < json_array_size(nodes); i++) {
        CHECK(is_named(topology, i, json_object_get(json_array_get(nodes, i), "name")));
    }
    CHECK(oh_topology_scan_count(topology) == json_array_size(scan));
    for (uint32_t i = 0; i < json_array_size(scan); i++) {
        CHECK(is_named(topology, oh_topology_scan_node(topology, i), json_array_get(scan, i)));
    }
    for (size_t i = 0; i < json_array_size(keys); i++) {
        check_key(topology, json_array_get(keys, i));
    }
    free(topology);
    oh_config_free(config);
}

/* No damaged byte may lead out of the block. */
static void test_damage(void)
{
    test_begin("moving: damage");
    oh_config *config = config_of(
        "p: {servers: ['a:1', 'b:1'], moving_from: ['a:1', 'c:1'], distribution: modula}");
    oh_topology *topology = topology_of(oh_config_pool(config, "p", 1), NULL);
    size_t length = oh_topology_length(topology);
    uint8_t *copy = malloc(length);
    for (size_t i = 0; i < length; i++) {
        for (int value = 0; value < 256; value += 51) {
            oh_explanation explanation;
            memcpy(copy, topology, length);
            copy[i] = (uint8_t)value;
            if (oh_topology_valid(copy, length)) {
                const oh_topology *damaged = (const oh_topology *)copy;
                oh_topology_explain(damaged, (const uint8_t *)"key", 3, &explanation);
                (void)oh_topology_from(damaged, (const uint8_t *)"key", 3);
                for (uint32_t at = 0; at < oh_topology_scan_count(damaged); at++) {
                    uint32_t node = oh_topology_scan_node(damaged, at);
                    CHECK(node < oh_topology_nodes_count(damaged));
                    (void)oh_topology_moves_both_ways(damaged, node, 0);
                }
            }
        }
    }
    free(copy);
    free(topology);
    oh_config_free(config);
}

/* ---- Commands and replies ---- */

static bool moves(oh_bytes word)
{
    size_t tag = word.length > 0 && word.bytes[0] == '{';
    return word.length < tag + 4 || memcmp(word.bytes + tag, "stay", 4) != 0;
}

static void test_kind(const json_t *test)
{
    oh_bytes words[WORDS_MAX];
    oh_key_position positions[WORDS_MAX];
    const json_t *all = json_object_get(test, "words"), *keys = json_object_get(test, "keys");
    size_t count = json_array_size(all), found = 0, plain = 0, concerned = 0;
    bool is_refused = false;
    for (size_t i = 0; i < count; i++) {
        const json_t *word = json_array_get(all, i);
        words[i] = (oh_bytes){(const uint8_t *)json_string_value(word), json_string_length(word)};
    }
    const oh_command *command = oh_command_find(words, count);
    CHECK(oh_command_keys(command, words, count, positions, WORDS_MAX, &found) == NULL);
    for (size_t i = 0; i < found; i++) {
        bool is_moving = moves(words[positions[i].position]);
        plain += positions[i].kind == OH_KEY_PLAIN;
        is_refused |= positions[i].kind == OH_KEY_PATTERN && is_moving;
        if (positions[i].kind == OH_KEY_PLAIN && is_moving) {
            CHECK(json_is_true(json_object_get(test, "refused")) ||
                  (size_t)json_integer_value(json_array_get(keys, concerned)) ==
                      positions[i].position);
            concerned++;
        }
    }
    CHECK(is_refused == json_is_true(json_object_get(test, "refused")));
    if (keys) {
        bool is_alone = json_object_get(test, "transaction") == NULL;
        bool asks = is_alone && oh_command_asks(command, words, count, plain);
        CHECK(concerned == json_array_size(keys));
        CHECK(strcmp(vectors_string(test, "kind"), asks ? "asks" : "brings") == 0);
    }
}

static void test_nothing(const json_t *test)
{
    const json_t *text = json_object_get(test, "resp");
    bytes reply = bytes_of_text(json_string_value(text), json_string_length(text));
    bool is_something = oh_reply_is_something((oh_bytes){reply.bytes, reply.length});
    /* PHP speaks only RESP2. It recognizes only maps and nil of RESP3. */
    bool is_new = strchr("#,~=", reply.bytes[0]) != NULL;
    CHECK(is_new || is_something != json_is_true(json_object_get(test, "nothing")));
    free(reply.bytes);
}

void test_moving(void)
{
    vectors_run(PAGE, "OldRingTest", test_old_ring);
    vectors_run(PAGE, "MovingKindTest", test_kind);
    vectors_run(PAGE, "NothingTest", test_nothing);
    test_damage();
}
