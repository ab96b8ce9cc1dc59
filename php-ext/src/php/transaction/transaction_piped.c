/*
 * A transaction inside a pipeline: pipeline() ... multi() ... exec() ... exec(). phpredis queues
 * MULTI, the commands and EXEC on the node client of one node, like any command of the batch. The
 * inner exec() only closes the transaction. Its replies are one reply of the batch. The exchange
 * ensures that no command is executed without its MULTI.
 */
#include "php/base/zend.h"

#include "php/batch/batch.h"
#include "php/call/refuse.h"
#include "php/transaction/transaction.h"

static bool begin(oh_client *client, uint32_t node, oh_call_key key)
{
    if (!oh_batch_begin_transaction(client, node)) {
        return false;
    }
    client->transaction->is_begun = true;
    oh_transaction_note_place(client, node, key);
    return true;
}

static void queue(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_node_client *node_client =
        oh_batch_queue(client, call->node, INTERNAL_FUNCTION_PARAM_PASSTHRU);

    /* Packing a value may have run code of the script, which threw or ended the transaction. */
    bool has_failed = node_client && client->transaction && client->transaction->ending;
    if (node_client && UNEXPECTED(EG(exception) || has_failed)) {
        oh_batch_spoil(client, return_value);
        if (!EG(exception)) {
            oh_transaction_throw_again(client);
        }
    } else if (node_client && client->mode == OH_PIPED_MULTI) {
        ZEND_ASSERT(client->transaction);
        client->transaction->queued++;
        node_client->queue.count--;
        if (call->terms.promise) {
            node_client->queue.terms.promise = call->terms.promise;
        }
    } else if (node_client) {
        oh_batch_note(client, node_client, call);
    }
}

void oh_transaction_call_piped(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_transaction *transaction = client->transaction;

    if (UNEXPECTED(oh_method_of(execute_data)->is_iterated)) {
        oh_refuse(execute_data, NULL, OH_ADVICE_ITERATED);
    } else if (transaction->ending) {
        oh_transaction_throw_again(client);
    } else if (client->batch->is_spoilt) {
        RETURN_OBJ_COPY(oh_client_object(client));
    } else if (transaction->is_begun &&
               oh_transaction_is_elsewhere(client, call->key, call->node)) {
        oh_transaction_refuse_other_node(client, call->key, call->node);
    } else if (transaction->is_begun || begin(client, call->node, call->key)) {
        queue(client, call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* phpredis has already queued a part of the transaction, so a DISCARD is queued for the node. */
void oh_transaction_on_refusal_piped(oh_client *client, const oh_failure *refusal)
{
    const oh_transaction *transaction = client->transaction;

    if (!transaction->ending && transaction->is_begun) {
        oh_batch_discard_transaction(client, transaction->node);
    }
    oh_transaction_on_refusal(client, refusal);
}

/* A transaction without commands belongs to no node: any node can return its empty list. */
void oh_transaction_exec_piped(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_transaction *transaction = client->transaction;

    if (transaction->ending) {
        oh_transaction_throw_last(client);
        return;
    }
    bool is_ended =
        (transaction->is_begun || begin(client, client->any_node, (oh_call_key){NULL, false})) &&
        oh_batch_end_transaction(client, transaction->node, transaction->queued);

    oh_transaction_release(oh_transaction_take(client), true);
    if (is_ended) {
        RETURN_OBJ_COPY(oh_client_object(client));
    }
    RETURN_FALSE;
}

/* phpredis drops the whole pipeline. */
void oh_transaction_discard_piped(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_transaction_drop(client);
    oh_batch_discard(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
