/*
 * Write: commands and replies in RESP, to memory of any kind.
 *
 * A sink says where bytes go. A command is a list with its words behind it:
 *
 *     oh_resp_put_list(sink, 2);
 *     oh_resp_put_text(sink, "GET");
 *     oh_resp_put_word(sink, key);
 */
#ifndef OH_WRITE_H
#define OH_WRITE_H

#include "core/base/slice.h"
#include "core/resp/literal.h"

#define OH_RESP_HEAD_BYTES 24 /* A type, a number with its sign, CR LF. */

typedef struct oh_resp_sink {
    /* False: there is no memory. */
    bool (*append)(void *to, const void *bytes, size_t length);
    void *to;
} oh_resp_sink;

/*
 * Memory of a fixed size. Bytes that do not fit are counted, not written. So a room of 0 bytes
 * measures a length.
 */
typedef struct oh_resp_room {
    char *bytes;
    size_t capacity, length;
} oh_resp_room;

oh_resp_sink oh_resp_into(oh_resp_room *room);

/* The head of a value: its type and a number. Returns how many bytes it has. */
size_t oh_resp_head(char to[OH_RESP_HEAD_BYTES], char type, int64_t number);

/* The head of a list or command; a word; a word of text; a word of digits; a number. */
bool oh_resp_put_list(oh_resp_sink sink, size_t count);
bool oh_resp_put_word(oh_resp_sink sink, oh_bytes word);
bool oh_resp_put_text(oh_resp_sink sink, const char *word);
bool oh_resp_put_digits(oh_resp_sink sink, int64_t number);
bool oh_resp_put_number(oh_resp_sink sink, int64_t number);

/* A literal, as it is. */
static inline bool oh_resp_put(oh_resp_sink sink, const char *literal)
{
    return sink.append(sink.to, literal, strlen(literal));
}

#endif
