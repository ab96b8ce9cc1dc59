/*
 * A configuration without a file: directives in an array, or in a DSN, become the text that the
 * parser of files reads. So there is one parser, and one place that checks.
 *
 *     onehop:///etc/onehop.yml?pool=shop                          a file
 *     onehop://user:password@10.0.0.1:6379,10.0.0.2:6379?cluster=true  its servers and directives
 *
 * Values from a program are taken literally: `${` in them does not begin a variable.
 */
#ifndef OH_PHP_CONFIGURATION_TEXT_H
#define OH_PHP_CONFIGURATION_TEXT_H

#include "php/base/zend.h"

#include "core/base/slice.h"

/*
 * The text of a server pool with these directives. `engine: redis` is added if there is no engine,
 * so that it is a OneHop pool. NULL after it has thrown: a value is neither a text nor a number nor
 * a boolean, or, of `servers`, an array of texts.
 */
zend_string *oh_configuration_of_array(const zend_string *name, const HashTable *directives);

/* What a DSN says. The caller releases what is not NULL. */
typedef struct oh_dsn {
    zend_string *pool; /* NULL if it does not say. */
    zend_string *path; /* Of the file; otherwise NULL. */
    zval directives;   /* Of the server pool, as an array; undefined with a file. */
} oh_dsn;

bool oh_dsn_is(const zend_string *text);

/* False after it has thrown ConfigInvalid. The message does not show the DSN. */
bool oh_dsn_read(oh_dsn *dsn, const zend_string *text);
void oh_dsn_free(oh_dsn *dsn);

#endif
