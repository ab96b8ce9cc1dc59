/*
 * How a batch begins, what it is called meanwhile, and how it ends without being sent.
 */
#include "php_onehop.h"

#include "php/client/client.h"
#include "php/batch/deal.h"

void oh_batch_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    if (oh_transaction_is_open(client)) {
        oh_transaction_refuse(execute_data, "call exec() or discard() first");
        return;
    }
    client->batch.is_open = true;
    client->is_closed = false;
    RETURN_OBJ_COPY(oh_client_object(client));
}

void oh_batch_pipeline(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        oh_batch_open(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_batch_discard(oh_client *client, zval *return_value)
{
    bool was_open = client->batch.is_open;

    oh_batch_drop(client);
    RETURN_BOOL(was_open);
}

void oh_batch_get_mode(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_LONG(client->batch.is_open             ? OH_MODE_PIPELINE
                    : oh_transaction_is_open(client) ? OH_MODE_MULTI
                                                     : OH_MODE_ATOMIC);
    }
}
