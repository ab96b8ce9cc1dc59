/*
 * Subscription: subscribe(), psubscribe(), ssubscribe() and their opposites.
 *
 * phpredis runs its own loop: it encodes the command, decodes each message and calls the script's
 * callback. It does so on a \Redis object whose stream is not an exchange but a listener. So the
 * callbacks, what they may do, and what the methods return are those of the loaded phpredis. Only
 * the object that callbacks get is the script's own: the borrowed frame gets its `this` back before
 * phpredis reads it again.
 *
 * A subscription lasts from the first subscribe() until that call returns. Calls from inside a
 * callback join it. All other methods work meanwhile, over other connections.
 */
#ifndef OH_PHP_SUBSCRIPTION_H
#define OH_PHP_SUBSCRIPTION_H

#include "php_onehop.h"

struct oh_client;

/* The handler of the six methods. */
void oh_subscription_method(INTERNAL_FUNCTION_PARAMETERS);

/*
 * The script closes the client, or the client is freed: phpredis' loop finds its connection closed.
 */
void oh_subscription_close(struct oh_client *client);

/* The node client of the subscription that is going on; NULL: there is none. */
struct oh_node_client *oh_subscription_node_client(const struct oh_client *client);

#endif
