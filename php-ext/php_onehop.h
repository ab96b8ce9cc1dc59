/*
 * The OneHop extension as Zend sees it: its name, its version, its globals, its classes.
 *
 * The rooms behind it, in the order of the road: client (the object a user holds), methods (which of phpredis'
 * methods goes which way), route (one key, one node), split and batch (many keys, many nodes), transaction (one
 * connection, held), scatter (all of them at once), lane and transport (phpredis on a stream of ours), exchange (bytes
 * out, replies in), pool and connection (sockets that outlive requests), source (the configuration file; with snapshot,
 * reading and segment: what of it all workers share). failure makes exceptions of what went wrong.
 */
#ifndef PHP_ONEHOP_H
#define PHP_ONEHOP_H

#include "php.h"

#define PHP_ONEHOP_VERSION "0.1.0"

/* See script.h. */
typedef struct oh_scripts {
    HashTable by_digest; /* 40 hexadecimal digits ─► body, the oldest first. */
    HashTable bodies;    /* body ─► its digest, so that a body is digested once. */
} oh_scripts;

extern zend_module_entry onehop_module_entry;
#define phpext_onehop_ptr &onehop_module_entry

ZEND_BEGIN_MODULE_GLOBALS(onehop)
    char *config;                    /* onehop.config: the file that is read if a constructor names none. */
    zend_long shared_memory;         /* onehop.shared_memory: bytes of the segment; 0: none. */
    zend_long max_nodes;             /* onehop.max_nodes: nodes that the segment has room for. */
    char *pool_scope;                /* onehop.pool_scope: host or process. */
    oh_scripts scripts;              /* script: bodies that this process has seen, by their digest. */
ZEND_END_MODULE_GLOBALS(onehop)

ZEND_EXTERN_MODULE_GLOBALS(onehop)
#define OHG(name) ZEND_MODULE_GLOBALS_ACCESSOR(onehop, name)

#if defined(ZTS) && defined(ONEHOP_IS_SHARED)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
