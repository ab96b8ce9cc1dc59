/*
 * The module's globals are defined here, beneath everything that reads them.
 */
#include "php/base/settings.h"

ZEND_DECLARE_MODULE_GLOBALS(onehop)

#if defined(ZTS) && defined(ONEHOP_IS_SHARED)
ZEND_TSRMLS_CACHE_DEFINE()
#endif
