/*
 * Builds a pool as config would: names in order, and weights that do not overflow.
 */
#include "pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 24

oh_server_pool pool_of(size_t count)
{
    oh_server_pool pool = {
        .name = {"made", 4}, .hash = OH_HASH_FNV1A_64, .distribution = OH_KETAMA};
    pool.servers = calloc(count, sizeof *pool.servers);
    pool.servers_count = count;
    for (size_t i = 0; i < count; i++) {
        char *name = malloc(NAME_BYTES);
        int length = snprintf(name, NAME_BYTES, "n%zu", i);
        oh_text text = {name, (size_t)length};
        pool.servers[i] = (oh_server){.name = text, .host = text, .port = 6379, .weight = 1};
    }
    return pool;
}

void pool_free(oh_server_pool *pool)
{
    for (size_t i = 0; i < pool->servers_count; i++) {
        free((char *)(uintptr_t)pool->servers[i].name.bytes);
    }
    free(pool->servers);
}
