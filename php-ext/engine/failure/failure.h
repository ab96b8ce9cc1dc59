/*
 * Failure: what went wrong, as a value.
 *
 * A room that meets a failure fills an oh_failure: which kind (spec/errors.json), whether the
 * command may have executed, what happened and what the reader of the log should do. The node and
 * the server pool are added when it becomes a message. Bytes of a server reach a message escaped
 * and cut; passwords never do.
 */
#ifndef OH_ENGINE_FAILURE_H
#define OH_ENGINE_FAILURE_H

#include "core/base/compiler.h"
#include "core/generated/errors.h"
#include "core/topology/topology.h"

#include "engine/base/buffer.h"

/* A sentence of ours around OH_MESSAGE_BYTES_MAX bytes of a server, escaped. */
#define OH_FAILURE_TEXT_BYTES 640

typedef struct oh_failure {
    oh_error_kind kind;
    oh_outcome outcome;
    const char *advice; /* What to do about it: a constant, no capital, no full stop. */
    char what[OH_FAILURE_TEXT_BYTES];
    /* Varying numbers: they end the message, so that logs can group by its beginning. */
    char numbers[64];
} oh_failure;

/* Fills a failure; the format makes its `what`. */
void oh_failure_set(oh_failure *failure, oh_error_kind kind, oh_outcome outcome, const char *advice,
    const char *format, ...) OH_FORMAT(5, 6);

/* Fills `numbers`, which oh_failure_set leaves empty. */
void oh_failure_number(oh_failure *failure, const char *format, ...) OH_FORMAT(2, 3);

/* Fills a failure whose cause is that this process has no memory left; no node is to blame. */
void oh_failure_set_no_memory(oh_failure *failure, oh_outcome outcome);

/* Appends a text of ours to `what`, as far as there is room. */
void oh_failure_append(oh_failure *failure, const char *text);

/*
 * Appends bytes that came from outside to `what`: control characters escaped, cut to the bound of
 * spec/limits.json.
 */
void oh_failure_quote(oh_failure *failure, const char *bytes, size_t length);

/* The same of a name or a key, of which a beginning is enough. */
void oh_failure_show(oh_failure *failure, const void *bytes, size_t length);

/* The name of a kind, as all languages spell it; what is said of a command by its outcome. */
const char *oh_failure_kind_name(oh_error_kind kind);
const char *oh_failure_outcome_phrase(oh_outcome outcome);

/*
 * The whole message. `node` and `pool` may be NULL if none is to blame; a configuration that is
 * refused before there is any command is said to have no outcome.
 */
void oh_failure_message(
    const oh_failure *failure, const oh_node *node, const char *pool, oh_buffer *message);

/*
 * Appends a name of the configuration, which may hold any text: as the bytes of a server are shown.
 */
void oh_failure_append_name(oh_buffer *message, const char *bytes, size_t length);

#endif
