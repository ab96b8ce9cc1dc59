/*
 * Configuration: finds the server pool that a script names, in the configuration it names or in the
 * default one.
 */
#ifndef OH_PHP_CONFIGURATION_H
#define OH_PHP_CONFIGURATION_H

#include "core/base/slice.h"

#include "php/base/zend.h"

#include "engine/snapshot/snapshot.h"

/*
 * Returns a counted reference to a server pool. At least one of the last two arguments is NULL. On
 * failure returns NULL and throws.
 *
 *     `name` is a DSN         the server pool that the DSN names
 *     `directives`            a server pool with these directives
 *     `from`                  a DSN; or a text, which does not begin with / and has a newline, `{`
 *                             or `: `; or the path of a file
 *     none of them            onehop.config, which is like `from`
 */
oh_snapshot *oh_configuration_take(
    const zend_string *name, const zend_string *from, const HashTable *directives);

/* True if `from` is the path of a file. Anything else may hide a password and is never shown. */
bool oh_configuration_is_path(const zend_string *from);

/*
 * The text of a server pool with these directives. `engine: redis` is added if there is no engine,
 * so that it is a OneHop pool. Throws and returns NULL if a value is neither a text nor a number
 * nor a boolean; `servers` may also be an array of texts.
 */
zend_string *oh_configuration_of_array(const zend_string *name, const HashTable *directives);

/* What a DSN says. The caller releases what is not NULL. */
typedef struct oh_dsn {
    zend_string *pool; /* NULL if it does not name one. */
    zend_string *path; /* The path of the file; NULL without a file. */
    zval directives;   /* The server pool's, as an array; undefined with a file. */
} oh_dsn;

bool oh_dsn_is(const zend_string *text);

/* Returns false and throws ConfigInvalid if it is wrong. The message does not show the DSN. */
bool oh_dsn_read(oh_dsn *dsn, const zend_string *text);
void oh_dsn_free(oh_dsn *dsn);

#endif
