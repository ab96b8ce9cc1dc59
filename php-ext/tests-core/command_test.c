/*
 * The command table against spec/route: the entry and the keys of every example, the parts of every
 * split, and which channels and patterns go to every node. Fields of INFO: how they are merged if
 * nodes differ or send invalid values.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/command/command.h"
#include "core/command/info.h"
#include "check.h"
#include "vectors.h"

#define WORDS_MAX 64

/*
 * The words of one line, each in memory of exactly its size. `marks` has the places of words with a
 * mark (key=, channel=, pattern=), which is removed from the word.
 */
typedef struct line {
    oh_bytes words[WORDS_MAX];
    size_t count;
    oh_key_position marks[WORDS_MAX];
    size_t marks_count;
} line;

static const char *without_mark(line *it, const char *word)
{
    static const char *const marks[] = {"key=", "channel=", "pattern="};

    for (int kind = 0; kind < 3; kind++) {
        size_t length = strlen(marks[kind]);
        if (strncmp(word, marks[kind], length) == 0) {
            it->marks[it->marks_count++] = (oh_key_position){it->count, (oh_key_kind)kind};
            return word + length;
        }
    }
    return word;
}

static line line_of(const char *text, bool has_marks)
{
    line it = {.count = 0};
    char *copy = strdup(text), *next = copy;

    while (next) {
        char *word = next;
        next = strchr(word, ' ');
        if (next) {
            *next++ = '\0';
        }
        const char *bare = has_marks ? without_mark(&it, word) : word;
        bytes own = bytes_of_text(
            strcmp(bare, "\"\"") == 0 ? "" : bare, strcmp(bare, "\"\"") == 0 ? 0 : strlen(bare));
        it.words[it.count++] = (oh_bytes){own.bytes, own.length};
    }
    free(copy);
    return it;
}

static void line_free(line *it)
{
    for (size_t i = 0; i < it->count; i++) {
        free((void *)(uintptr_t)it->words[i].bytes);
    }
}

/* ---- Entries and keys ---- */

static void check_places(const oh_command *command, const line *it, size_t room)
{
    oh_key_position *positions = malloc(room * sizeof *positions + 1);
    size_t found;

    CHECK(oh_command_keys(command, it->words, it->count, positions, room, &found) == NULL);
    CHECK(found == it->marks_count);
    for (size_t i = 0; i < found && i < room && i < it->marks_count; i++) {
        CHECK(positions[i].position == it->marks[i].position &&
              positions[i].kind == it->marks[i].kind);
    }
    free(positions);
}

static void test_example(const char *name, const char *text)
{
    test_begin("command %s: %s", name, text);
    line it = line_of(text, true);
    const oh_command *command = oh_command_find(it.words, it.count);
    if (CHECK(command != NULL) && CHECK(strcmp(command->name, name) == 0)) {
        for (size_t room = 0; room <= it.marks_count; room++) {
            check_places(command, &it, room);
        }
        const oh_bytes *timeout = oh_command_timeout(command, it.words, it.count);
        CHECK(!timeout || (timeout->length > 0 && isdigit(timeout->bytes[0])));
        CHECK(timeout || !command->blocking.is_blocking || command->blocking.option);
    }
    line_free(&it);
}

static void test_examples(void)
{
    json_t *page = vectors_load("route/examples.json"),
           *commands = vectors_load("route/commands.json"), *examples;
    const char *name;

    json_object_foreach(json_object_get(page, "examples"), name, examples)
    {
        for (size_t i = 0; i < json_array_size(examples); i++) {
            const json_t *example = json_array_get(examples, i);
            if (json_is_string(example)) {
                test_example(name, json_string_value(example));
            }
        }
    }
    const json_t *entry;
    json_object_foreach(json_object_get(commands, "commands"), name, entry)
    {
        test_begin("command %s is found by its name", name);
        const oh_command *command = oh_command_named(name, strlen(name));
        CHECK(command && strcmp(command->name, name) == 0);
        CHECK(command->is_container == json_is_true(json_object_get(entry, "container")));
        CHECK((command->spread == OH_SPREAD_REFUSED) == (command->reason != NULL));
    }
    json_decref(page);
    json_decref(commands);
}

static void test_unknown(void)
{
    static const char *const unknown[] = {"", "GETT", "GE", "XGROUP", "XGROUP NOSUCH k1",
        "CONFIG|GET maxmemory", "CONFIG GET|SET", "NOSUCH GET k1", "ACL CATT", "client\\x00list",
        "A-NAME-THAT-IS-LONGER-THAN-ANY-NAME-OF-ANY-COMMAND-OF-ANY-SERVER-THERE-HAS-EVER-BEEN k1"};

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        test_begin("command unknown: %s", unknown[i]);
        line it = line_of(unknown[i], false);
        CHECK(oh_command_find(it.words, it.count) == NULL);
        line_free(&it);
    }
    test_begin("command without words");
    CHECK(oh_command_find(NULL, 0) == NULL);
}

/*
 * Looks up each entry with a NUL after its name: AddressSanitizer sees reads beyond the entry's own
 * name.
 */
static void test_names_with_nul(void)
{
    json_t *commands = vectors_load("route/commands.json");
    const char *name;
    const json_t *entry;

    json_object_foreach(json_object_get(commands, "commands"), name, entry)
    {
        char longer[128] = {0};
        size_t length = strlen(name);

        test_begin("command %s with a NUL after its name is unknown", name);
        memcpy(longer, name, length);
        CHECK(oh_command_named(longer, length) != NULL);
        for (size_t more = 1; more <= 32; more++) {
            CHECK(oh_command_named(longer, length + more) == NULL);
        }
        longer[length / 2] = '\0';
        CHECK(oh_command_named(longer, length) == NULL);
    }
    json_decref(commands);
}

static void test_malformed(void)
{
    static const char *const malformed[] = {"GET", "EVAL s", "EVAL s x k1", "EVAL s -1 k1",
        "EVAL s 2 k1", "EVAL s 99999999999999999999999 k1", "SORT k1 STORE", "XREAD STREAMS s1",
        "BLPOP 0", "ZUNIONSTORE d 3 k1 k2", "OBJECT ENCODING", "LMPOP"};

    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        test_begin("command malformed: %s", malformed[i]);
        line it = line_of(malformed[i], false);
        const oh_command *command = oh_command_find(it.words, it.count);
        oh_key_position positions[WORDS_MAX];
        size_t found;
        CHECK(
            command && oh_command_keys(command, it.words, it.count, positions, WORDS_MAX, &found));
        line_free(&it);
    }
}

/* ---- Splits ---- */

/* The vectors name a node by a letter; its character code is the number. */
static uint32_t node_of(const json_t *test, const oh_bytes *key)
{
    char name[WORDS_MAX] = {0};
    memcpy(name, key->bytes, key->length);
    return (uint32_t)*vectors_string(json_object_get(test, "nodes"), name);
}

static void check_part(
    const json_t *part, const oh_command_shape *shape, const line *it, const uint32_t *nodes)
{
    oh_bytes words[WORDS_MAX];
    char text[1024] = {0}, number[OH_NUMBER_OF_KEYS_BYTES];
    size_t count = oh_command_part(
        shape, it->words, nodes, (uint32_t)*vectors_string(part, "node"), words, number);

    for (size_t i = 0; i < count; i++) {
        strcat(text, i > 0 ? " " : "");
        strncat(text, (const char *)words[i].bytes, words[i].length);
    }
    CHECK(strcmp(text, vectors_string(part, "send")) == 0);
    const json_t *places = json_object_get(part, "places");
    for (size_t i = 0; i < json_array_size(places); i++) {
        CHECK(nodes[json_integer_value(json_array_get(places, i))] ==
              (uint32_t)*vectors_string(part, "node"));
    }
}

static void test_split(const json_t *test)
{
    line it = line_of(vectors_string(test, "send"), false);
    const oh_command *command = oh_command_find(it.words, it.count);
    oh_command_shape shape;
    const char *malformed = oh_command_shape_of(command, it.words, it.count, &shape);

    CHECK((malformed != NULL) == json_is_true(json_object_get(test, "malformed")));
    CHECK(oh_command_is_whole(command, it.words, it.count) ==
          json_is_true(json_object_get(test, "whole")));
    if (!malformed) {
        uint32_t nodes[WORDS_MAX];
        for (size_t key = 0; key < shape.keys; key++) {
            nodes[key] = node_of(test, &it.words[shape.first + key * shape.step]);
        }
        const json_t *parts = json_object_get(test, "parts");
        for (size_t i = 0; i < json_array_size(parts); i++) {
            check_part(json_array_get(parts, i), &shape, &it, nodes);
        }
    }
    line_free(&it);
}

/* ---- Which channels and patterns go to every node ---- */

static void check_everywhere(const json_t *test, bool (*is_everywhere)(oh_text name))
{
    const char *name = vectors_string(test, "name");
    CHECK(is_everywhere((oh_text){name, strlen(name)}) ==
          json_is_true(json_object_get(test, "everywhere")));
}

static void test_channel(const json_t *test)
{
    check_everywhere(test, oh_notification_is_channel);
}

static void test_pattern(const json_t *test)
{
    check_everywhere(test, oh_notification_may_match);
}

/* ---- Fields of INFO ---- */

#define NODES_MAX 3

typedef struct info_case {
    oh_info_rule rule;
    const char *values[NODES_MAX]; /* NULL: this node does not have the field. */
    const char *merged;            /* NULL: left out. */
} info_case;

static const info_case info_cases[] = {
    {OH_INFO_SUM, {"100", "100", "0"}, "200"},
    {OH_INFO_SUM, {"100", "100", NULL}, NULL},
    {OH_INFO_SUM, {"100", "x", "1"}, NULL},
    {OH_INFO_SUM, {"100", "-1", "1"}, NULL},
    {OH_INFO_SUM, {"100", "", "1"}, NULL},
    {OH_INFO_SUM, {"999999999999999", "999999999999999", "2"}, "2000000000000000"},
    {OH_INFO_SUM, {"1000000000000000", "1", "1"}, NULL},
    {OH_INFO_HUMAN, {"1000", "23", "0"}, "1023B"},
    {OH_INFO_HUMAN, {"1000", "24", "0"}, "1.00K"},
    {OH_INFO_HUMAN, {"1024", "1152", "0"}, "2.12K"},
    {OH_INFO_HUMAN, {"1048576", "524288", "1"}, "1.50M"},
    {OH_INFO_HUMAN, {"999999999999999", "999999999999999", "999999999999999"}, "2.66P"},
    {OH_INFO_LOWEST, {"50", "40", "60"}, "40"},
    {OH_INFO_LOWEST, {"50", "40", NULL}, NULL},
    {OH_INFO_LOWEST, {"7.0.15", "7.0.9", "7.1"}, "7.0.9"},
    {OH_INFO_LOWEST, {"7.0", "7", "7.0.0"}, "7"},
    {OH_INFO_LOWEST, {"", "7", "7.0.0"}, ""},
    {OH_INFO_EQUAL, {"noeviction", "noeviction", "noeviction"}, "noeviction"},
    {OH_INFO_EQUAL, {"noeviction", "noeviction", "Noeviction"}, NULL},
    {OH_INFO_EQUAL,
        {"a text of more than 64 bytes, which no server has for such a field of INFO",
            "a text of more than 64 bytes, which no server has for such a field of INFO",
            "a text of more than 64 bytes, which no server has for such a field of INFO"},
        NULL},
    {OH_INFO_KEYS, {"keys=2,expires=1,avg_ttl=100", "keys=5,expires=3", NULL}, "keys=7"},
    {OH_INFO_KEYS, {"keys=2,expires=0", NULL, NULL}, "keys=2"},
    {OH_INFO_KEYS, {"keys=2,expires=0", "keys=2", NULL}, NULL},
    {OH_INFO_KEYS, {"keys=2,expires=0", "keys=,expires=0", NULL}, NULL},
    {OH_INFO_KEYS, {"keys=2,expires=0", "key", NULL}, NULL},
    {OH_INFO_KEYS, {NULL, NULL, NULL}, NULL},
};

/* Values in memory of exactly their size, so that a sanitizer detects a read beyond it. */
static void test_info_case(const info_case *test)
{
    oh_bytes values[NODES_MAX];
    char text[OH_INFO_ROOM];
    size_t count = 0;

    for (size_t i = 0; i < NODES_MAX; i++) {
        if (test->values[i]) {
            bytes own = bytes_of_text(test->values[i], strlen(test->values[i]));
            values[count++] = (oh_bytes){own.bytes, own.length};
        }
    }
    size_t length = oh_info_merge(test->rule, values, count, NODES_MAX, text);
    const char *merged = test->merged ? test->merged : "";
    CHECK(length == strlen(merged) && memcmp(text, merged, length) == 0);
    while (count > 0) {
        free((void *)values[--count].bytes);
    }
}

static void test_info(void)
{
    for (size_t i = 0; i < sizeof info_cases / sizeof *info_cases; i++) {
        test_begin("info %u", (unsigned)i);
        test_info_case(&info_cases[i]);
    }
}

void test_command(void)
{
    test_examples();
    test_unknown();
    test_names_with_nul();
    test_malformed();
    vectors_run("route/vectors/split.json", "SplitTest", test_split);
    vectors_run("route/vectors/notifications.json", "ChannelTest", test_channel);
    vectors_run("route/vectors/notifications.json", "PatternTest", test_pattern);
    test_info();
}
