/*
 * Every length is written here, so none can differ from what follows it.
 */
#include "core/resp/write.h"

#define DIGITS_MAX 20 /* -9223372036854775808 */

static bool append_to_room(void *to, const void *bytes, size_t length)
{
    oh_resp_room *room = to;

    if (length > 0 && room->length <= room->capacity && length <= room->capacity - room->length) {
        memcpy(room->bytes + room->length, bytes, length);
    }
    room->length += length;
    return room->length <= room->capacity;
}

oh_resp_sink oh_resp_into(oh_resp_room *room)
{
    return (oh_resp_sink){append_to_room, room};
}

static size_t write_digits(char to[DIGITS_MAX], int64_t number)
{
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[DIGITS_MAX];
    size_t count = 0, length = 0;

    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        to[length++] = '-';
    }
    while (count > 0) {
        to[length++] = digits[--count];
    }
    return length;
}

size_t oh_resp_head(char to[OH_RESP_HEAD_BYTES], char type, int64_t number)
{
    to[0] = type;
    size_t length = 1 + write_digits(to + 1, number);
    to[length] = '\r';
    to[length + 1] = '\n';
    return length + 2;
}

static bool put_head(oh_resp_sink sink, char type, int64_t number)
{
    char head[OH_RESP_HEAD_BYTES];
    size_t length = oh_resp_head(head, type, number);

    return sink.append(sink.to, head, length);
}

bool oh_resp_put_list(oh_resp_sink sink, size_t count)
{
    return put_head(sink, OH_RESP_LIST, (int64_t)count);
}

/* All parts are counted, even if one does not fit: a room measures. */
bool oh_resp_put_word(oh_resp_sink sink, oh_bytes word)
{
    bool has_head = put_head(sink, OH_RESP_BULK, (int64_t)word.length);
    bool has_bytes = sink.append(sink.to, word.bytes, word.length);
    bool has_end = sink.append(sink.to, OH_RESP_END, 2);

    return has_head && has_bytes && has_end;
}

bool oh_resp_put_text(oh_resp_sink sink, const char *word)
{
    return oh_resp_put_word(sink, (oh_bytes){(const uint8_t *)word, strlen(word)});
}

bool oh_resp_put_digits(oh_resp_sink sink, int64_t number)
{
    char digits[DIGITS_MAX];
    size_t length = write_digits(digits, number);

    return oh_resp_put_word(sink, (oh_bytes){(const uint8_t *)digits, length});
}

bool oh_resp_put_number(oh_resp_sink sink, int64_t number)
{
    return put_head(sink, OH_RESP_NUMBER, number);
}
