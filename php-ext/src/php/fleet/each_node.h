/*
 * Each node: onEachNode() and onNode(), which call a method on nodes that the script chooses.
 *
 * They also allow commands that the fleet refuses: the script decides which keys a call concerns
 * and what the separate replies mean. They refuse commands that would change a connection for its
 * next users (`state` in the command table), and calls that phpredis would send malformed.
 *
 * Implements spec/route, "onEachNode".
 */
#ifndef OH_PHP_EACH_NODE_H
#define OH_PHP_EACH_NODE_H

#include "php/base/zend.h"

ZEND_METHOD(OneHop_Redis, onEachNode);
ZEND_METHOD(OneHop_Redis, onNode);

#endif
