/*
 * The settings of php.ini. They are the globals of the module: in a thread-safe PHP each thread has
 * its own. php/module registers them.
 */
#ifndef OH_PHP_SETTINGS_H
#define OH_PHP_SETTINGS_H

#include "php/base/zend.h"

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

#endif
