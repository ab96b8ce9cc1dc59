/*
 * Transaction: what multi() opens, and WATCH before it: one connection of one node, held until
 * exec(), discard() or unwatch().
 *
 *     watch(k)            ─► bound to the node of k: node client reserved, connection held
 *     multi()             ─► open; nothing is sent
 *     first command       ─► bound, if it was not; MULTI ─► command ─► QUEUED
 *     further commands    ─► QUEUED, each immediately
 *     exec()              ─► EXEC ─► the replies; the connection is given back
 *     discard()           ─► DISCARD; the connection is given back
 *
 * phpredis queues and reads the replies, in its own MULTI mode, on the node client that is
 * reserved. A command for another node is refused with CrossNode. Any refusal ends the transaction,
 * and so does any other failure before EXEC (a lost connection, a value that cannot be packed). The
 * connection is closed, so nothing of the transaction is executed. Every further command fails for
 * the same cause, until exec() (which fails, too), discard(), or a new watch() or multi(). Nothing
 * is ever sent again on another connection. Arguments that phpredis does not accept end nothing:
 * only that call is not queued. If the script leaves without exec() (exit, an exception, the end of
 * the request, the last reference gone), the connection is closed. To the node that is DISCARD.
 *
 * A transaction opened in a pipeline is queued there (transaction_piped).
 *
 * Implements spec/route: "Inside a transaction", "State".
 */
#ifndef OH_PHP_TRANSACTION_H
#define OH_PHP_TRANSACTION_H

#include "php/call/plan.h"
#include "php/phpredis/node_client.h"

/* What ended a transaction before EXEC. */
typedef struct oh_ending {
    oh_failure failure;
    bool is_refusal; /* Of a call: no node has failed. */
    char advice[];
} oh_ending;

/*
 * In the modes MULTI and PIPED_MULTI there is always one; in other modes only after WATCH.
 */
typedef struct oh_transaction {
    bool is_begun;    /* The node has taken MULTI; in a pipeline: it is queued. */
    bool is_watching; /* The node has taken WATCH. */
    uint32_t queued;  /* Commands the node has queued. */
    oh_node_client
        *node_client; /* Reserved, its connection held; NULL: not bound yet, or in a pipeline. */
    zend_string
        *key; /* The key that bound it, as nodes name it, if known; and the home of that key. */
    uint32_t home;
    uint32_t node;     /* The node, or the node at the time of the failure. */
    oh_ending *ending; /* NULL: nothing has. */
} oh_transaction;

/* multi(), and the methods of mode MULTI. */
void oh_transaction_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_discard(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

/* watch() and unwatch() where no transaction is open; unwatch() in mode MULTI. */
void oh_transaction_watch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_unwatch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_queue_unwatch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

/*
 * Queues the command that is being called, in the caller's frame. It is about one node and at most
 * one key.
 */
void oh_transaction_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* The same for a plan of any spread; refused if it is about several nodes. */
void oh_transaction_carry_out(oh_client *client, oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* A call is refused: this ends the transaction. */
void oh_transaction_meet_refusal(oh_client *client, const oh_failure *refusal);

/* The same in mode PIPED_MULTI. */
void oh_transaction_call_piped(
    oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_exec_piped(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_discard_piped(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_meet_refusal_piped(oh_client *client, const oh_failure *refusal);

/* A failure was thrown when it happened. A later multi() or watch() starts afresh. */
void oh_transaction_forget_failure(oh_client *client);

/* Ends transaction and WATCH by closing the connection. */
void oh_transaction_drop(oh_client *client);

#endif
