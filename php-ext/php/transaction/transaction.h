/*
 * Transaction: what multi() opens, and WATCH before it: one connection of one node, held until exec(), discard() or
 * unwatch().
 *
 *     watch(k) ─► bound to the node of k: lane reserved, connection held      multi() ─► open, nothing is sent
 *     first command ─► bound, if it was not; MULTI ─► command ─► QUEUED       further commands ─► QUEUED, each at once
 *     exec() ─► EXEC ─► the replies, connection given back                    discard() ─► DISCARD, likewise
 *
 * phpredis queues and reads the replies, in its own MULTI mode, on the lane that is reserved. A command of another node
 * is refused with CrossNode. That, any other refusal, and whatever else goes wrong before EXEC (the connection, a value
 * that cannot be packed) ends the transaction: the connection is closed, so nothing of it is executed, and every further
 * command and exec() fail for the same cause, until exec(), discard() or a new watch() or multi(). Nothing is ever sent
 * again on another connection. Arguments that phpredis did not accept end nothing: only that call is not queued. If the
 * script leaves without exec() (exit, an exception, the end of the request, the last reference gone), the connection is
 * closed, which the node takes for DISCARD.
 *
 * A transaction that is opened in a pipeline is queued there (transaction_piped).
 *
 * Implements spec/route: "Inside a transaction", "State".
 */
#ifndef OH_PHP_TRANSACTION_H
#define OH_PHP_TRANSACTION_H

#include "php/phpredis/lane.h"

struct oh_client;

/* What ended a transaction before EXEC. */
typedef struct oh_ending {
    oh_failure failure;
    bool is_refusal; /* Of a call: no node has failed. */
    char advice[];
} oh_ending;

/* The key that says where a call goes. */
typedef struct oh_call_key {
    zend_string *text;  /* As the caller names it. NULL: no key does. */
    bool is_unprefixed; /* Nodes name it so, too. */
} oh_call_key;

typedef struct oh_transaction {
    bool is_open;     /* multi() was called. */
    bool is_piped;    /* In a pipeline, where its commands are queued: no lane. */
    bool is_begun;    /* The node has taken MULTI; in a pipeline: it is queued. */
    bool is_watching; /* The node has taken WATCH. */
    uint32_t queued;  /* Commands the node has queued. */
    oh_lane *lane;    /* Reserved, its connection held; NULL: not bound yet. */
    zend_string *key; /* The one that bound it, as nodes name it, if it is known; and its home. */
    uint32_t home;
    uint32_t node;    /* Where it is, or was when it failed. */
    oh_ending *ending; /* NULL: nothing has. */
} oh_transaction;

/* The handlers. While a pipeline is open multi(PIPELINE), exec and discard are those of room batch. */
void oh_transaction_multi(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_exec(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_discard(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_watch(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_unwatch(INTERNAL_FUNCTION_PARAMETERS);

/* Queues the command that is being called, in the caller's frame; it concerns this one node, and one key at most. */
void oh_transaction_queue(struct oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS);

/* The same for a call that was planned. Refused, if it concerns several nodes. */
struct oh_plan;
void oh_transaction_queue_planned(struct oh_client *client, const struct oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* A call is refused: this ends the transaction that is open, if any. */
void oh_transaction_meet_refusal(struct oh_client *client, const oh_failure *refusal);

/* Refuses a call that has no place between multi() and exec(): of several nodes, of another mode. */
void oh_transaction_refuse(zend_execute_data *execute_data, const char *advice);

/* Leaves transaction and WATCH behind, by closing the connection. */
void oh_transaction_drop(struct oh_client *client);

#endif
