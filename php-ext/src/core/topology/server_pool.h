/*
 * Server pool: the plain data of one pool of the configuration, every directive with a value.
 *
 * config makes it. topology reads it (where keys live), and so does the client above (how nodes are
 * reached). It is plain data: code that fills one by hand must obey the comments.
 *
 * Implements spec/config, the table of directives.
 */
#ifndef OH_SERVER_POOL_H
#define OH_SERVER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/slice.h"
#include "core/generated/directives.h"
#include "core/generated/limits.h"
#include "core/hash/hash.h"
#include "core/placement/foreign.h"

/*
 * How a hash becomes a node, named as in the configuration. OH_SLOTS is that of a Redis Cluster;
 * the configuration has no name for it. The order is part of the topology's layout.
 */
typedef enum oh_distribution {
    OH_KETAMA,
    OH_MODULA,
    OH_RANDOM,
    OH_REDIS_ARRAY,
    OH_REDIS_ARRAY_CONSISTENT,
    OH_SHARDED_JEDIS,
    OH_SHARDED_JEDIS_2_9,
    OH_JEDIS_SHARDING,
    OH_PREDIS_HASHRING,
    OH_LIBMEMCACHED_CONSISTENT,
    OH_SPYMEMCACHED,
    OH_CODIS,
    OH_SLOTS,
    OH_DISTRIBUTIONS_COUNT
} oh_distribution;

/* The row of a distribution that is another client's; NULL for all others. */
extern const oh_foreign *const oh_foreigns[OH_DISTRIBUTIONS_COUNT];
static inline const oh_foreign *oh_foreign_of(oh_distribution distribution)
{
    return oh_foreigns[distribution];
}

/* The name of a distribution as the configuration spells it; a constant string. */
const char *oh_distribution_name(oh_distribution distribution);

/*
 * The role of a node. In a pool that is not a Redis Cluster each server is a master, and a node
 * that follows a server is a replica. The order is part of the topology's layout.
 */
typedef enum oh_role {
    OH_MASTER,  /* Has slots, or keys. */
    OH_REPLICA, /* Follows a master. */
    /*
     * A master without slots. It is known so that a redirect to it can be followed, and is used for
     * nothing else.
     */
    OH_SPARE,
    /*
     * No longer a node. Its entry stays until another node takes its index, so that all nodes after
     * it keep theirs.
     */
    OH_GONE,
    OH_ROLES_COUNT
} oh_role;

const char *oh_role_name(oh_role role);

/* Which nodes answer reads, in the order of oh_read_from_name. */
typedef enum oh_read_from {
    OH_READ_MASTER,
    OH_READ_PREFER_MASTER,
    OH_READ_PREFER_REPLICA,
    OH_READ_REPLICA,
    OH_READ_LOWEST_LATENCY,
    OH_READ_SAME_ZONE,
    OH_READ_FROMS_COUNT
} oh_read_from;

/* As the configuration spells it; a constant string. */
const char *oh_read_from_name(oh_read_from read_from);

/* What is checked of a node's certificate, in the order of oh_tls_verify_name. */
typedef enum oh_tls_verify {
    OH_TLS_FULL, /* Its chain, and the node's name. */
    OH_TLS_CA,   /* Its chain. */
    OH_TLS_NONE,
    OH_TLS_VERIFIES_COUNT
} oh_tls_verify;

/* As the configuration spells it; a constant string. */
const char *oh_tls_verify_name(oh_tls_verify verify);

/* The directives tls and tls_*. All paths are absolute. A text that is not set is absent. */
typedef struct oh_tls_settings {
    bool is_on;
    oh_tls_verify verify;
    oh_text ca_cert_file; /* Absent: the authorities that the system trusts. */
    oh_text cert_file;    /* The client's certificate; present if and only if its key is. */
    oh_text key_file;
    oh_text key_file_pass; /* Must never appear in a message. */
    oh_text server_name;   /* Absent: the host of each node, as written. */
} oh_tls_settings;

/*
 * A flag in an entry of a table of slots: no node has the slot, and the node of the entry stands
 * in.
 */
#define OH_SLOT_UNSERVED 0x8000u

/* Looks an environment variable up: getenv, or a test's own. NULL if it is not set. */
typedef char *(*oh_variable)(const char *name);

typedef struct oh_server {
    /* The name for placement: the given one, or one made from the address (spec/config). */
    oh_text name;
    oh_text host;    /* As spelled, not resolved; absent for a unix socket. */
    oh_text path;    /* Of a unix socket; otherwise absent. */
    uint16_t port;   /* 0 for a unix socket. */
    uint32_t weight; /* 1 or more; the sum in a pool is at most OH_WEIGHTS_SUM_MAX. */
    uint32_t line;   /* 1-based line of the file, for messages. */
    uint32_t order;  /* Its position in the file, from 0; only config sets it. */
    bool is_named;   /* The name is a given one. */
    oh_text slots;   /* codis: OH_SHARD_SLOTS_BYTES of bits; otherwise absent. */

    uint16_t master; /* Of a replica: the index of the node it follows. */
    oh_role role;

    bool is_near; /* It is in the pool's zone. */

    /*
     * Of a node of a Redis Cluster: the cluster's name for it, whatever its address. Of a master
     * that Sentinels watch: the epoch of its address. Of a host of `host_zones`: its zone.
     * Otherwise absent.
     */
    oh_text id;
    bool is_failing; /* A Redis Cluster reports it as failing, or as still loading. */
    bool is_loading; /* It is still loading. */
} oh_server;

/* The zone of a server pool, and the hosts that are in it (spec/config/config.md, section 7). */
typedef struct oh_zone {
    oh_text name;  /* Absent if the pool has none. */
    oh_text hosts; /* "HOST HOST ...", shorter ones first; absent if none. */
} oh_zone;

/* True if the zone has this host: it is one of `hosts`, or has the zone's name as a label. */
bool oh_zone_has(const oh_zone *zone, oh_text host);

typedef struct oh_server_pool {
    oh_text name;
    uint32_t line;
    /*
     * The environment variables that its values used, separated by blanks; absent if none. A
     * process in which one of them has another value has another pool.
     */
    oh_text variables;
    /* A digest of their values, for images (topology_image.h). config leaves it empty. */
    uint8_t variables_digest[16];
    /* The value of one of the secrets is in the configuration, and no variable is in that value. */
    bool is_password_in_text;
    /*
     * The beginning of the fingerprint of the configured server pool. The pool of a map keeps that
     * one. It is set when the pool is read from an image; config leaves it 0.
     */
    uint32_t fingerprint;

    /*
     * The servers in nutcracker's order: shorter names first, then by bytes. Their replicas follow
     * in the same order; placement does not use them. Under the distribution of another client the
     * servers are in the order of the file. A node's index is its position here.
     */
    oh_server *servers;
    size_t servers_count;
    /*
     * The ring that keys move from: its servers and how they are placed, nothing else. NULL if
     * there is none. Also NULL in the pool of an image: there the topology has the old ring.
     */
    const struct oh_server_pool *old_ring;
    size_t old_nodes_count; /* How many of `servers`, the last ones, are only in that ring. */
    /*
     * "host:port host:port ...", shorter ones first, absent if none. If there are Sentinels, the
     * names of `servers` are Sentinel's names of masters.
     */
    oh_text sentinels;

    /* Of a Redis Cluster. */
    /* OH_SLOTS_COUNT indexes of servers, each perhaps with OH_SLOT_UNSERVED; NULL: not known. */
    const uint16_t *slots;
    uint64_t epoch; /* The cluster's epoch when it named these slots. */

    /* The values of all other directives. Those of times are in milliseconds. */
    oh_tls_settings tls;
    oh_zone zone; /* For OH_READ_SAME_ZONE; otherwise absent. */
    OH_DIRECTIVE_MEMBERS
} oh_server_pool;

/*
 * The secrets: the texts that leave a process neither in a message nor in an image. A secret that
 * is not set is absent here, too.
 */
#define X(member) +1
enum { OH_SECRETS_COUNT = 0 OH_SECRETS(X) };
#undef X
typedef struct oh_secret_texts {
    oh_text each[OH_SECRETS_COUNT];
} oh_secret_texts;
oh_secret_texts oh_server_pool_secrets(const oh_server_pool *pool);
void oh_server_pool_set_secrets(oh_server_pool *pool, const oh_secret_texts *secrets);

/* The database a pool means on a TCP node: `database` if set, otherwise `redis_db`. */
uint32_t oh_server_pool_database(const oh_server_pool *pool);

/* True if replicas may answer reads, so that they must be known. */
static inline bool oh_server_pool_asks_replicas(const oh_server_pool *pool)
{
    return pool->read_from != OH_READ_MASTER;
}

/*
 * In a pool that is not a Redis Cluster: how many of `servers` placement knows. These come first,
 * before the replicas and before the servers that only the old ring has. The function visits every
 * replica.
 */
size_t oh_server_pool_count_masters(const oh_server_pool *pool);

bool oh_server_has_address_of(const oh_server *a, const oh_server *b);

/* nutcracker's order of names: shorter ones first, equal lengths by unsigned bytes. */
int oh_server_compare_names(oh_text a, oh_text b);

/*
 * The Sentinels as servers, each named by its address, in order. Returns how many. `sentinels` has
 * room for OH_POOL_SENTINELS_MAX. Their texts are slices without a NUL.
 */
size_t oh_server_pool_sentinels(const oh_server_pool *pool, oh_server *sentinels);

/*
 * Connection name: what a connection is called in a node's CLIENT LIST. It tells operators which
 * server pool uses the connection, and by which version of its configuration. With a NUL.
 *
 * Implements spec/wire, section 8.
 */
#define OH_CONNECTION_NAME_BYTES                                                                   \
    (OH_CLIENT_NAME_BYTES_MAX + OH_POOL_NAME_BYTES_MAX + sizeof "::01234567")

/* Writes the name for the connections of a server pool that was read from an image. */
void oh_connection_name_write(const oh_server_pool *pool, char name[OH_CONNECTION_NAME_BYTES]);

#endif
