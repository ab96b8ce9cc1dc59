/*
 * Subscription: channels, each on the node it is placed on; patterns, on every node; one listener for all.
 *
 * Implements spec/route, "Subscriptions".
 */
#ifndef OH_PHP_SUBSCRIPTION_H
#define OH_PHP_SUBSCRIPTION_H

#include "php_onehop.h"

/* The handlers of subscribe(), psubscribe(), ssubscribe() and of their opposites. */
void oh_subscription_subscribe(INTERNAL_FUNCTION_PARAMETERS);
void oh_subscription_unsubscribe(INTERNAL_FUNCTION_PARAMETERS);

#endif
