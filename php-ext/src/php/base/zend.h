/*
 * Zend as all of src/php includes it: PHP's own header, and in a thread-safe PHP the pointer
 * through which each thread finds its globals.
 */
#ifndef OH_PHP_ZEND_H
#define OH_PHP_ZEND_H

#include "php.h"

#if defined(ZTS) && defined(ONEHOP_IS_SHARED)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
