/*
 * The inside of room transaction: what its methods are made of.
 */
#ifndef OH_PHP_TRANSACTION_INTERNAL_H
#define OH_PHP_TRANSACTION_INTERNAL_H

#include "php/transaction/transaction.h"

#define OH_ADVICE_AGAIN OH_REASON_BEGIN_AGAIN

/*
 * Reserves a node client of the node; its connection will be held. False, with an exception:
 * nothing has changed.
 */
bool oh_transaction_bind(oh_client *client, uint32_t node, oh_call_key key);

/* The key as nodes name it; to be released. */
zend_string *oh_transaction_key(const oh_client *client, oh_call_key key);

/* Remembers its node. */
void oh_transaction_note_place(oh_client *client, uint32_t node, oh_call_key key);

/*
 * A step begins on the bound node client. Returns true if it begins inside another step; this is
 * passed to `end_step`.
 */
bool oh_transaction_begin_step(oh_node_client *node_client, bool is_read_only);

/*
 * The step is over. False: the transaction has ended, in this step (with an exception) or in one
 * inside it.
 */
bool oh_transaction_end_step(oh_client *client, oh_node_client *node_client, bool is_inner);

/* The first step of an open transaction. False: it has ended, with an exception. */
bool oh_transaction_send_multi(oh_client *client);

/*
 * Takes the transaction from the client: the caller owns it and must release it. NULL: there was
 * none.
 */
oh_transaction *oh_transaction_take(oh_client *client);

/* Releases everything. The connection goes to the pool if it is clean; otherwise it is closed. */
void oh_transaction_release(oh_transaction *transaction, bool is_clean);

/*
 * Ends the transaction before EXEC. An open one remembers the cause: later calls must not run
 * outside of it.
 */
void oh_transaction_fail(oh_client *client, const oh_failure *cause, bool is_refusal);

/* Throws the remembered cause. */
void oh_transaction_throw_again(oh_client *client);

/*
 * True if a command must not join it: it belongs to another node, or to another slot of a cluster.
 */
bool oh_transaction_is_elsewhere(const oh_client *client, oh_call_key key, uint32_t node);

/* Throws CrossNode. */
void oh_transaction_refuse_other_node(oh_client *client, oh_call_key key, uint32_t node);

#endif
