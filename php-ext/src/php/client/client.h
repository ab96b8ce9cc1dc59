/*
 * Client: the object behind OneHop\Redis.
 *
 *     client ── snapshot (file, server pool, topology, connections of each node)
 *        ├───── node clients, one for each node used so far
 *        ├───── options and prefix, the same on every node client
 *        ├───── mode: calls are sent immediately, queued in a pipeline, or in a transaction
 *        ├───── batch: the commands queued since pipeline()
 *        ├───── transaction: the node client that multi() or watch() reserved
 *        └───── subscription: while subscribe() has not returned
 *
 * In memory, a client lies before its Zend object. The gap between them holds zeroes, so a phpredis
 * method that is called on the object directly (by reflection) sees an unconnected \Redis:
 *
 *     [ oh_client ][ zeroes, as many bytes as phpredis keeps there ][ zend_object ]
 */
#ifndef OH_PHP_CLIENT_H
#define OH_PHP_CLIENT_H

#include "engine/failure/failure.h"
#include "engine/snapshot/read_from.h"
#include "engine/snapshot/snapshot.h"
#include "php/base/settings.h"
#include "php/base/zend.h"

struct oh_batch;
struct oh_call;
struct oh_client;
struct oh_node_client;
struct oh_plan;
struct oh_split;
struct oh_subscription;
struct oh_transaction;

/*
 * Mode: whether a pipeline or a transaction is open on a client, and how its calls are handled
 * then.
 *
 *     ATOMIC ─── pipeline() ──► PIPELINE ─── multi() ──► PIPED_MULTI     exec() and discard() lead
 *        └────── multi() ─────► MULTI                                    back
 *
 * A client is in one mode at a time. Each mode has one row of functions, so callers need not check
 * the mode. The functions are defined in higher rooms; module/modes.c puts them into the table.
 */
typedef enum oh_mode_kind {
    OH_ATOMIC,
    OH_PIPELINE,
    OH_MULTI,
    OH_PIPED_MULTI, /* A transaction that was opened in a pipeline. */
    OH_MODES_COUNT
} oh_mode_kind;

/* A method of phpredis that opens or ends a mode. */
typedef void (*oh_mode_method)(struct oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

typedef struct oh_mode {
    zend_long number; /* As getMode() returns it. */

    /* Runs the current method on its node. */
    void (*call)(
        struct oh_client *client, const struct oh_call *call, INTERNAL_FUNCTION_PARAMETERS);

    /*
     * Runs a command over several nodes; takes ownership of the split. NULL if carry_out refuses
     * such commands.
     */
    void (*call_parts)(struct oh_client *client, struct oh_split *split, zval *return_value);

    /* Carries out a plan of any spread. */
    void (*carry_out)(struct oh_client *client, struct oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

    /* Called when a call was refused. NULL if a refusal does not change the mode's state. */
    void (*on_refusal)(struct oh_client *client, const oh_failure *refusal);

    oh_mode_method pipeline, multi, exec, discard, watch, unwatch;
} oh_mode;

/* Indexed by oh_mode_kind; set at module startup. */
extern const oh_mode *oh_modes;

typedef struct oh_client {
    oh_snapshot *snapshot;                /* NULL if the constructor has not run, or failed. */
    const oh_topology *topology;          /* Places keys: the snapshot's topology, or the ring's. */
    oh_live_ring *ring;                   /* A counted reference. NULL if no node is ejected. */
    struct oh_node_client **node_clients; /* By node index; NULL for nodes not used yet. */
    zend_string *own_name;                /* The name that CLIENT SETNAME has set. NULL if unset. */
    zend_string *prefix; /* OPT_PREFIX: part of every key, also for placement. NULL if unset. */
    HashTable *options;  /* Options set so far, for later node clients. NULL if none. */
    /* The node client that has received the last error reply, for getLastError(). */
    struct oh_node_client *last_error_client;
    /* The database that select() has chosen, for all calls that begin afterwards, on every node. */
    oh_database database;
    /*
     * select() was called, perhaps with the pool's own number. So the database stays the same when
     * the configuration changes.
     */
    bool has_selected;
    uint32_t timeout_ms; /* The timeout of a call: the pool's, or OPT_READ_TIMEOUT. */
    /* OPT_READ_TIMEOUT is set. It also bounds the wait for a message of a subscription. */
    bool has_read_timeout;
    /* The node that answered the last read sent to a node other than the master. */
    uint32_t last_read_node;
    /* The node for commands that every node can answer. It was up at the last such call. */
    uint32_t any_node;
    bool never_repeats; /* OPT_MAX_RETRIES is 0. */
    bool packs_by_php;  /* OPT_SERIALIZER is SERIALIZER_PHP. */
    /* The nodes are not SSDB, and no option changes how values are written or returned. */
    bool takes_express;
    /* OPT_SCAN has SCAN_RETRY: scan() skips answers without keys, except for the last. */
    bool retries_scan;
    bool is_closed; /* close() was the last call. */
    /* It serves a session: it keeps its configuration, and reads its own writes from masters. */
    bool is_of_session;
    oh_mode_kind mode;
    struct oh_batch *batch;               /* NULL if no pipeline is open. */
    struct oh_transaction *transaction;   /* NULL if neither a transaction nor a WATCH is open. */
    struct oh_subscription *subscription; /* The running subscription, or NULL. */
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

/* True if calls may take the express lane, as long as no option changes values. */
static inline bool oh_client_may_take_express(const oh_client *client)
{
    return OHG(express_lane) && !client->snapshot->pool->is_ssdb;
}

/* The row of functions for its mode. */
static inline const oh_mode *oh_client_mode(const oh_client *client)
{
    return &oh_modes[client->mode];
}

/* True between multi() and exec() or discard(). */
static inline bool oh_client_is_in_transaction(const oh_client *client)
{
    return client->mode == OH_MULTI || client->mode == OH_PIPED_MULTI;
}

/* The number of its database. */
static inline uint32_t oh_client_database(const oh_client *client)
{
    return oh_database_is_chosen(client->database)
               ? oh_database_number(client->database)
               : oh_server_pool_database(client->snapshot->pool);
}

/* Places keys with this ring, or with the snapshot's topology if it is NULL. */
void oh_client_place_by(oh_client *client, oh_live_ring *ring);

/* The home of a key; `key` includes the prefix. */
static inline uint32_t oh_client_home_of(const oh_client *client, const uint8_t *key, size_t length)
{
    return client->snapshot->is_cluster ? oh_key_slot((oh_bytes){key, length})
                                        : oh_topology_locate(client->topology, key, length);
}

/* The home, or the node, of a key without the prefix, which is added here. */
uint32_t oh_client_home(const oh_client *client, const zend_string *key);
uint32_t oh_client_locate(const oh_client *client, const zend_string *key);

/*
 * Converts a key argument to text in place and returns it. NULL and a TypeError if it cannot be
 * converted.
 */
zend_string *oh_client_key(zend_execute_data *execute_data, zval *argument, uint32_t position);

/* True if this command may go to a replica in the client's current mode. */
static inline bool oh_client_may_read_elsewhere(const oh_client *client, const oh_command *command)
{
    return oh_read_from_applies(client->snapshot, command) && !client->is_of_session &&
           !oh_client_is_in_transaction(client);
}

/*
 * Replaces the master in `node` by the node that answers a read. Returns false and throws if there
 * is none.
 */
bool oh_client_choose_replica(oh_client *client, uint32_t *node);

/*
 * Own name: CLIENT SETNAME, GETNAME and SETINFO of a script. Connections are shared, so the name
 * belongs to the object, and nothing is sent. `words` are the subcommand and its arguments. False
 * if the subcommand is another one, or if the object is in a pipeline or a transaction.
 *
 * Implements spec/wire, section 8.
 */
bool oh_own_name_answers(oh_client *client, const zval *words, uint32_t count, zval *return_value);

#endif
