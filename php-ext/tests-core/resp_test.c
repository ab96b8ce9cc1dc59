/*
 * Writing and reading of RESP. Literals are whole commands or whole replies. The writer needs as
 * many bytes as it says, and never writes more. The readers return the words of a command and the
 * heads of values, and reject malformed or incomplete ones.
 */
#include <stdlib.h>

#include "core/resp/value.h"
#include "core/resp/wire.h"
#include "core/resp/write.h"
#include "check.h"

static void test_literals(void)
{
    static const char *const commands[] = {OH_RESP_MULTI, OH_RESP_EXEC, OH_RESP_DISCARD,
        OH_RESP_ASKING, OH_RESP_PING, OH_RESP_CLUSTER_INFO, OH_RESP_CLUSTER_SHARDS,
        OH_RESP_CLUSTER_SLOTS, OH_RESP_EMPTY_PUBLISH};
    static const char *const replies[] = {OH_RESP_OK, OH_RESP_QUEUED, OH_RESP_ZERO, OH_RESP_ONE,
        OH_RESP_NIL, OH_RESP_NIL_LIST, OH_RESP_EMPTY_LIST, OH_RESP_LIST_OF_ONE OH_RESP_OK};
    oh_wire wire;

    test_begin("resp: literals are whole commands and whole replies");
    oh_wire_reset(&wire);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        oh_values values = oh_values_of(commands[i], strlen(commands[i]));

        CHECK(oh_wire_wrote(&wire, (const uint8_t *)commands[i], strlen(commands[i])));
        CHECK(wire.written == i + 1 && wire.writer.depth == 0);
        CHECK(oh_value_skip_command(&values) && values.at == values.end);
    }
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        CHECK(oh_wire_read(&wire, (const uint8_t *)replies[i], strlen(replies[i])) ==
              strlen(replies[i]));
        CHECK(wire.answered == i + 1 && !wire.error);
    }
}

static bool writes(oh_resp_room *room, char *bytes, size_t capacity)
{
    oh_resp_sink sink = oh_resp_into(room);

    *room = (oh_resp_room){bytes, capacity, 0};
    oh_resp_put_list(sink, 4);
    oh_resp_put_text(sink, "SET");
    oh_resp_put_word(sink, (oh_bytes){(const uint8_t *)"a\0\r\n", 4});
    oh_resp_put_digits(sink, INT64_MIN);
    return oh_resp_put_text(sink, "");
}

static void test_writer(void)
{
    static const char expected[] =
        "*4\r\n$3\r\nSET\r\n$4\r\na\0\r\n\r\n$20\r\n-9223372036854775808\r\n$0\r\n\r\n";
    char *exact = malloc(sizeof expected - 1), *less = malloc(sizeof expected - 2);
    oh_resp_room room;

    test_begin("resp: a command is measured, then written; too little room is detected");
    CHECK(!writes(&room, NULL, 0) && room.length == sizeof expected - 1);
    CHECK(writes(&room, exact, sizeof expected - 1) && room.length == sizeof expected - 1);
    CHECK(memcmp(exact, expected, sizeof expected - 1) == 0);
    CHECK(!writes(&room, less, sizeof expected - 2) && room.length == sizeof expected - 1);
    free(exact);
    free(less);
}

static void test_words(void)
{
    static const char bytes[] = "*2\r\n$3\r\nGET\r\n$2\r\n\r\n\r\n*1\r\n$4\r\nPING\r\n";
    oh_values values = oh_values_of(bytes, sizeof bytes - 1);
    size_t count;
    oh_bytes word;

    test_begin("resp: the words of two commands in a row");
    CHECK(oh_value_take_command(&values, &count) && count == 2);
    CHECK(oh_value_take_word(&values, &word) && oh_bytes_is(word, "GET"));
    CHECK(oh_value_take_word(&values, &word) && oh_bytes_is(word, "\r\n"));
    CHECK(!oh_value_take_word(&values, &word));
    CHECK(oh_value_skip_command(&values) && values.at == values.end);

    test_begin("resp: an incomplete command is rejected, wherever it is cut");
    for (size_t length = 0; length < 21; length++) {
        char *piece = malloc(length + 1);

        memcpy(piece, bytes, length);
        values = oh_values_of(piece, length);
        CHECK(!oh_value_skip_command(&values));
        free(piece);
    }

    static const char *const malformed[] = {"*0\r\n", "*-1\r\n", "*01\r\n$1\r\na\r\n",
        "*\r\n$1\r\na\r\n", "*1\r\n+a\r\n", "*1\r\n$1\r\nab\r\n", "*1\r\n$-1\r\n", "$1\r\na\r\n",
        "*1\r$1\r\na\r\n", "*99999999999999999999999\r\n$1\r\na\r\n", "PING\r\n",
        "*1\r\n$18446744073709551615\r\na\r\n"};
    test_begin("resp: a malformed command is rejected");
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        values = oh_values_of(malformed[i], strlen(malformed[i]));
        CHECK(!oh_value_skip_command(&values));
    }
}

static bool reads_head(const char *bytes, char type, int64_t expected)
{
    oh_values values = oh_values_of(bytes, strlen(bytes));
    int64_t number;

    return oh_value_take_head(&values, type, &number) && number == expected &&
           values.at == values.end;
}

static void test_heads(void)
{
    static const int64_t numbers[] = {0, 1, -1, 10, INT32_MAX, INT64_MAX, INT64_MIN};
    static const char *const malformed[] = {":\r\n", ":-\r\n", ":1", ":1\r", ":1\n", ":1a\r\n",
        ":+1\r\n", ":9223372036854775808\r\n", ":-9223372036854775809\r\n", "$1\r\n", ""};

    test_begin("resp: the head of an incomplete value");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char head[OH_RESP_HEAD_BYTES + 1];

        head[oh_resp_head(head, OH_RESP_NUMBER, numbers[i])] = '\0';
        CHECK(reads_head(head, OH_RESP_NUMBER, numbers[i]));
        CHECK(!reads_head(head, OH_RESP_LIST, numbers[i]));
    }
    CHECK(reads_head("*1000000\r\n", OH_RESP_LIST, 1000000));
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        oh_values values = oh_values_of(malformed[i], strlen(malformed[i]));
        int64_t number;

        CHECK(!oh_value_take_head(&values, OH_RESP_NUMBER, &number));
        CHECK(values.at + strlen(malformed[i]) == values.end);
    }
}

static void test_errors(void)
{
    test_begin("resp: the text of an error, even if it is incomplete");
    CHECK(oh_value_begins_error("-ERR no\r\n", 9) && !oh_value_begins_error("+OK\r\n", 5));
    CHECK(!oh_value_begins_error("", 0));
    CHECK(oh_text_is(oh_value_error_text("-ERR no\r\n", 9), "ERR no"));
    CHECK(oh_text_is(oh_value_error_text("-ERR n", 6), "ERR n"));
    CHECK(oh_text_is(oh_value_error_text("-", 1), ""));
}

void test_resp(void)
{
    test_literals();
    test_writer();
    test_words();
    test_heads();
    test_errors();
}
