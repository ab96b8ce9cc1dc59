/*
 * Only multi(PIPELINE) yet; all else is refused.
 */
#include "php_onehop.h"

#include "batch.h"
#include "refuse.h"
#include "transaction.h"

void oh_transaction_multi(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_batch_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_transaction_exec(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_batch_exec(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_transaction_discard(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_batch_discard(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_transaction_watch(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse_method(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_transaction_unwatch(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse_method(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
