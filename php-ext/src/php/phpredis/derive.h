/*
 * Derive: makes the row of a method that the method table does not have, from its name and its
 * parameters.
 *
 * phpredis names a method after its command, and what is a key after a key. So the methods that a
 * newer phpredis adds are understood without a row of their own. What is not understood gets a row
 * that refuses it, with the reason.
 *
 * Implements spec/route, "phpredis' methods": methods without a row.
 */
#ifndef OH_PHP_DERIVE_H
#define OH_PHP_DERIVE_H

#include "php/phpredis/method.h"

#define OH_DERIVED_KEYS_MAX 2

typedef struct oh_derived_row {
    oh_method_row row;
    oh_method_key keys[OH_DERIVED_KEYS_MAX];
} oh_derived_row;

/*
 * Derives the row of phpredis' method `original`; `name` is in lower case. `changed` is the row of
 * this method with other parameters, or NULL. The row must stay where it is.
 */
void oh_method_derive(oh_derived_row *derived, const zend_function *original, const char *name,
    const oh_method_row *changed);

#endif
