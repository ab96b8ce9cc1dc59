/*
 * Failure: what went wrong, as a value.
 *
 * Code that meets a failure fills an oh_failure: the kind (spec/errors.json), whether the command
 * may have executed, what happened, and advice for the reader of the log. The message adds the node
 * and the server pool. Bytes from a server are escaped and cut. Passwords never get into a message.
 */
#ifndef OH_ENGINE_FAILURE_H
#define OH_ENGINE_FAILURE_H

#include "core/base/compiler.h"
#include "core/generated/errors.h"
#include "core/generated/limits.h"
#include "core/generated/messages.h"
#include "core/topology/topology.h"

#include "engine/base/buffer.h"

/*
 * Room for a sentence around OH_MESSAGE_BYTES_MAX escaped bytes of a server, and for
 * OH_CONFIG_ERRORS_MAX usual errors of a configuration.
 */
#define OH_FAILURE_TEXT_BYTES 1536

typedef struct oh_failure {
    oh_error_kind kind;
    oh_outcome outcome;
    bool has_no_command; /* There is no command, so the message does not say what became of it. */
    /*
     * The failure says nothing about the node: the node is there, or this process could not ask it.
     */
    bool says_nothing;
    uint32_t other_node; /* 1 + the node that failed, if it is not the called one; otherwise 0. */
    const char *advice;  /* What to do: a constant, without a capital or a full stop. */
    char what[OH_FAILURE_TEXT_BYTES];
    /*
     * Numbers that vary. They are at the end of the message, so that logs can be grouped by its
     * beginning.
     */
    char numbers[64];
} oh_failure;

/*
 * Fills a failure. A macro OH_SAY_... gives kind, advice and format; it comes from
 * spec/messages.json, so that all languages have the same messages.
 */
void oh_failure_set(oh_failure *failure, oh_outcome outcome, oh_error_kind kind, const char *advice,
    const char *format, ...) OH_FORMAT(5, 6);

/* Bytes from outside as a message shows them: an argument of oh_failure_set. */
typedef struct oh_quoted {
    char text[OH_MESSAGE_BYTES_MAX + 1];
} oh_quoted;

/* Escapes control characters and cuts; returns quoted->text. */
const char *oh_quote(oh_quoted *quoted, const void *bytes, size_t length);

/* Like oh_quote, for a name or a key, whose beginning is enough. */
const char *oh_quote_name(oh_quoted *quoted, const void *bytes, size_t length);

/*
 * Like oh_quote, for a path or the name of a pool. Shows only as many of the first bytes as can be
 * one.
 */
const char *oh_quote_path(oh_quoted *quoted, const char *path, size_t length);

/* Fills `numbers`, which oh_failure_set leaves empty. */
void oh_failure_number(oh_failure *failure, const char *format, ...) OH_FORMAT(2, 3);

/* Fills a failure for lack of memory in this process. No node caused it. */
void oh_failure_set_no_memory(oh_failure *failure, oh_outcome outcome);

/* Appends our own text to `what`, as far as there is room. */
void oh_failure_append(oh_failure *failure, const char *text);

/* Appends bytes from outside to `what`, escaped, and cut to OH_MESSAGE_BYTES_MAX. */
void oh_failure_quote(oh_failure *failure, const char *bytes, size_t length);

/* Like oh_failure_quote, for a name or a key, whose beginning is enough. */
void oh_failure_show(oh_failure *failure, const void *bytes, size_t length);

/* The name of a kind and the phrase of an outcome, the same in all languages. */
const char *oh_failure_kind_name(oh_error_kind kind);
const char *oh_failure_outcome_phrase(oh_outcome outcome);

/*
 * Appends the whole message. `node` and `pool` are NULL if the failure concerns none. The message
 * of a refused configuration, of a constructor, or of a method that is never served has no outcome.
 */
void oh_failure_message(
    const oh_failure *failure, const oh_node *node, const char *pool, oh_buffer *message);

/*
 * Appends a name of the configuration. It may hold any text, so it is escaped like the bytes of a
 * server.
 */
void oh_failure_append_name(oh_buffer *message, const char *bytes, size_t length);

#endif
