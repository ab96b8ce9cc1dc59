/*
 * Phpredis: the one that is loaded: its classes, its version, and what is looked up there by name.
 */
#ifndef OH_PHP_PHPREDIS_H
#define OH_PHP_PHPREDIS_H

#include "php_onehop.h"

extern zend_class_entry *oh_phpredis_class;           /* \Redis */
extern zend_class_entry *oh_phpredis_exception_class; /* \RedisException */

/* Finds the classes. False: phpredis is not there. */
bool oh_phpredis_find(void);

/* Whether it is older than this version. */
bool oh_phpredis_is_before(const char *version);

/* A method of \Redis; its name is in small letters. */
zend_function *oh_phpredis_method(const char *name);

/* A number among the constants of \Redis; -1: this phpredis has none of that name. */
zend_long oh_phpredis_constant(const char *name);

#endif
