/*
 * Commands for SSDB: every vector alone, with its replies whole and byte by byte; all vectors as
 * one pipeline; malformed requests; and each allocation that fails.
 */
#include "core/ssdb/ssdb.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "check.h"
#include "vectors.h"

/* A growing array of bytes. */
typedef struct text {
    uint8_t *bytes;
    size_t length, capacity;
} text;

static void add(text *to, const void *from, size_t length)
{
    if (to->length + length + 1 > to->capacity) {
        to->capacity = (to->length + length + 1) * 2;
        to->bytes = realloc(to->bytes, to->capacity);
    }
    if (length > 0) {
        memcpy(to->bytes + to->length, from, length);
    }
    to->length += length;
}

/* The characters of a vector are bytes: none is above U+00FF. */
static void add_characters(text *to, const json_t *string)
{
    const uint8_t *utf8 = (const uint8_t *)json_string_value(string);
    size_t length = json_string_length(string);

    for (size_t i = 0; i < length; i++) {
        uint8_t byte = (uint8_t)(utf8[i] < 0x80 ? utf8[i] : utf8[i] << 6 | (utf8[i + 1] & 0x3f));
        i += utf8[i] >= 0x80;
        add(to, &byte, 1);
    }
}

static void add_head(text *to, char type, size_t number)
{
    char head[32];

    add(to, head, (size_t)snprintf(head, sizeof head, "%c%zu\r\n", type, number));
}

static void add_command(text *to, const json_t *words)
{
    add_head(to, '*', json_array_size(words));
    for (size_t i = 0; i < json_array_size(words); i++) {
        text word = {NULL, 0, 0};

        add_characters(&word, json_array_get(words, i));
        add_head(to, '$', word.length);
        add(to, word.bytes, word.length);
        add(to, "\r\n", 2);
        free(word.bytes);
    }
}

static void add_commands(text *to, const json_t *commands)
{
    for (size_t i = 0; i < json_array_size(commands); i++) {
        add_command(to, json_array_get(commands, i));
    }
}

/* ---- Vectors ---- */

static bool same(const void *found, size_t length, text expected)
{
    return length == expected.length && (length == 0 || memcmp(found, expected.bytes, length) == 0);
}

static text with(void (*add_to)(text *, const json_t *), const json_t *test, const char *field)
{
    text it = {NULL, 0, 0};

    add(&it, "", 0);
    add_to(&it, json_object_get(test, field));
    return it;
}

/* Reads replies in pieces of `piece` bytes, into a buffer of limited size. */
static text read_all(oh_ssdb *ssdb, text replies, size_t piece, size_t room)
{
    text read = {NULL, 0, 0};
    uint8_t *to = malloc(room);
    size_t at = 0, written = 1;

    while (!ssdb->is_broken && (at < replies.length || written > 0)) {
        size_t size = replies.length - at < piece ? replies.length - at : piece;
        bytes given = bytes_of_text((const char *)replies.bytes + at, size);

        written = oh_ssdb_read(ssdb, given.bytes, &size, to, room);
        free(given.bytes);
        add(&read, to, written);
        at += size;
    }
    free(to);
    return read;
}

static void check_replies(const json_t *test, text command, bool is_raw, size_t piece, size_t room)
{
    text replies = with(add_characters, test, "replies"),
         expected = with(add_characters, test, "reply");
    oh_ssdb ssdb = {0};

    CHECK(oh_ssdb_translate(&ssdb, command.bytes, command.length, is_raw));
    if (ssdb.is_shaped) {
        text read = read_all(&ssdb, replies, piece, room);
        CHECK(ssdb.is_broken == (json_object_get(test, "violation") != NULL));
        CHECK(ssdb.is_broken || same(read.bytes, read.length, expected));
        free(read.bytes);
    } else {
        CHECK(!json_object_get(test, "violation") && same(replies.bytes, replies.length, expected));
    }
    oh_ssdb_release(&ssdb);
    free(replies.bytes);
    free(expected.bytes);
}

static void test_vector(const json_t *test)
{
    vectors_begin("ssdb", test);
    bool is_raw = json_is_true(json_object_get(test, "raw"));
    text command = with(add_command, test, "words"), sent = with(add_commands, test, "send");
    oh_ssdb ssdb = {0};

    bool is_sent = oh_ssdb_translate(&ssdb, command.bytes, command.length, is_raw);
    if (json_object_get(test, "refused")) {
        CHECK(!is_sent && strcmp(ssdb.refusal, vectors_string(test, "refused")) == 0);
        CHECK(ssdb.command.bytes >= command.bytes &&
              ssdb.command.bytes < command.bytes + command.length);
    } else if (CHECK(is_sent && same(ssdb.request, ssdb.length, sent))) {
        CHECK((ssdb.request == command.bytes) == same(command.bytes, command.length, sent) ||
              ssdb.length > 0);
        check_replies(test, command, is_raw, 1 << 20, 1 << 20);
        check_replies(test, command, is_raw, 1, 1);
        check_replies(test, command, is_raw, 7, 3);
    }
    oh_ssdb_release(&ssdb);
    free(command.bytes);
    free(sent.bytes);
}

/* ---- All vectors as one pipeline ---- */

typedef struct pipeline {
    text request, sent, replies, read;
} pipeline;

static void gather(pipeline *all, const json_t *test)
{
    if (json_object_get(test, "refused") || json_object_get(test, "violation")) {
        return;
    }
    add_command(&all->request, json_object_get(test, "words"));
    add_commands(&all->sent, json_object_get(test, "send"));
    add_characters(&all->replies, json_object_get(test, "replies"));
    add_characters(&all->read, json_object_get(test, "reply"));
}

static void check_pipeline(oh_ssdb *ssdb, pipeline all, size_t piece, size_t room)
{
    CHECK(oh_ssdb_translate(ssdb, all.request.bytes, all.request.length, true));
    CHECK(same(ssdb->request, ssdb->length, all.sent));
    text read = read_all(ssdb, all.replies, piece, room);
    CHECK(!ssdb->is_broken && same(read.bytes, read.length, all.read));
    size_t length = 5;
    uint8_t to[16];
    oh_ssdb_read(ssdb, (const uint8_t *)"+OK\r\n", &length, to, sizeof to);
    CHECK(ssdb->is_broken);
    free(read.bytes);
}

static void *fail_at_last(size_t size);
static size_t allocations_left;

static void test_pipeline(pipeline all)
{
    oh_ssdb ssdb = {0};

    test_begin("ssdb: all vectors as one pipeline, which reuses the memory of the pipeline before");
    check_pipeline(&ssdb, all, 1 << 20, 1 << 20);
    check_pipeline(&ssdb, all, 1 << 20, 1 << 20);
    check_pipeline(&ssdb, all, 1000, 100);
    check_pipeline(&ssdb, all, 3, 1);
    oh_ssdb_release(&ssdb);

    test_begin("ssdb: a pipeline with a refused command is refused, and that command is named");
    text refused = {NULL, 0, 0};
    add(&refused, all.request.bytes, all.request.length);
    add(&refused, "*2\r\n$4\r\nSADD\r\n$1\r\nk\r\n", 21);
    CHECK(!oh_ssdb_translate(&ssdb, refused.bytes, refused.length, true));
    CHECK(ssdb.command.length == 4 && memcmp(ssdb.command.bytes, "SADD", 4) == 0);
    oh_ssdb_release(&ssdb);
    free(refused.bytes);

    test_begin("ssdb: without enough memory the request is refused");
    void *(*allocate)(size_t) = oh_memory_allocate;
    bool is_sent = false;
    for (size_t i = 0; !is_sent && CHECK(i < 1000); i++) {
        allocations_left = i;
        oh_memory_allocate = fail_at_last;
        is_sent = oh_ssdb_translate(&ssdb, all.request.bytes, all.request.length, true);
        oh_memory_allocate = allocate;
        CHECK(is_sent || strstr(ssdb.refusal, "no memory"));
        oh_ssdb_release(&ssdb);
    }
}

static void *fail_at_last(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* ---- Malformed requests, long errors ---- */

static void test_no_commands(void)
{
    static const char *const requests[] = {"PING\r\n", "*0\r\n", "*1\r\n", "*1\r\n$4\r\nPING",
        "*1\r\n$4\r\nPING\r", "*1\r\n$5\r\nPING\r\n", "*2\r\n$4\r\nPING\r\n",
        "*99999999999999999999999\r\n", "*1\r\n$-1\r\n", "*1\r\n:1\r\n", "*1000000000\r\n",
        "*1\r\n$18446744073709551615\r\nPING\r\n", "*", "*1"};

    test_begin("ssdb: a malformed request is refused");
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        bytes request = bytes_of_text(requests[i], strlen(requests[i]));
        oh_ssdb ssdb = {0};
        CHECK(!oh_ssdb_translate(&ssdb, request.bytes, request.length, false) && ssdb.refusal);
        oh_ssdb_release(&ssdb);
        free(request.bytes);
    }
}

static void test_long_error(void)
{
    test_begin("ssdb: a long error is cut if it has to wait for other replies");
    static const char del[] = "*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n";
    text replies = {NULL, 0, 0};
    oh_ssdb ssdb = {0};

    add(&replies, "-ERR ", 5);
    for (int i = 0; i < 1000; i++) {
        add(&replies, "x", 1);
    }
    static const char others[] = "\r\n:1\r\n*0\r\n*0\r\n-ERR second\r\n";
    add(&replies, others, sizeof others - 1);
    CHECK(oh_ssdb_translate(&ssdb, (const uint8_t *)del, sizeof del - 1, false));
    text read = read_all(&ssdb, replies, 10, 10);
    CHECK(!ssdb.is_broken && read.length == OH_SSDB_ERROR_BYTES);
    CHECK(memcmp(read.bytes, "-ERR xx", 7) == 0 &&
          memcmp(read.bytes + read.length - 3, "x\r\n", 3) == 0);
    oh_ssdb_release(&ssdb);
    free(replies.bytes);
    free(read.bytes);
}

void test_ssdb(void)
{
    json_t *page = vectors_load("route/vectors/ssdb.json");
    json_t *group;
    json_t *test;
    pipeline all = {0};
    EACH_GROUP(page, group)
    {
        EACH_TEST(group, test)
        {
            test_vector(test);
            gather(&all, test);
        }
    }
    test_pipeline(all);
    test_no_commands();
    test_long_error();
    free(all.request.bytes);
    free(all.sent.bytes);
    free(all.replies.bytes);
    free(all.read.bytes);
    json_decref(page);
}
