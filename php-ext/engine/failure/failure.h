/*
 * Failure: what went wrong, as a value first and as an exception last.
 *
 * A room that meets a failure fills an oh_failure: which kind (spec/errors.json), whether the command may have
 * executed, what happened and what the reader of the log should do. Only where the road ends is it turned into one of
 * the exceptions of OneHop, with the node and the server pool added. Bytes of a server reach a message escaped and cut;
 * passwords never do.
 */
#ifndef OH_ENGINE_FAILURE_H
#define OH_ENGINE_FAILURE_H

#include "php_onehop.h"

#include "core/generated/errors.h"
#include "core/topology/topology.h"

#define OH_FAILURE_TEXT_BYTES 640 /* A sentence of ours around OH_MESSAGE_BYTES_MAX bytes of a server, escaped. */

typedef struct oh_failure {
    oh_error_kind kind;
    oh_outcome outcome;
    const char *advice; /* What to do about it: a constant, no capital, no full stop. */
    char what[OH_FAILURE_TEXT_BYTES];
    char numbers[64]; /* Varying numbers: they end the message, so that logs can group by its beginning. */
} oh_failure;

/* The class of each kind, and their common parent OneHop\Exception; declared by classes. */
extern zend_class_entry *oh_exception_class;
extern zend_class_entry *oh_exception_classes[OH_ERROR_KINDS_COUNT];

/* Fills a failure; the format makes its `what`. */
void oh_failure_set(oh_failure *failure, oh_error_kind kind, oh_outcome outcome, const char *advice,
    const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 5, 6);

/* Fills `numbers`, which oh_failure_set leaves empty. */
void oh_failure_number(oh_failure *failure, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

/* Appends a text of ours to `what`, as far as there is room. */
void oh_failure_append(oh_failure *failure, const char *text);

/* Appends bytes that came from outside to `what`: control characters escaped, cut to the bound of spec/limits.json. */
void oh_failure_quote(oh_failure *failure, const char *bytes, size_t length);

/*
 * The exception of a failure, not yet thrown. `node` and `pool` may be NULL if none is to blame. `previous`, if not
 * NULL, becomes the previous exception; its reference is taken over.
 */
zend_object *oh_failure_exception(const oh_failure *failure, const oh_node *node, const char *pool,
    zend_object *previous);

/*
 * An OneHop\Exception about a node's part of a batch that ended in an exception of somebody else (phpredis, the
 * script), which becomes its previous one; its reference is taken over.
 */
zend_object *oh_failure_wrap(zend_object *foreign, const oh_node *node, const char *pool);

/* Whether the pending exception is Zend's way to end the script (exit) or a fiber: nothing may take its place. */
bool oh_is_script_ending(void);

/* Throws an exception made here, taking over its reference. */
void oh_failure_throw(zend_object *exception);

/* For failures that no node and no socket is part of. */
void oh_failure_throw_plain(oh_error_kind kind, const char *advice, const char *format, ...)
    ZEND_ATTRIBUTE_FORMAT(printf, 3, 4);

/*
 * The exception of a batch of which a part came back. `replies` and `failures` (node name => exception; none, if it is
 * only that replies cannot be one) are taken over; `first` is one of the failures, whose message is quoted.
 */
zend_object *oh_failure_partial(zval *replies, zval *failures, zend_object *first, const char *pool);

#endif
