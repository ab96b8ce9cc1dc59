/*
 * Subscription: subscribe(), psubscribe(), ssubscribe() and their opposites.
 *
 * phpredis runs its own loop: it encodes the command, decodes each message and calls the script's
 * callback. It does so on a \Redis object whose stream is a listener instead of an exchange. So
 * callbacks and return values are those of the loaded phpredis. But callbacks get the script's own
 * object: the borrowed frame gets its `this` back before phpredis reads `this` again.
 *
 * A subscription lasts until the first subscribe() returns. Calls from inside a callback join it.
 * All other methods keep working, over other connections.
 */
#ifndef OH_PHP_SUBSCRIPTION_H
#define OH_PHP_SUBSCRIPTION_H

#include "php/base/zend.h"

struct oh_client;

/* The handler of the six methods. */
void oh_subscription_method(INTERNAL_FUNCTION_PARAMETERS);

/*
 * Ends the subscription when the client is closed or freed: phpredis' loop finds its connection
 * closed.
 */
void oh_subscription_close(struct oh_client *client);

/* The node client of the running subscription, or NULL. */
struct oh_node_client *oh_subscription_node_client(const struct oh_client *client);

#endif
