/*
 * Exception: turns failures into OneHop's exceptions.
 */
#ifndef OH_PHP_EXCEPTION_H
#define OH_PHP_EXCEPTION_H

#include "php/base/zend.h"

#include "engine/failure/failure.h"

/*
 * The class of each kind, and their common parent OneHop\Exception. module/classes.c registers
 * them.
 */
extern zend_class_entry *oh_exception_class;
extern zend_class_entry *oh_exception_classes[OH_ERROR_KINDS_COUNT];

/*
 * Makes the exception of a failure; the caller throws it. `node` and `pool` may be NULL if the
 * failure concerns none. `previous`, if not NULL, becomes the previous exception; takes over its
 * reference.
 */
zend_object *oh_failure_exception(
    const oh_failure *failure, const oh_node *node, const char *pool, zend_object *previous);

/*
 * Makes a OneHop\Exception for a node's part of a batch that ended with an exception of phpredis or
 * of the script. That exception becomes the previous one; takes over its reference.
 */
zend_object *oh_failure_wrap(zend_object *foreign, const oh_node *node, const char *pool);

/* False if a failure says that its command was not sent. Other exceptions never say that. */
bool oh_failure_may_have_executed(zend_object *exception);

/* The name of the node in an exception made here; borrowed. NULL if it has none. */
zend_string *oh_failure_node(zend_object *exception);

/*
 * True if the pending exception is Zend's way to end the script (exit) or a fiber. It must not be
 * replaced.
 */
bool oh_is_script_ending(void);

/* Throws an exception made here, taking over its reference. */
void oh_failure_throw(zend_object *exception);

/* Makes and throws the exception of a failure that concerns no node. */
void oh_failure_throw_plain(oh_error_kind kind, const char *advice, const char *format, ...)
    ZEND_ATTRIBUTE_FORMAT(printf, 3, 4);

/*
 * Makes the exception of a batch that failed in part. Takes over `replies` and `failures` (node
 * name => exception). `failures` is empty if all nodes answered but the replies cannot be merged.
 * The message quotes `first`, one of the failures.
 */
zend_object *oh_failure_partial(
    zval *replies, zval *failures, zend_object *first, const char *pool);

#endif
