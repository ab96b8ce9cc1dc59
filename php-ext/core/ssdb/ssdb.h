/*
 * SSDB: what a node with `engine: ssdb` is sent instead of the commands that were written for
 * redis, and what its replies become, without I/O.
 *
 * SSDB speaks redis' protocol and means other things by it, mostly silently. So nothing passes but
 * what matches a form of spec/route/ssdb.json: a SET with an option that SSDB would ignore is
 * refused before a byte is sent, a DEL becomes the commands that delete, a score of 3.0 becomes 3.
 * What passes unchanged is not copied.
 *
 * On the road it stands between phpredis and wire, in both directions: oh_ssdb_translate sees a
 * whole request, one command or a pipeline, and oh_ssdb_read its replies, framed already by wire,
 * in pieces of any size. One value serves one exchange at a time, and the next one with the memory
 * of the one before.
 *
 * Implements spec/route, "SSDB"; the forms are generated from ssdb.json.
 */
#ifndef OH_SSDB_H
#define OH_SSDB_H

#include "core/base/slice.h"

#define OH_SSDB_LINE_BYTES 64 /* The head of a value; only lines of text are longer. */
/* As much of an error as is kept until the other replies of its command are read. */
#define OH_SSDB_ERROR_BYTES 320

/* Memory that grows. Private. */
typedef struct oh_ssdb_memory {
    void *items;
    size_t count, capacity;
} oh_ssdb_memory;

/*
 * How the replies of one command, or of a row of commands whose replies stay as they are, become
 * what is read.
 */
typedef struct oh_ssdb_shape {
    const struct oh_ssdb_form *form; /* NULL: they stay. */
    size_t replies;
} oh_ssdb_shape;

/* Begins as all zeros. */
typedef struct oh_ssdb {
    const uint8_t *request; /* What to send: the caller's own bytes, or memory of ours. */
    size_t length;
    const char *refusal; /* Why nothing may be sent, or NULL. */
    oh_bytes command;    /* The name of the command that is refused, in the caller's bytes. */
    /* Replies must go through oh_ssdb_read; otherwise they are what the caller expects. */
    bool is_shaped;
    bool is_broken; /* The node sent replies that do not belong to these commands. */

    /* Private. */
    oh_ssdb_memory sent, words, shapes;
    size_t kept; /* From here on the caller's bytes were not copied to `sent`. */
    size_t shape, left, missing, body;
    uint8_t state, line_length, number_length;
    bool is_shape_begun, is_head, is_copied, is_there, is_error_kept;
    int64_t total, value;
    size_t error_length, pending_begin, pending_end;
    uint8_t line[OH_SSDB_LINE_BYTES], number[24];
    char error[OH_SSDB_ERROR_BYTES], pending[OH_SSDB_ERROR_BYTES];
} oh_ssdb;

/*
 * Takes a request: whole commands, as clients write them. `is_raw`: the caller wrote the words
 * himself, and will make something of replies that redis would not give. False: nothing may be
 * sent, see `refusal`.
 */
bool oh_ssdb_translate(oh_ssdb *ssdb, const uint8_t *request, size_t length, bool is_raw);

/*
 * Turns replies into what the caller reads, as much as there is room for; gives back how much it
 * wrote. `length` says how many bytes there are and then how many were used; there may be something
 * to write without any.
 */
size_t oh_ssdb_read(oh_ssdb *ssdb, const uint8_t *bytes, size_t *length, uint8_t *to, size_t room);

/* Frees the memory; everything is as at the beginning. */
void oh_ssdb_release(oh_ssdb *ssdb);

#endif
