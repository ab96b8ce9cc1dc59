/*
 * Transaction: MULTI, EXEC, DISCARD, WATCH and UNWATCH, on the one node that the first key names.
 *
 * Implements spec/route, "Inside a transaction".
 */
#ifndef OH_PHP_TRANSACTION_H
#define OH_PHP_TRANSACTION_H

#include "php_onehop.h"

/* The handlers. */
void oh_transaction_multi(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_exec(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_discard(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_watch(INTERNAL_FUNCTION_PARAMETERS);
void oh_transaction_unwatch(INTERNAL_FUNCTION_PARAMETERS);

#endif
