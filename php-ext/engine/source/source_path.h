/*
 * Where the configuration is. Private to source.
 */
#ifndef OH_ENGINE_SOURCE_PATH_H
#define OH_ENGINE_SOURCE_PATH_H

#include "php_onehop.h"

/* The absolute path of a configuration, its links not followed; NULL stands for onehop.config. False and ConfigInvalid. */
bool oh_source_find_path(const zend_string *path, char absolute[MAXPATHLEN]);

#endif
