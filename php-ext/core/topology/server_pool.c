/* Names of a server pool's enums, and the database it means. */
#include "core/topology/server_pool.h"

const char *oh_distribution_name(oh_distribution distribution)
{
    static const char *const names[OH_DISTRIBUTIONS_COUNT] = {
        [OH_KETAMA] = "ketama",
        [OH_MODULA] = "modula",
        [OH_RANDOM] = "random",
        [OH_SLOTS] = "slots",
    };
    return names[distribution];
}

const char *oh_role_name(oh_role role)
{
    static const char *const names[OH_ROLES_COUNT] = {
        [OH_MASTER] = "master",
        [OH_REPLICA] = "replica",
        [OH_SPARE] = "spare",
        [OH_GONE] = "gone",
    };
    return names[role];
}

const char *oh_read_from_name(oh_read_from read_from)
{
    static const char *const names[OH_READ_FROMS_COUNT] = {
        [OH_READ_MASTER] = "master",
        [OH_READ_PREFER_REPLICA] = "prefer_replica",
        [OH_READ_REPLICA] = "replica",
        [OH_READ_LOWEST_LATENCY] = "lowest_latency",
        [OH_READ_SAME_ZONE] = "same_zone",
    };
    return names[read_from];
}

uint32_t oh_server_pool_database(const oh_server_pool *pool)
{
    return pool->has_database ? pool->database : pool->redis_db;
}
