/*
 * Server info: serverName() and serverVersion(). phpredis sends HELLO for them and reads only half
 * of the reply.
 *
 * OneHop takes both from the fleet's INFO. So the version is the lowest of all nodes: programs can
 * rely on that one.
 *
 * Implements spec/route, "phpredis' methods": `own`.
 */
#ifndef OH_PHP_SERVER_INFO_H
#define OH_PHP_SERVER_INFO_H

#include "php/base/zend.h"

/* The handlers. */
void oh_server_info_name(INTERNAL_FUNCTION_PARAMETERS);
void oh_server_info_version(INTERNAL_FUNCTION_PARAMETERS);

#endif
