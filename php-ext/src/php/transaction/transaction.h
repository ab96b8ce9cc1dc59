/*
 * Transaction: multi() and watch() hold one connection to one node until exec(), discard() or
 * unwatch().
 *
 *     watch(k)            ─► bound to the node of k: node client reserved, connection held
 *     multi()             ─► open; nothing is sent
 *     first command       ─► bound, if it was not; MULTI ─► command ─► QUEUED
 *     further commands    ─► QUEUED, each immediately
 *     exec()              ─► EXEC ─► the replies; the connection is given back
 *     discard()           ─► DISCARD; the connection is given back
 *
 * phpredis queues the commands and reads the replies, in its own MULTI mode, on the reserved node
 * client. A failure of the node before EXEC (a lost connection, MULTI refused) ends the
 * transaction, as in phpredis: the client is in mode ATOMIC when the exception is thrown. If the
 * client itself refuses a call (CrossNode), or a value cannot be packed, the transaction is spoilt.
 * Every further command fails with the same cause, until exec() (which fails, too), discard(), or a
 * new multi(), pipeline() or watch(). Whether the transaction has ended or is spoilt, the
 * connection is closed, so none of the commands is executed, and nothing is retried on another
 * connection. If phpredis does not accept the arguments of a call, only that call is not queued. If
 * the script leaves without exec() (exit, an exception, the end of the request, the last reference
 * gone), the connection is closed, which has the effect of DISCARD.
 *
 * A transaction opened in a pipeline is queued there (transaction_piped).
 *
 * Implements spec/route: "Inside a transaction", "State".
 */
#ifndef OH_PHP_TRANSACTION_H
#define OH_PHP_TRANSACTION_H

#include "php/call/plan.h"
#include "php/phpredis/node_client.h"

/* Why a transaction is spoilt. */
typedef struct oh_ending {
    oh_failure failure;
    bool is_refusal; /* A call was refused. Otherwise a value could not be packed. */
    char advice[];
} oh_ending;

/*
 * In the modes MULTI and PIPED_MULTI a client always has a transaction, in other modes only after
 * WATCH.
 */
typedef struct oh_transaction {
    bool is_begun;    /* The node has accepted MULTI; in a pipeline: MULTI is queued. */
    bool is_watching; /* The node has accepted WATCH. */
    uint32_t queued;  /* Number of commands the node has queued. */
    oh_queued_promise promise;
    /*
     * It is reserved and holds its connection. NULL if the transaction is not bound yet, or is in a
     * pipeline.
     */
    oh_node_client *node_client;
    zend_string *key; /* The key that bound it, with its prefix; NULL if not known. */
    uint32_t home;    /* The home of that key. */
    uint32_t node;
    oh_ending *ending; /* NULL if it is not spoilt. */
} oh_transaction;

/* multi(), and the methods of mode MULTI. */
void oh_transaction_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_discard(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

/* watch() and unwatch() outside of a transaction; unwatch() in mode MULTI. */
void oh_transaction_watch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_unwatch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_queue_unwatch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

/* Queues the current call, in the caller's frame. It must concern one node and at most one key. */
void oh_transaction_call(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS);

/* Like oh_transaction_call, for a plan of any spread. Refuses commands over several nodes. */
void oh_transaction_carry_out(oh_client *client, oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* Ends the transaction because a call was refused. */
void oh_transaction_on_refusal(oh_client *client, const oh_failure *refusal);

/* The functions of mode PIPED_MULTI. */
void oh_transaction_call_piped(
    oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_exec_piped(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_discard_piped(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_on_refusal_piped(oh_client *client, const oh_failure *refusal);

/*
 * Forgets a transaction that is spoilt, before a new multi(), pipeline() or watch(). Its failure
 * was already thrown. Returns false if there is none.
 */
bool oh_transaction_forget_refusal(oh_client *client);

/* Ends transaction and WATCH by closing the connection. */
void oh_transaction_drop(oh_client *client);

/* ---- Internal to the room: the steps of its methods ---- */

#define OH_ADVICE_AGAIN OH_REASON_BEGIN_AGAIN

/*
 * Reserves a node client of the node, which will hold its connection. On failure returns false,
 * throws and changes nothing.
 */
bool oh_transaction_bind(oh_client *client, uint32_t node, oh_call_key key);

/* Returns the key with its prefix. The caller releases it. */
zend_string *oh_transaction_key(const oh_client *client, oh_call_key key);

/* Remembers node and key of the transaction. */
void oh_transaction_note_place(oh_client *client, uint32_t node, oh_call_key key);

/*
 * Begins a step on the bound node client. Returns true if it begins inside another step; the caller
 * passes this to `end_step`.
 */
bool oh_transaction_begin_step(oh_node_client *node_client, oh_call_terms terms);

/*
 * Ends the step. Returns false if the transaction has ended, in this step (with an exception) or in
 * one inside it.
 */
bool oh_transaction_end_step(oh_client *client, oh_node_client *node_client, bool is_inner);

/*
 * Sends MULTI, the first step of an open transaction. Returns false and throws if the transaction
 * has ended.
 */
bool oh_transaction_send_multi(oh_client *client);

/* A transaction that is not bound yet. */
oh_transaction *oh_transaction_new(void);

/* Takes the transaction from the client. The caller must release it. NULL if there is none. */
oh_transaction *oh_transaction_take(oh_client *client);

/* Releases everything. The connection goes to the pool if it is clean; otherwise it is closed. */
void oh_transaction_release(oh_transaction *transaction, bool is_clean);

/*
 * Gives up the transaction, between multi() and EXEC. The cause is remembered, so that later calls
 * fail instead of running outside of the transaction.
 */
void oh_transaction_spoil(oh_client *client, const oh_failure *cause, bool is_refusal);

/* Throws the remembered cause, and says how to end the transaction. */
void oh_transaction_throw_again(oh_client *client);

/* Throws the remembered cause, and ends the transaction. */
void oh_transaction_throw_last(oh_client *client);

/*
 * True if a command cannot join the transaction: it belongs to another node, or to another slot of
 * a cluster.
 */
bool oh_transaction_is_elsewhere(const oh_client *client, oh_call_key key, uint32_t node);

/* Throws CrossNode. */
void oh_transaction_refuse_other_node(oh_client *client, oh_call_key key, uint32_t node);

#endif
