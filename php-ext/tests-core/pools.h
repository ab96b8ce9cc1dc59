/*
 * Server pools made by the tests themselves, of any size.
 */
#ifndef OH_TESTS_POOLS_H
#define OH_TESTS_POOLS_H

#include "core/topology/server_pool.h"

/* A ketama pool of `count` servers "n<i>" of weight 1. pool_free frees it. */
oh_server_pool pool_of(size_t count);
void pool_free(oh_server_pool *pool);

#endif
