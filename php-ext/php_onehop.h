/*
 * The OneHop extension as Zend sees it: its name, its version, its settings.
 *
 * The folders of src/php, the lowest layer first: exception (failures as PHP exceptions), client
 * (the object a user holds, and its mode), phpredis (its methods, and its objects on our streams),
 * call (the keys, the command and the node of a call), scatter (several nodes in parallel), batch,
 * transaction, fleet (commands without a key), route (the handlers of all commands), subscription,
 * session, userland (OneHop's own classes), module. The engine lies beneath them.
 */
#ifndef PHP_ONEHOP_H
#define PHP_ONEHOP_H

#include "php.h"

#define PHP_ONEHOP_VERSION "0.1.0-dev"

extern zend_module_entry onehop_module_entry;
#define phpext_onehop_ptr &onehop_module_entry

ZEND_BEGIN_MODULE_GLOBALS(onehop)
/* onehop.config: the file to read if a constructor names none. */
char *config;
zend_long shared_memory; /* onehop.shared_memory: bytes of the shared segment; 0 disables it. */
zend_long max_nodes;     /* onehop.max_nodes: how many nodes the segment has room for. */
char *pool_scope;        /* onehop.pool_scope: host or process. */
bool express_lane;       /* onehop.express_lane: hot methods may be served without phpredis. */
ZEND_END_MODULE_GLOBALS(onehop)

ZEND_EXTERN_MODULE_GLOBALS(onehop)
#define OHG(name) ZEND_MODULE_GLOBALS_ACCESSOR(onehop, name)

#if defined(ZTS) && defined(ONEHOP_IS_SHARED)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
