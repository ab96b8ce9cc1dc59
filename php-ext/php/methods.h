/*
 * Methods: which of phpredis' methods goes which way.
 *
 * One table names every method that OneHop serves, for all versions of phpredis; whatever phpredis has and the table
 * does not is refused. While the extension loads each inherited method gets its handler from here, and a slot in which
 * the handler finds, without a look-up, what it needs to know.
 */
#ifndef OH_PHP_METHODS_H
#define OH_PHP_METHODS_H

#include "php_onehop.h"

typedef struct oh_method {
    zend_function *original; /* phpredis' own. */
    uint8_t key;             /* The position of the key among the arguments, from 1. */
    bool is_read_only;       /* May be sent again if a connection broke: it changes nothing. */
    bool may_store;          /* An option among its arguments may name a second key to write to. */
} oh_method;

extern int oh_methods_slot; /* Which of Zend's reserved slots of a function is ours. */

static inline const oh_method *oh_method_of(const zend_execute_data *execute_data)
{
    return execute_data->func->internal_function.reserved[oh_methods_slot];
}

/* Reserves the slot. */
zend_result oh_methods_startup(void);

/* Puts the handler and the slot of a method that OneHop\Redis inherits; `original` is phpredis' entry. */
zend_result oh_methods_take_over(zend_function *inherited, zend_function *original);
void oh_methods_give_back(zend_function *inherited);

#endif
