/*
 * The OneHop extension as Zend sees it: its name, its version, its settings.
 *
 * Its rooms, the lowest first: exception (what went wrong, as PHP throws it), client (the object a
 * user holds, and its mode), phpredis (its methods, and its objects on streams of ours), call (what
 * a call is about, and where it goes), scatter (several nodes at once), batch, transaction, fleet
 * (what is about no key), route (the handlers of all commands), subscription, session, userland
 * (OneHop's own classes), module. Beneath them lies the engine.
 */
#ifndef PHP_ONEHOP_H
#define PHP_ONEHOP_H

#include "php.h"

#define PHP_ONEHOP_VERSION "0.1.0"

extern zend_module_entry onehop_module_entry;
#define phpext_onehop_ptr &onehop_module_entry

ZEND_BEGIN_MODULE_GLOBALS(onehop)
/* onehop.config: the file that is read if a constructor names none. */
char *config;
zend_long shared_memory; /* onehop.shared_memory: bytes of the segment; 0: none. */
zend_long max_nodes;     /* onehop.max_nodes: nodes that the segment has room for. */
char *pool_scope;        /* onehop.pool_scope: host or process. */
ZEND_END_MODULE_GLOBALS(onehop)

ZEND_EXTERN_MODULE_GLOBALS(onehop)
#define OHG(name) ZEND_MODULE_GLOBALS_ACCESSOR(onehop, name)

#if defined(ZTS) && defined(ONEHOP_IS_SHARED)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
