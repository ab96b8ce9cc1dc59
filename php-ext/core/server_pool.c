/*
 * The little that plain data can answer by itself.
 */
#include "server_pool.h"

const char *oh_distribution_name(oh_distribution distribution)
{
    static const char *const names[OH_DISTRIBUTIONS_COUNT] = {
        [OH_KETAMA] = "ketama",
        [OH_MODULA] = "modula",
        [OH_RANDOM] = "random",
    };
    return names[distribution];
}

uint32_t oh_pool_database(const oh_pool *pool)
{
    return pool->has_database ? pool->database : pool->redis_db;
}
