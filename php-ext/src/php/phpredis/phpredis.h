/*
 * Phpredis: the classes, version, methods and constants of the loaded phpredis.
 */
#ifndef OH_PHP_PHPREDIS_H
#define OH_PHP_PHPREDIS_H

#include "php/base/zend.h"

extern zend_class_entry *oh_phpredis_class;           /* \Redis */
extern zend_class_entry *oh_phpredis_exception_class; /* \RedisException */

/* Finds the classes. Returns false if phpredis is not loaded. */
bool oh_phpredis_find(void);

/* True if the loaded phpredis is older than this version. */
bool oh_phpredis_is_before(const char *version);

/* A method of \Redis; `name` is in lower case. */
zend_function *oh_phpredis_method(const char *name);

/* An integer constant of \Redis; -1 if this phpredis does not have it. */
zend_long oh_phpredis_constant(const char *name);

#endif
