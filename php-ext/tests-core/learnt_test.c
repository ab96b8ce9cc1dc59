/*
 * Commands that a node describes: the vectors of spec/route, replies that are cut or damaged, and
 * the memory that processes share.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/command/kept_commands.h"
#include "core/generated/messages.h"
#include "core/generated/timings.h"
#include "core/resp/write.h"
#include "check.h"
#include "vectors.h"

#define WORDS_MAX 16
#define REPLY_BYTES_MAX 65536

/* ---- JSON as RESP ---- */

static void put(oh_resp_sink sink, const json_t *value)
{
    char line[256];
    json_t *element;
    size_t i;

    if (json_is_array(value)) {
        oh_resp_put_list(sink, json_array_size(value));
        json_array_foreach(value, i, element)
        {
            put(sink, element);
        }
    } else if (json_is_integer(value)) {
        oh_resp_put_number(sink, json_integer_value(value));
    } else if (json_is_string(value)) {
        oh_resp_put_text(sink, json_string_value(value));
    } else if (json_is_object(value)) {
        snprintf(line, sizeof line, "-%s\r\n", vectors_string(value, "error"));
        oh_resp_put(sink, line);
    } else {
        oh_resp_put(sink, OH_RESP_NIL_LIST);
    }
}

/* The reply, in memory of exactly its size. */
static bytes reply_of(const json_t *test)
{
    static char memory[REPLY_BYTES_MAX];
    oh_resp_room room = {.bytes = memory, .capacity = sizeof memory};

    put(oh_resp_into(&room), json_object_get(test, "answer"));
    return bytes_of_text(memory, room.length);
}

static size_t words_of(const json_t *test, oh_bytes words[WORDS_MAX])
{
    json_t *word;
    size_t i;

    json_array_foreach(json_object_get(test, "words"), i, word)
    {
        words[i] = (oh_bytes){(const uint8_t *)json_string_value(word), json_string_length(word)};
    }
    return i;
}

/* ---- Descriptions ---- */

static const char *const merges[] = {[OH_MERGE_SUM] = "sum",
    [OH_MERGE_MIN] = "min",
    [OH_MERGE_MAX] = "max",
    [OH_MERGE_AND] = "and",
    [OH_MERGE_ALL_OK] = "all_ok",
    [OH_MERGE_ONE_OK] = "one_ok",
    [OH_MERGE_PER_NODE] = "per_node"};

static bool is_text(const json_t *object, const char *field, const char *text)
{
    const json_t *value = json_object_get(object, field);

    return value ? text && strcmp(json_string_value(value), text) == 0 : text == NULL;
}

static bool is_number(const json_t *object, const char *field, int number)
{
    const json_t *value = json_object_get(object, field);

    return value && json_integer_value(value) == number;
}

static void check_spec(const json_t *expected, const oh_key_spec *spec)
{
    bool is_keyword = spec->begin == OH_BEGIN_KEYWORD;

    CHECK(is_text(expected, "kind", spec->kind == OH_KEY_CHANNEL ? "channel" : "key"));
    CHECK(is_text(expected, "keyword", is_keyword ? spec->word : NULL));
    CHECK(is_number(expected, is_keyword ? "from" : "index", spec->from));
    CHECK(is_number(expected, "step", spec->step));
    if (spec->is_counted) {
        CHECK(is_number(expected, "keynum", spec->keynum));
        CHECK(is_number(expected, "first", spec->first));
    } else {
        CHECK(is_number(expected, "last", spec->last));
        CHECK(spec->limit == 1 ? !json_object_get(expected, "limit")
                               : is_number(expected, "limit", spec->limit));
    }
}

static const char *reason_named(const char *name)
{
    return strcmp(name, "learnt_connection") == 0 ? OH_REASON_LEARNT_CONNECTION
           : strcmp(name, "learnt_blocking") == 0 ? OH_REASON_LEARNT_BLOCKING
                                                  : OH_REASON_LEARNT_WITHOUT_KEY;
}

static void check_row(const json_t *expected, const oh_learnt *learnt)
{
    static const char *const spreads[] = {[OH_SPREAD_ONE_NODE] = "one_node",
        [OH_SPREAD_ALL_NODES] = "all_nodes",
        [OH_SPREAD_REFUSED] = "refused"};
    const json_t *keys = json_object_get(expected, "keys");
    static oh_learnt_row row;

    oh_learnt_open(&row, learnt);
    CHECK(is_text(expected, "spread", spreads[row.command.spread]));
    CHECK(is_text(expected, "merge", row.command.merge ? merges[row.command.merge] : NULL));
    if (row.command.reason) {
        CHECK(strcmp(reason_named(vectors_string(expected, "reason")), row.command.reason) == 0);
    } else {
        CHECK(!json_object_get(expected, "reason"));
    }
    if (learnt->kind == OH_LEARNT_CONTAINER) {
        return;
    }
    CHECK(is_text(expected, "access", row.command.access == OH_ACCESS_READ ? "read" : "write"));
    CHECK(row.command.is_retryable ==
          (row.command.access == OH_ACCESS_READ && row.command.spread != OH_SPREAD_REFUSED));
    CHECK(learnt->asks_keys == json_is_true(json_object_get(expected, "asks_keys")));
    CHECK(learnt->is_unshared == json_is_true(json_object_get(expected, "unshared")));
    CHECK(row.command.keys_count == json_array_size(keys));
    for (size_t i = 0; i < row.command.keys_count && i < json_array_size(keys); i++) {
        check_spec(json_array_get(keys, i), &row.command.keys[i]);
    }
}

static void check_learnt(const json_t *expected, oh_learnt_answer answer, const oh_learnt *learnt)
{
    if (json_object_get(expected, "error")) {
        CHECK(answer == OH_LEARNT_ERROR);
        return;
    }
    CHECK(answer == OH_LEARNT_READ && oh_learnt_is_valid(learnt));
    if (json_object_get(expected, "unknown")) {
        CHECK(learnt->kind == OH_LEARNT_UNKNOWN);
    } else if (json_object_get(expected, "renamed")) {
        CHECK(learnt->kind == OH_LEARNT_RENAMED && is_text(expected, "renamed", learnt->known_as));
    } else {
        CHECK(learnt->kind ==
              (json_object_get(expected, "container") ? OH_LEARNT_CONTAINER : OH_LEARNT_ROW));
        check_row(expected, learnt);
    }
}

/* A reply that ends too early is never read. */
static void check_cut(oh_bytes whole, const oh_bytes *words, size_t count)
{
    oh_learnt learnt;

    for (size_t length = 0; length < whole.length; length++) {
        bytes cut = bytes_of_text((const char *)whole.bytes, length);
        oh_learnt_answer answer =
            oh_learnt_read((oh_bytes){cut.bytes, cut.length}, words, count, &learnt);

        CHECK(answer != OH_LEARNT_READ);
        free(cut.bytes);
    }
}

static void test_description(const json_t *test)
{
    oh_bytes words[WORDS_MAX];
    size_t count = words_of(test, words);
    bytes reply = reply_of(test);
    oh_bytes whole = {reply.bytes, reply.length};
    oh_learnt learnt;
    oh_learnt_answer answer = oh_learnt_read(whole, words, count, &learnt);

    if (json_object_get(test, "unreadable")) {
        CHECK(answer == OH_LEARNT_UNREADABLE);
    } else {
        check_learnt(json_object_get(test, "command"), answer, &learnt);
        check_cut(whole, words, count);
    }
    free(reply.bytes);
}

/* ---- Keys that the node finds ---- */

static void test_keys(const json_t *test)
{
    oh_bytes words[WORDS_MAX];
    size_t count = words_of(test, words), found;
    const json_t *expected = json_object_get(test, "positions");
    oh_key_position positions[WORDS_MAX];
    bytes reply = reply_of(test);
    oh_learnt_answer answer =
        oh_learnt_find_keys((oh_bytes){reply.bytes, reply.length}, words, count, positions, &found);

    CHECK(answer == (expected ? OH_LEARNT_READ : OH_LEARNT_UNREADABLE));
    for (size_t i = 0; expected && i < found; i++) {
        CHECK(json_integer_value(json_array_get(expected, i)) == (json_int_t)positions[i].position);
    }
    CHECK(!expected || found == json_array_size(expected));
    free(reply.bytes);
}

static void test_denied(const json_t *test)
{
    const char *error = vectors_string(test, "error");
    const json_t *name = json_object_get(test, "name");
    char found[OH_COMMAND_NAME_BYTES];
    bool is_denied = oh_learnt_is_denied((oh_text){error, strlen(error)}, found);

    CHECK(is_denied == json_is_string(name));
    CHECK(!is_denied || strcmp(found, json_string_value(name)) == 0);
}

static void test_index(const json_t *test)
{
    oh_learnt learnt;
    bool is_refused = oh_learnt_is_refused(vectors_string(test, "name"), &learnt);

    CHECK(is_refused == json_is_true(json_object_get(test, "refused")));
    CHECK(!is_refused || oh_learnt_is_valid(&learnt));
}

/* ---- Kept commands ---- */

static oh_learnt named(const char *name, oh_learnt_kind kind)
{
    oh_learnt learnt;

    memset(&learnt, 0, sizeof learnt);
    memcpy(learnt.name, name, strlen(name));
    learnt.kind = (uint8_t)kind;
    learnt.spread = OH_SPREAD_ALL_NODES;
    return learnt;
}

static void test_kept(void)
{
    static const uint8_t one[OH_KEPT_IDENTITY_BYTES] = {1}, other[OH_KEPT_IDENTITY_BYTES] = {2};
    static oh_kept_commands kept;
    oh_learnt row = named("onehop.set", OH_LEARNT_ROW), found;
    uint64_t now = 1000;

    test_begin("kept commands: a command is kept for one server pool, and for an hour");
    CHECK(!oh_kept_commands_find(&kept, one, "onehop.set", now, &found));
    oh_kept_commands_add(&kept, one, &row, now);
    CHECK(oh_kept_commands_find(&kept, one, "onehop.set", now, &found));
    CHECK(memcmp(&found, &row, sizeof row) == 0);
    CHECK(!oh_kept_commands_find(&kept, other, "onehop.set", now, &found));
    CHECK(!oh_kept_commands_find(&kept, one, "onehop.get", now, &found));
    CHECK(oh_kept_commands_find(&kept, one, "onehop.set", now + OH_COMMAND_KNOWN_MS - 1, &found));
    CHECK(!oh_kept_commands_find(&kept, one, "onehop.set", now + OH_COMMAND_KNOWN_MS, &found));

    test_begin("kept commands: that a command does not exist is kept for seconds only");
    row = named("onehop.no", OH_LEARNT_UNKNOWN);
    oh_kept_commands_add(&kept, one, &row, now);
    CHECK(oh_kept_commands_find(&kept, one, "onehop.no", now + OH_COMMAND_UNKNOWN_MS - 1, &found));
    CHECK(!oh_kept_commands_find(&kept, one, "onehop.no", now + OH_COMMAND_UNKNOWN_MS, &found));

    test_begin("kept commands: a command is forgotten in all server pools");
    row = named("onehop.set", OH_LEARNT_ROW);
    oh_kept_commands_add(&kept, other, &row, now);
    oh_kept_commands_forget(&kept, "onehop.set");
    CHECK(!oh_kept_commands_find(&kept, one, "onehop.set", now, &found));
    CHECK(!oh_kept_commands_find(&kept, other, "onehop.set", now, &found));
    CHECK(oh_kept_commands_find(&kept, one, "onehop.no", now, &found));
}

static void test_many(void)
{
    static const uint8_t identity[OH_KEPT_IDENTITY_BYTES] = {3};
    static oh_kept_commands kept;
    char name[32];
    oh_learnt row, found;
    uint32_t left = 0;

    test_begin("kept commands: if there are too many, the last ones stay");
    for (uint32_t i = 0; i < 4 * OH_LEARNT_COMMANDS_MAX; i++) {
        snprintf(name, sizeof name, "command.%u", i);
        row = named(name, OH_LEARNT_ROW);
        oh_kept_commands_add(&kept, identity, &row, i + 1);
        CHECK(oh_kept_commands_find(&kept, identity, name, i + 1, &found));
    }
    for (uint32_t i = 0; i < 4 * OH_LEARNT_COMMANDS_MAX; i++) {
        snprintf(name, sizeof name, "command.%u", i);
        left += oh_kept_commands_find(&kept, identity, name, 1000, &found);
    }
    CHECK(left > OH_LEARNT_COMMANDS_MAX / 2 && left <= OH_LEARNT_COMMANDS_MAX);
}

/* Whatever the memory contains, a row that counts as valid can be used safely. */
static void test_damage(void)
{
    oh_bytes words[] = {{(const uint8_t *)"x", 1}, {(const uint8_t *)"2", 1},
        {(const uint8_t *)"STREAMS", 7}, {(const uint8_t *)"k", 1}, {(const uint8_t *)"l", 1}};
    static oh_learnt_row row;
    uint32_t state = 7, valid = 0;

    test_begin("kept commands: damaged memory");
    for (uint32_t round = 0; round < 200000; round++) {
        oh_learnt learnt = named("x", OH_LEARNT_ROW);
        uint8_t *at = (uint8_t *)&learnt;
        oh_key_position positions[8];
        size_t found;

        learnt.spread = OH_SPREAD_ONE_NODE;
        learnt.specs_count = 2;
        memcpy(learnt.specs[1].word, "STREAMS", 7);
        for (size_t i = 0; i < 2; i++) {
            oh_learnt_spec *spec = &learnt.specs[i];
            *spec = (oh_learnt_spec){.begin = (uint8_t)i,
                .from = (uint8_t)(random_next(&state) % 4),
                .is_counted = random_next(&state) % 2,
                .keynum = (uint8_t)random_next(&state),
                .first = (uint8_t)random_next(&state),
                .step = (uint8_t)(random_next(&state) % 4),
                .limit = (uint8_t)(random_next(&state) % 4),
                .last = (int8_t)random_next(&state)};
            memcpy(spec->word, "STREAMS", i * 7);
        }
        if (random_next(&state) % 2) {
            at[random_next(&state) % sizeof learnt] = (uint8_t)random_next(&state);
        }
        if (oh_learnt_is_valid(&learnt)) {
            oh_learnt_open(&row, &learnt);
            oh_command_keys(&row.command, words, 5, positions, 8, &found);
            valid++;
        }
    }
    CHECK(valid > 1000);
}

void test_learnt(void)
{
    static const struct {
        const char *type;
        void (*test)(const json_t *);
    } kinds[] = {{"LearntTest", test_description}, {"LearntKeysTest", test_keys},
        {"DeniedTest", test_denied}, {"IndexTest", test_index}};
    json_t *page = vectors_load("route/vectors/learnt.json");
    json_t *group;
    json_t *test;

    EACH_GROUP(page, group)
    {
        EACH_TEST(group, test)
        {
            vectors_begin("learnt", test);
            for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
                if (strcmp(kinds[i].type, vectors_string(group, "type")) == 0) {
                    kinds[i].test(test);
                }
            }
        }
    }
    json_decref(page);
    test_kept();
    test_many();
    test_damage();
}
