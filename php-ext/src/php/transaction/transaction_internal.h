/*
 * Internal to room transaction: the steps of its methods.
 */
#ifndef OH_PHP_TRANSACTION_INTERNAL_H
#define OH_PHP_TRANSACTION_INTERNAL_H

#include "php/transaction/transaction.h"

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
 * Gives the transaction up between multi() and EXEC. The cause is remembered, so that later calls
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
