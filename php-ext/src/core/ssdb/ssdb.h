/*
 * SSDB: translates redis' commands for a node with `engine: ssdb`, and the replies of that node
 * back. No I/O.
 *
 * SSDB speaks redis' protocol, but many commands mean something else there, and no error says so.
 * So only commands that match a form of spec/route/ssdb.json pass. A SET with an option that SSDB
 * would ignore is refused before a byte is sent, a DEL becomes the commands that delete, and a
 * score of 3.0 becomes 3. A command that passes unchanged is not copied.
 *
 * The room stands between phpredis and wire, in both directions. oh_ssdb_translate takes a whole
 * request, one command or a pipeline. oh_ssdb_read takes its replies, framed by wire, in pieces of
 * any size. One oh_ssdb serves one exchange at a time and keeps its memory for the next one.
 *
 * Implements spec/route, "SSDB"; the forms are generated from ssdb.json.
 */
#ifndef OH_SSDB_H
#define OH_SSDB_H

#include "core/base/slice.h"

/*
 * Enough for the first line of a value. Only texts and errors have longer lines: the rest is read
 * piece by piece.
 */
#define OH_SSDB_LINE_BYTES 64
/* This much of an error is kept until the other replies of its command are read. */
#define OH_SSDB_ERROR_BYTES 320

/* Memory that grows. Private. */
typedef struct oh_ssdb_memory {
    void *items;
    size_t count, capacity;
} oh_ssdb_memory;

/*
 * How the replies of one command are translated, or of several commands in a row whose replies stay
 * as they are.
 */
typedef struct oh_ssdb_shape {
    const struct oh_ssdb_form *form; /* NULL if they stay. */
    size_t replies;
} oh_ssdb_shape;

/* Begins as all zeros. */
typedef struct oh_ssdb {
    const uint8_t *request; /* What to send: the caller's own bytes, or a copy. */
    size_t length;
    const char *refusal; /* Why nothing may be sent, or NULL. */
    oh_bytes command;    /* The name of the command that is refused, in the caller's bytes. */
    /*
     * True: replies must go through oh_ssdb_read. False: they already are what the caller expects.
     */
    bool is_shaped;
    bool is_broken; /* The node sent replies that do not belong to these commands. */

    /* Private. */
    oh_ssdb_memory sent, words, shapes;
    size_t kept; /* The caller's bytes from here on are not copied to `sent` yet. */
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
 * itself, and accepts replies that redis would not give. False if nothing may be sent; then
 * `refusal` says why.
 */
bool oh_ssdb_translate(oh_ssdb *ssdb, const uint8_t *request, size_t length, bool is_raw);

/*
 * Translates replies into what the caller reads, as much as there is room for, and returns how much
 * it wrote. `length` is how many bytes there are, and afterwards how many were used. Without any
 * bytes there may still be something to write.
 */
size_t oh_ssdb_read(oh_ssdb *ssdb, const uint8_t *bytes, size_t *length, uint8_t *to, size_t room);

/* Frees the memory. The value is all zeros again. */
void oh_ssdb_release(oh_ssdb *ssdb);

#endif
