/*
 * Any bytes as the replies of a node and as the commands of a client. However they are cut into
 * pieces, the counters, the error and the number of accepted bytes are the same. There are never
 * more replies than commands.
 */
#include <string.h>

#include "core/resp/value.h"
#include "core/resp/wire.h"
#include "core/resp/write.h"
#include "fuzz.h"

const char *const fuzz_words[] = {"+OK\r\n", "-ERR x\r\n", ":1\r\n", "$3\r\nfoo\r\n", "$-1\r\n",
    "$0\r\n\r\n", "*2\r\n", "*0\r\n", "*-1\r\n", "%1\r\n", "~2\r\n", ">1\r\n", "|1\r\n", "_\r\n",
    "#t\r\n", ",1.5\r\n", "(1\r\n", "!3\r\nERR\r\n", "=5\r\ntxt:a\r\n",
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n", "*1\r\n$4\r\nPING\r\n", "$536870912\r\n",
    "*16777216\r\n", "*1\r\n*1\r\n*1\r\n", "\r", "\n", "\r\n", "$?", "*?", ";", ".", "0", "-",
    NULL};

#define COMMANDS_MAX 16

static void begin(oh_wire *wire, unsigned commands)
{
    static const char command[] = "*1\r\n$4\r\nPING\r\n";
    oh_wire_reset(wire);
    for (unsigned i = 0; i < commands; i++) {
        MUST(oh_wire_wrote(wire, (const uint8_t *)command, sizeof command - 1));
    }
}

static void check_same(const oh_wire *one, const oh_wire *other)
{
    MUST(one->error == other->error);
    MUST(one->written == other->written && one->answered == other->answered &&
         one->pushed == other->pushed);
    MUST(one->answered <= one->written);
    MUST(one->error_number == other->error_number &&
         one->error_text_length == other->error_text_length);
    MUST(memcmp(one->error_text, other->error_text, one->error_text_length) == 0);
    MUST(oh_wire_is_clean(one) == oh_wire_is_clean(other));
}

/* Reads pieces of 1 to 16 bytes, as the bytes choose, each in memory of exactly its size. */
static size_t read_pieces(oh_wire *wire, const uint8_t *bytes, size_t length)
{
    size_t believed = 0;
    for (size_t begin = 0; begin < length;) {
        size_t size = (bytes[begin] * 7u + begin) % 16 + 1;
        size = size < length - begin ? size : length - begin;
        uint8_t *piece = malloc(size);
        memcpy(piece, bytes + begin, size);
        believed += oh_wire_read(wire, piece, size);
        free(piece);
        begin += size;
    }
    return believed;
}

static void fuzz_reading(unsigned commands, const uint8_t *bytes, size_t length)
{
    static oh_wire whole;
    static oh_wire pieces;
    begin(&whole, commands);
    begin(&pieces, commands);
    size_t believed = oh_wire_read(&whole, bytes, length);
    MUST(believed <= length && (believed == length || whole.error));
    MUST(read_pieces(&pieces, bytes, length) == believed);
    check_same(&whole, &pieces);
}

static void fuzz_writing(const uint8_t *bytes, size_t length)
{
    static oh_wire whole;
    static oh_wire dripped;
    oh_wire_reset(&whole);
    oh_wire_reset(&dripped);
    bool is_written = oh_wire_wrote(&whole, bytes, length);
    for (size_t i = 0; i < length; i++) {
        oh_wire_wrote(&dripped, bytes + i, 1);
    }
    MUST(is_written == (dripped.error == NULL));
    MUST(length == 0 || whole.written > 0 || whole.error);
    check_same(&whole, &dripped);
}

/* A command that is read gives the same bytes when it is written again, and wire accepts them. */
static void fuzz_commands(const uint8_t *bytes, size_t length)
{
    static oh_wire wire;
    oh_values values = oh_values_of(bytes, length), again = values;
    size_t count;
    oh_bytes word;

    if (!oh_value_skip_command(&again)) {
        return;
    }
    oh_resp_room room = {malloc((size_t)(again.at - bytes)), (size_t)(again.at - bytes), 0};
    oh_resp_sink sink = oh_resp_into(&room);
    MUST(oh_value_take_command(&values, &count) && oh_resp_put_list(sink, count));
    while (count-- > 0) {
        MUST(oh_value_take_word(&values, &word) && oh_resp_put_word(sink, word));
    }
    MUST(values.at == again.at && room.length == (size_t)(again.at - bytes));
    MUST(memcmp(room.bytes, bytes, room.length) == 0);
    oh_wire_reset(&wire);
    MUST(oh_wire_wrote(&wire, bytes, room.length) && wire.written == 1);
    free(room.bytes);
}

/* The first byte chooses how many commands are written before the replies are read. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length > 0) {
        fuzz_reading(bytes[0] % COMMANDS_MAX, bytes + 1, length - 1);
        fuzz_writing(bytes + 1, length - 1);
        fuzz_commands(bytes + 1, length - 1);
    }
    return 0;
}
