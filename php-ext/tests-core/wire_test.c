/*
 * Framing: every stream of spec/wire whole, cut in two at every byte, and byte by byte. Also the
 * commands that are written, and the part of an error reply that is kept.
 */
#include "core/resp/wire.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "vectors.h"

#define CUT_EVERYWHERE_BYTES 1500 /* Longer streams are cut at random places. */
#define CUTS_BY_LOT 100

static const char one_command[] = "*1\r\n$4\r\nPING\r\n";

static bool write_text(oh_wire *wire, const char *text)
{
    return oh_wire_wrote(wire, (const uint8_t *)text, strlen(text));
}

static size_t read_text(oh_wire *wire, const char *text)
{
    return oh_wire_read(wire, (const uint8_t *)text, strlen(text));
}

static oh_wire wire_with(uint32_t commands)
{
    oh_wire wire;
    oh_wire_reset(&wire);
    for (uint32_t i = 0; i < commands; i++) {
        write_text(&wire, one_command);
    }
    return wire;
}

/* ---- Streams of spec/wire ---- */

static const char *sentence_of(const char *error)
{
    static const char *const sentences[][2] = {
        {"surplus", OH_REASON_WIRE_SURPLUS},
        {"type", OH_REASON_WIRE_TYPE},
        {"length", OH_REASON_WIRE_LENGTH},
        {"line", OH_REASON_WIRE_LINE},
        {"crlf", OH_REASON_WIRE_CRLF},
        {"depth", OH_REASON_WIRE_DEPTH},
    };
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        if (strcmp(sentences[i][0], error) == 0) {
            return sentences[i][1];
        }
    }
    return "unknown to this test";
}

static void check_end(const json_t *test, oh_wire *wire)
{
    CHECK(wire->answered == vectors_number(test, "answered"));
    CHECK(oh_wire_owed(wire) == vectors_number(test, "owed"));
    CHECK(oh_wire_is_clean(wire) == json_is_true(json_object_get(test, "clean")));
    const char *error = json_string_value(json_object_get(test, "error"));
    if (!error) {
        CHECK(wire->error == NULL);
        return;
    }
    CHECK(wire->error && strcmp(wire->error, sentence_of(error)) == 0);
    uint64_t answered = wire->answered;
    CHECK(
        read_text(wire, "+NEXT\r\n") == 0 && wire->answered == answered && !oh_wire_is_clean(wire));
    CHECK(!write_text(wire, one_command));
}

/*
 * Reads the stream in pieces, each in memory of exactly its size. Returns how many bytes were
 * accepted.
 */
static size_t read_pieces(oh_wire *wire, bytes stream, size_t first, size_t others)
{
    size_t believed = 0;
    for (size_t begin = 0, size = first; begin < stream.length; begin += size, size = others) {
        if (size > stream.length - begin) {
            size = stream.length - begin;
        }
        bytes piece = bytes_of_text((const char *)stream.bytes + begin, size);
        believed += oh_wire_read(wire, piece.bytes, piece.length);
        free(piece.bytes);
    }
    return believed;
}

static void check_pieces(
    const json_t *test, bytes stream, size_t first, size_t others, size_t believed)
{
    oh_wire wire = wire_with(vectors_number(test, "commands"));
    CHECK(read_pieces(&wire, stream, first, others) == believed);
    check_end(test, &wire);
}

static void test_stream(const json_t *test)
{
    const json_t *parts = json_object_get(test, "parts");
    bytes stream = parts ? bytes_of_hex_parts(parts) : bytes_of_field(test, "stream");

    oh_wire wire = wire_with(vectors_number(test, "commands"));
    size_t believed = oh_wire_read(&wire, stream.bytes, stream.length);
    CHECK((believed == stream.length) == (wire.error == NULL) || !wire.error ||
          strcmp(wire.error, OH_REASON_WIRE_DEPTH) == 0);
    check_end(test, &wire);

    check_pieces(test, stream, 1, 1, believed);
    check_pieces(test, stream, 7, 7, believed);
    uint32_t state = 11;
    bool is_long = stream.length > CUT_EVERYWHERE_BYTES;
    for (size_t i = 1; i < (is_long ? CUTS_BY_LOT : stream.length); i++) {
        check_pieces(test, stream, is_long ? 1 + random_next(&state) % stream.length : i,
            stream.length, believed);
    }
    free(stream.bytes);
}

/* ---- Commands ---- */

static void test_debt(void)
{
    test_begin("a reply is owed from the first byte of a command on, wherever the command is cut");
    static const char commands[] =
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$11\r\n\r\n*1\r\n$1\r\nx\r\n*1\r\n$4\r\nPING\r\n";
    size_t second = sizeof commands - sizeof one_command;
    for (size_t cut = 0; cut < sizeof commands; cut++) {
        oh_wire wire = wire_with(0);
        CHECK(oh_wire_wrote(&wire, (const uint8_t *)commands, cut));
        CHECK(wire.written == (cut > second ? 2u : cut > 0));
        CHECK(oh_wire_is_clean(&wire) == (cut == 0));
        CHECK(write_text(&wire, commands + cut));
        CHECK(wire.written == 2 && oh_wire_owed(&wire) == 2);
        CHECK(read_text(&wire, "+OK\r\n+PONG\r\n") == 12 && oh_wire_is_clean(&wire));
    }
}

static void test_half_command(void)
{
    test_begin("a connection is not clean while a command is half written, even if the node has "
               "answered it");
    oh_wire wire = wire_with(0);
    CHECK(write_text(&wire, "*2\r\n$3\r\nGET\r\n"));
    CHECK(read_text(&wire, "-ERR no\r\n") == 9 && oh_wire_owed(&wire) == 0);
    CHECK(!wire.error && !oh_wire_is_clean(&wire));
    CHECK(write_text(&wire, "$1\r\nk\r\n") && oh_wire_is_clean(&wire));
}

static void test_refused_writing(void)
{
    static const char *const wrong[] = {"PING\r\n", "*0\r\n", "*-1\r\n", "*1\r\n+PING\r\n",
        "*1\r\n*1\r\n", "*1\r\n$-1\r\n", "*1\r\n$4\r\nPINGxx", "*01\r\n", "$4\r\nPING\r\n", "*1\n",
        "*x", "*16777217\r\n", "*1\r\n$536870913\r\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        test_begin("bytes that are not a command are refused: %zu", i);
        oh_wire whole = wire_with(0);
        CHECK(!write_text(&whole, wrong[i]) && whole.error && !oh_wire_is_clean(&whole));
        oh_wire dripped = wire_with(0);
        for (const char *at = wrong[i]; *at != '\0'; at++) {
            oh_wire_wrote(&dripped, (const uint8_t *)at, 1);
        }
        CHECK(dripped.error && strcmp(dripped.error, whole.error) == 0);
        CHECK(dripped.written == whole.written);
        CHECK(read_text(&whole, "+OK\r\n") == 0);
    }
}

/* ---- Error replies and push frames ---- */

static bool has_error_reply(const oh_wire *wire, uint64_t reply, const char *text)
{
    return wire->error_number == reply && wire->error_text_length == strlen(text) &&
           memcmp(wire->error_text, text, wire->error_text_length) == 0;
}

static void test_error_replies(void)
{
    test_begin("the last error reply at top level is kept, with its number, wherever it is cut");
    static const char replies[] =
        "+OK\r\n-MOVED 7 h:1\r\n:1\r\n*1\r\n-ERR inside\r\n!9\r\nASK 8 h:2\r\n$1\r\nx\r\n";
    for (size_t cut = 0; cut < sizeof replies; cut++) {
        oh_wire wire = wire_with(6);
        oh_wire_read(&wire, (const uint8_t *)replies, cut);
        CHECK(wire.answered < 2 || wire.answered > 3 || has_error_reply(&wire, 2, "MOVED 7 h:1"));
        CHECK(read_text(&wire, replies + cut) == strlen(replies + cut));
        CHECK(has_error_reply(&wire, 5, "ASK 8 h:2") && oh_wire_is_clean(&wire));
    }
    test_begin("only the beginning of a long error reply is kept");
    oh_wire wire = wire_with(1);
    read_text(&wire, "-");
    for (int i = 0; i < 1000; i++) {
        read_text(&wire, "0123456789");
    }
    CHECK(read_text(&wire, "\r\n") == 2 && wire.answered == 1);
    CHECK(wire.error_text_length == OH_MESSAGE_BYTES_MAX &&
          memcmp(wire.error_text + 250, "012345", 6) == 0);
    oh_wire_reset(&wire);
    CHECK(wire.error_number == 0 && oh_wire_is_clean(&wire));
}

static void test_pushes(void)
{
    test_begin("push frames are counted separately, and may arrive if no reply is owed");
    oh_wire wire = wire_with(0);
    CHECK(read_text(&wire, ">2\r\n+a\r\n:1\r\n>0\r\n") == 16);
    CHECK(wire.pushed == 2 && wire.answered == 0 && oh_wire_is_clean(&wire));
    CHECK(read_text(&wire, ">1\r\n") == 4 && !oh_wire_is_clean(&wire));
    CHECK(read_text(&wire, "+a\r\n+late\r\n") == 4 &&
          strcmp(wire.error, OH_REASON_WIRE_SURPLUS) == 0);
}

/* ---- Subscribed ---- */

static void check_subscribed_pieces(const json_t *test, bytes stream, size_t first, size_t others)
{
    oh_wire wire = wire_with(vectors_number(test, "commands"));
    oh_wire_subscribe(&wire);
    read_pieces(&wire, stream, first, others);
    CHECK(wire.answered == vectors_number(test, "answered") &&
          wire.pushed == vectors_number(test, "messages"));
    CHECK(oh_wire_owed(&wire) == vectors_number(test, "owed"));
    CHECK(!oh_wire_is_clean(&wire));
    const char *error = json_string_value(json_object_get(test, "error"));
    CHECK((error == NULL) == (wire.error == NULL));
    CHECK(!error || strcmp(wire.error, sentence_of(error)) == 0);
}

static void test_subscribed_stream(const json_t *test)
{
    const json_t *parts = json_object_get(test, "parts");
    bytes stream = parts ? bytes_of_hex_parts(parts) : bytes_of_field(test, "stream");

    check_subscribed_pieces(test, stream, stream.length, stream.length);
    check_subscribed_pieces(test, stream, 1, 1);
    check_subscribed_pieces(test, stream, 7, 7);
    for (size_t cut = 1; cut < stream.length && stream.length <= CUT_EVERYWHERE_BYTES; cut++) {
        check_subscribed_pieces(test, stream, cut, stream.length);
    }
    free(stream.bytes);
}

static void test_subscribed(void)
{
    vectors_run("wire/vectors/wire.json", "SubscribedTest", test_subscribed_stream);
    test_begin("values are read one at a time, wherever they are cut");
    static const char values[] = "*2\r\n$1\r\na\r\n:1\r\n$2\r\nbc\r\n+x\r\n";
    for (size_t cut = 0; cut < sizeof values - 1; cut++) {
        oh_wire wire = wire_with(0);
        oh_wire_subscribe(&wire);
        size_t at = 0;
        size_t ends[3] = {15, 23, 27};
        for (size_t i = 0; i < 3; i++) {
            while (wire.pushed == i) {
                size_t end = at < cut ? cut : sizeof values - 1;
                at += oh_wire_read_value(&wire, (const uint8_t *)values + at, end - at);
            }
            CHECK(at == ends[i] && !wire.error);
        }
    }
    test_begin(
        "a connection that was subscribed answers commands and stays unclean until it is reset");
    oh_wire wire = wire_with(1);
    oh_wire_subscribe(&wire);
    CHECK(read_text(&wire, "-NOPERM no\r\n-message\r\n") == 22 &&
          has_error_reply(&wire, 1, "NOPERM no"));
    CHECK(wire.answered == 1 && wire.pushed == 1 && write_text(&wire, one_command));
    CHECK(
        oh_wire_owed(&wire) == 1 && read_text(&wire, "+PONG\r\n") == 7 && !oh_wire_is_clean(&wire));
    oh_wire_reset(&wire);
    CHECK(oh_wire_is_clean(&wire) && read_text(&wire, "+late\r\n") == 0);
}

void test_wire(void)
{
    vectors_run("wire/vectors/wire.json", "FramingTest", test_stream);
    test_debt();
    test_half_command();
    test_refused_writing();
    test_error_replies();
    test_pushes();
    test_subscribed();
}
