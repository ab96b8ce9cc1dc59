/*
 * A transaction inside a pipeline: pipeline() ... multi() ... exec() ... exec(). phpredis queues MULTI, the commands and
 * EXEC on the lane of one node like everything else of the batch; the inner exec() only ends it. Its replies are one
 * reply of the batch. When it goes out, exchange keeps it from being executed without its MULTI.
 */
#include "php_onehop.h"

#include "php/client/client.h"
#include "php/transaction/transaction_step.h"

static bool begin(oh_client *client, uint32_t node, oh_call_key key)
{
    if (!oh_batch_begin_transaction(client, node)) {
        return false;
    }
    client->transaction.is_begun = true;
    oh_transaction_note_place(client, node, key);
    return true;
}

void oh_transaction_queue_piped(oh_client *client, uint32_t node, oh_call_key key, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_transaction *transaction = &client->transaction;

    if (client->batch.is_spoilt) {
        RETURN_OBJ_COPY(oh_client_object(client));
    }
    if (transaction->is_begun && oh_transaction_is_elsewhere(client, key, node)) {
        oh_transaction_refuse_other_node(client, key, node);
    } else if (transaction->is_begun || begin(client, node, key)) {
        oh_batch_queue_inside(client, node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* What is queued of it stays a transaction for phpredis: the node is told to discard it. */
void oh_transaction_discard_piped(oh_client *client)
{
    if (client->transaction.is_begun && !client->batch.is_spoilt) {
        oh_batch_discard_transaction(client, client->transaction.node);
    }
}

/* One without commands concerns no node: any may say that its list of replies is empty. */
void oh_transaction_exec_piped(oh_client *client, zval *return_value)
{
    bool is_spoilt = client->batch.is_spoilt;
    bool is_ended = is_spoilt || ((client->transaction.is_begun || begin(client, client->any_node, (oh_call_key){NULL, false})) &&
                                     oh_batch_end_transaction(client, client->transaction.node));

    oh_transaction_end(&client->transaction, true);
    if (is_ended) {
        RETURN_OBJ_COPY(oh_client_object(client));
    }
    RETURN_FALSE;
}
