/*
 * Client: the object behind OneHop\Redis.
 *
 *     client ── snapshot (file, server pool, topology, connections of each node)
 *        ├───── lanes, one per node that has been spoken to
 *        ├───── options and prefix, the same on every lane
 *        ├───── batch: what was queued since pipeline()
 *        ├───── subscription: while subscribe() has not returned
 *        └───── transaction: the lane that multi() or watch() reserved
 *
 * It is laid out in front of Zend's object like this, so that a method of phpredis that is called on it behind our back
 * (by reflection) finds what it takes for its own unconnected object:
 *
 *     [ oh_client ][ zeroes, as many bytes as phpredis keeps there ][ zend_object ]
 */
#ifndef OH_PHP_CLIENT_H
#define OH_PHP_CLIENT_H

#include "php/batch/batch.h"
#include "php/phpredis/lane.h"
#include "engine/redirects/readers.h"
#include "engine/snapshot/snapshot.h"
#include "php/transaction/transaction.h"

typedef struct oh_client {
    oh_snapshot *snapshot; /* NULL: the constructor has not run, or failed. */
    const oh_topology *topology; /* What keys are placed by: the snapshot's, or that of the ring. */
    oh_ring *ring;         /* Held. NULL: no node is ejected. */
    oh_lane **lanes;       /* By index of the node; NULL where none is open. */
    zend_string *prefix;   /* OPT_PREFIX: a part of every key, also for placement. NULL: none. */
    HashTable *options;    /* What setOption() was told, for lanes to come. NULL: nothing. */
    oh_lane *refused;      /* The lane that met the last error reply; for getLastError(). */
    uint32_t timeout_ms;   /* The deadline of a call: the pool's, or that of OPT_READ_TIMEOUT. */
    bool has_read_timeout; /* OPT_READ_TIMEOUT was set: then it also bounds the wait for a message. */
    uint32_t last_reader;  /* Which node has answered the last read that a master was not asked for. */
    uint32_t any_node;     /* Which node is asked what every node can answer: one that was up the last time. */
    bool never_repeats;    /* OPT_MAX_RETRIES is 0. */
    bool packs_by_php;     /* OPT_SERIALIZER is that of PHP. */
    bool is_closed;        /* close() was the last thing that happened. */
    oh_batch batch;
    struct oh_subscription *subscription; /* Going on, or NULL. */
    oh_transaction transaction;
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

/*
 * The client whose method is being called, placing keys by what is true now, unless it is in the middle of something.
 * NULL and an exception if it was never constructed.
 */
oh_client *oh_client_this(zend_execute_data *execute_data);

/* The object is of a Redis Cluster: between its calls it moves on to the newest map. */
void oh_client_follow_map(oh_client *client);

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

/* Between multi() and exec() or discard(). */
static inline bool oh_transaction_is_open(const oh_client *client)
{
    return client->transaction.is_open;
}

/* Whether reads of this command, called now, may go to other nodes than their master. */
static inline bool oh_client_may_read_elsewhere(const oh_client *client, const oh_command *command)
{
    return oh_readers_may_answer(client->snapshot, command) && !oh_transaction_is_open(client);
}

/* The node that answers a read, in the place of its master. False and an exception: there is none. */
bool oh_client_choose_reader(oh_client *client, uint32_t *node);

/* Closes every lane. Whatever was queued is forgotten. */
void oh_client_close_lanes(oh_client *client);

/* create_object of OneHop\Redis. */
zend_object *oh_client_create(zend_class_entry *class);

#endif
