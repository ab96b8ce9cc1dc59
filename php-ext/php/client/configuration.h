/*
 * Configuration: the server pool that a script asks for by its name, and perhaps by its file.
 */
#ifndef OH_PHP_CONFIGURATION_H
#define OH_PHP_CONFIGURATION_H

#include "php_onehop.h"

#include "engine/snapshot/snapshot.h"

/*
 * The server pool `name` of the file `path`, or of onehop.config if `path` is NULL. Counted. NULL
 * and an exception.
 */
oh_snapshot *oh_configuration_take(const zend_string *name, const zend_string *path);

#endif
