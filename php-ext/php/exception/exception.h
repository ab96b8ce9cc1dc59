/*
 * Exception: OneHop's exceptions, made of failures where the road ends.
 */
#ifndef OH_PHP_EXCEPTION_H
#define OH_PHP_EXCEPTION_H

#include "php_onehop.h"

#include "engine/failure/failure.h"

/* The class of each kind, and their common parent OneHop\Exception; declared by classes. */
extern zend_class_entry *oh_exception_class;
extern zend_class_entry *oh_exception_classes[OH_ERROR_KINDS_COUNT];

/*
 * The exception of a failure, not yet thrown. `node` and `pool` may be NULL if none is to blame.
 * `previous`, if not NULL, becomes the previous exception; its reference is taken over.
 */
zend_object *oh_failure_exception(
    const oh_failure *failure, const oh_node *node, const char *pool, zend_object *previous);

/*
 * An OneHop\Exception for a node's part of a batch that ended in a foreign exception: one of
 * phpredis or of the script. That one becomes the previous exception; its reference is taken over.
 */
zend_object *oh_failure_wrap(zend_object *foreign, const oh_node *node, const char *pool);

/*
 * Whether the pending exception is Zend's way to end the script (exit) or a fiber: nothing may take
 * its place.
 */
bool oh_is_script_ending(void);

/* Throws an exception made here, taking over its reference. */
void oh_failure_throw(zend_object *exception);

/* For failures that no node and no socket is part of. */
void oh_failure_throw_plain(oh_error_kind kind, const char *advice, const char *format, ...)
    ZEND_ATTRIBUTE_FORMAT(printf, 3, 4);

/*
 * The exception of a batch of which a part came back. `replies` and `failures` (node name =>
 * exception; none, if it is only that replies cannot be one) are taken over; `first` is one of the
 * failures, whose message is quoted.
 */
zend_object *oh_failure_partial(
    zval *replies, zval *failures, zend_object *first, const char *pool);

#endif
