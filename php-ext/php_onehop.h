/*
 * The extension as PHP's build and its own releases see it: its version and its module. Of the
 * rooms of src/php only php/module, the highest, may include this.
 */
#ifndef PHP_ONEHOP_H
#define PHP_ONEHOP_H

#include "php.h"

#define PHP_ONEHOP_VERSION "0.1.0-dev"

extern zend_module_entry onehop_module_entry;
#define phpext_onehop_ptr &onehop_module_entry

#endif
