/*
 * Nothing is sent yet: every call is refused.
 */
#include "php_onehop.h"

#include "refuse.h"
#include "subscription.h"

void oh_subscription_subscribe(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse_method(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_subscription_unsubscribe(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse_method(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
