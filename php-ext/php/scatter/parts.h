/*
 * Parts: a command over several nodes, sent to all of them in parallel, and its replies merged
 * into one.
 */
#ifndef OH_PHP_PARTS_H
#define OH_PHP_PARTS_H

#include "php/client/client.h"

/* In mode ATOMIC. The split is taken over. */
void oh_parts_call(oh_client *client, struct oh_split *split, zval *return_value);

#endif
