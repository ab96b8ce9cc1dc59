/*
 * What PHP's build and OneHop's releases need of the extension: its version and its module. Only
 * php/module, the highest room of src/php, may include this.
 */
#ifndef PHP_ONEHOP_H
#define PHP_ONEHOP_H

#include "php.h"

#define PHP_ONEHOP_VERSION "0.1.0-dev"

extern zend_module_entry onehop_module_entry;
#define phpext_onehop_ptr &onehop_module_entry

#endif
