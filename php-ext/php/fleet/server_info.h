/*
 * Server info: serverName() and serverVersion(), which phpredis asks by HELLO and reads half of the
 * reply.
 *
 * They are read off the fleet's INFO instead, so the version is the lowest of all nodes: what a
 * program may rely on.
 *
 * Implements spec/route, "phpredis' methods": `own`.
 */
#ifndef OH_PHP_SERVER_INFO_H
#define OH_PHP_SERVER_INFO_H

#include "php_onehop.h"

/* The handlers. */
void oh_server_info_name(INTERNAL_FUNCTION_PARAMETERS);
void oh_server_info_version(INTERNAL_FUNCTION_PARAMETERS);

#endif
