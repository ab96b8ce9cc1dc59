/*
 * Client: the object behind OneHop\Redis.
 *
 *     client ── snapshot (file, server pool, topology, connections of each node)
 *        ├───── node clients, one for each node that was used
 *        ├───── options and prefix, the same on every node client
 *        ├───── mode: whether a call is sent now, queued in a pipeline, or in a transaction
 *        ├───── batch: what was queued since pipeline()
 *        ├───── transaction: the node client that multi() or watch() reserved
 *        └───── subscription: while subscribe() has not returned
 *
 * It lies before Zend's object in this layout. So a method of phpredis that is called on it
 * directly (by reflection) finds what looks like its own unconnected object:
 *
 *     [ oh_client ][ zeroes, as many bytes as phpredis keeps there ][ zend_object ]
 */
#ifndef OH_PHP_CLIENT_H
#define OH_PHP_CLIENT_H

#include "engine/redirects/read_from.h"
#include "engine/snapshot/snapshot.h"
#include "php/client/mode.h"

struct oh_batch;
struct oh_node_client;
struct oh_subscription;
struct oh_transaction;

typedef struct oh_client {
    oh_snapshot *snapshot;       /* NULL: the constructor has not run, or failed. */
    const oh_topology *topology; /* What keys are placed by: the snapshot's, or that of the ring. */
    oh_live_ring *ring;          /* Held. NULL: no node is ejected. */
    struct oh_node_client **node_clients; /* By index of the node; NULL where none is open. */
    zend_string *prefix; /* OPT_PREFIX: a part of every key, also for placement. NULL: none. */
    HashTable *options;  /* What setOption() was given, for later node clients. NULL: nothing. */
    struct oh_node_client
        *last_error_client; /* The node client that met the last error reply; for getLastError(). */
    uint32_t timeout_ms;    /* The deadline of a call: the pool's, or that of OPT_READ_TIMEOUT. */
    /* OPT_READ_TIMEOUT was set: then it also bounds the wait for a message. */
    bool has_read_timeout;
    /* Which node has answered the last read that a master was not asked for. */
    uint32_t last_read_node;
    /* Which node is asked what every node can answer: one that was up the last time. */
    uint32_t any_node;
    bool never_repeats; /* OPT_MAX_RETRIES is 0. */
    bool packs_by_php;  /* OPT_SERIALIZER is that of PHP. */
    /* OPT_SCAN has SCAN_RETRY: answers without keys that are not the last are not shown. */
    bool retries_scan;
    bool is_closed; /* close() was the last thing that happened. */
    oh_mode_kind mode;
    struct oh_batch *batch;               /* NULL: no pipeline is open. */
    struct oh_transaction *transaction;   /* NULL: none is open, and no WATCH stands. */
    struct oh_subscription *subscription; /* Going on, or NULL. */
} oh_client;

extern zend_class_entry *oh_client_class; /* OneHop\Redis */
extern zend_object_handlers oh_client_handlers;

static inline oh_client *oh_client_of(zend_object *object)
{
    return (oh_client *)((char *)object - oh_client_handlers.offset);
}

static inline zend_object *oh_client_object(oh_client *client)
{
    return (zend_object *)((char *)client + oh_client_handlers.offset);
}

/* What becomes of its calls. */
static inline const oh_mode *oh_client_mode(const oh_client *client)
{
    return &oh_modes[client->mode];
}

/* Between multi() and exec() or discard(). */
static inline bool oh_client_is_in_transaction(const oh_client *client)
{
    return client->mode == OH_MULTI || client->mode == OH_PIPED_MULTI;
}

/* Whether SELECT of a database has nothing to do and may say so: queued it would owe a reply. */
static inline bool oh_client_is_selected(const oh_client *client, zend_long database)
{
    return client->mode == OH_ATOMIC && database == oh_server_pool_database(client->snapshot->pool);
}

/* Places keys by this ring, or by the snapshot's topology if it is NULL. */
void oh_client_place_by(oh_client *client, oh_live_ring *ring);

/* The home of a key as nodes name it. */
static inline uint32_t oh_client_home_of(const oh_client *client, const uint8_t *key, size_t length)
{
    return client->snapshot->cluster ? oh_key_slot((oh_bytes){key, length})
                                     : oh_topology_locate(client->topology, key, length);
}

/* The home, or the node, of a key as the caller names it: the prefix is put in front. */
uint32_t oh_client_home(const oh_client *client, const zend_string *key);
uint32_t oh_client_locate(const oh_client *client, const zend_string *key);

/* The text of a key argument, converted in place. NULL and a TypeError if it is none. */
zend_string *oh_client_key(zend_execute_data *execute_data, zval *argument, uint32_t position);

/* Whether reads of this command, called now, may go to other nodes than their master. */
static inline bool oh_client_may_read_elsewhere(const oh_client *client, const oh_command *command)
{
    return oh_read_from_applies(client->snapshot, command) && !oh_client_is_in_transaction(client);
}

/*
 * The node that answers a read, in the place of its master. False and an exception: there is none.
 */
bool oh_client_choose_replica(oh_client *client, uint32_t *node);

#endif
