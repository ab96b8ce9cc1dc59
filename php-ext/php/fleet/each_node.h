/*
 * Each node: onEachNode() and onNode(), calls on nodes that the script has chosen.
 *
 * The way out for what the fleet refuses: which keys it is about, and whether one reply could stand
 * for all, is the script's business then. What stays refused is what would change a connection that
 * others use next (`state` in the table of commands), and what phpredis would send broken.
 *
 * Implements spec/route, "onEachNode".
 */
#ifndef OH_PHP_EACH_NODE_H
#define OH_PHP_EACH_NODE_H

#include "php_onehop.h"

ZEND_METHOD(OneHop_Redis, onEachNode);
ZEND_METHOD(OneHop_Redis, onNode);

#endif
