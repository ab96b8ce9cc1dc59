/*
 * Configuration: finds the server pool that a script names, in the configuration it names or in the
 * default one.
 */
#ifndef OH_PHP_CONFIGURATION_H
#define OH_PHP_CONFIGURATION_H

#include "php/base/zend.h"

#include "engine/snapshot/snapshot.h"

/*
 * Returns a counted reference to a server pool. Of the two last arguments at most one is not NULL.
 * On failure returns NULL and throws.
 *
 *     name a DSN              what it names
 *     `directives`            a server pool with them
 *     `from`                  a DSN; a text: it has a newline and does not begin with /; a path
 *     neither                 onehop.config, which is like `from`
 */
oh_snapshot *oh_configuration_take(
    const zend_string *name, const zend_string *from, const HashTable *directives);

/* True if `from` is the path of a file. Anything else may hide a password and is never shown. */
bool oh_configuration_is_path(const zend_string *from);

#endif
