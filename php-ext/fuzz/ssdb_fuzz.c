/*
 * Any bytes as a client's request to an SSDB node and as the node's replies. A translated request
 * consists of commands that wire accepts. The replies are read twice, cut into different pieces.
 * The caller reads the same both times, or they are refused both times.
 */
#include <string.h>

#include "core/ssdb/ssdb.h"
#include "core/resp/wire.h"
#include "fuzz.h"

const char *const fuzz_words[] = {"*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n",
    "*3\r\n$6\r\nEXISTS\r\n$1\r\nk\r\n$1\r\nl\r\n",
    "*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n$2\r\nNX\r\n",
    "*3\r\n$4\r\nLPOP\r\n$1\r\nk\r\n$1\r\n2\r\n",
    "*6\r\n$4\r\nHSET\r\n$1\r\nk\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n",
    "*4\r\n$6\r\nZCOUNT\r\n$1\r\nk\r\n$2\r\n(1\r\n$4\r\n+inf\r\n",
    "*4\r\n$4\r\nZADD\r\n$1\r\nk\r\n$5\r\n1.5e1\r\n$1\r\nm\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n",
    "|", "+OK\r\n", "-ERR x\r\n", ":0\r\n", ":1\r\n", "*1\r\n$1\r\n3\r\n", "*0\r\n", "$-1\r\n",
    "*2\r\n$1\r\na\r\n$1\r\nb\r\n", "-inf", "1e400", "-0.5", "9223372036854775808", "\r\n", "$",
    "*", "0", NULL};

#define READ_BYTES_MAX 65536

static size_t read_pieces(
    oh_ssdb *ssdb, const uint8_t *bytes, size_t length, uint8_t *to, size_t piece, size_t room)
{
    size_t at = 0, read = 0, written = 1;

    while (!ssdb->is_broken && (at < length || written > 0) && read + room <= READ_BYTES_MAX) {
        size_t size = length - at < piece ? length - at : piece;
        uint8_t *given = malloc(size + 1);

        memcpy(given, bytes + at, size);
        size_t had = size;
        written = oh_ssdb_read(ssdb, given, &size, to + read, room);
        free(given);
        MUST(size <= had && written <= room);
        MUST(size > 0 || written > 0 || at == length || ssdb->is_broken);
        at += size;
        read += written;
    }
    return read;
}

/* How many bytes of the replies are accepted by wire. */
static size_t believed(
    const uint8_t *request, size_t request_length, const uint8_t *bytes, size_t length)
{
    static oh_wire wire;

    oh_wire_reset(&wire);
    MUST(oh_wire_wrote(&wire, request, request_length));
    return oh_wire_read(&wire, bytes, length);
}

static void fuzz(
    const uint8_t *request, size_t request_length, const uint8_t *replies, size_t length)
{
    static uint8_t whole[READ_BYTES_MAX], parts[READ_BYTES_MAX];
    oh_ssdb one = {0}, other = {0};

    bool is_sent = oh_ssdb_translate(&one, request, request_length, false);
    MUST(is_sent == oh_ssdb_translate(&other, request, request_length, false));
    MUST(is_sent || one.refusal == other.refusal);
    if (is_sent) {
        size_t count = believed(one.request, one.length, replies, length);
        size_t whole_length = read_pieces(&one, replies, count, whole, count + 1, 4096);
        size_t parts_length = read_pieces(&other, replies, count, parts, 3, 5);

        MUST(one.is_broken == other.is_broken);
        MUST(one.is_broken || whole_length == parts_length);
        MUST(one.is_broken || memcmp(whole, parts, whole_length) == 0);
    }
    oh_ssdb_release(&one);
    oh_ssdb_release(&other);
}

/* The input is a request, a bar, and replies. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const uint8_t *bar = length > 0 ? memchr(bytes, '|', length) : NULL;
    size_t request = bar ? (size_t)(bar - bytes) : length;

    fuzz(bytes, request, bytes + request + (bar != NULL), length - request - (bar != NULL));
    return 0;
}
