/*
 * Keys: finds the keys in a call's arguments, and the homes of these keys.
 *
 * The row of a method says which arguments hold keys; planning compares their nodes. All keys are
 * converted to text before the first is placed: numbers, objects with __toString and the like. They
 * are converted once, in the arguments that phpredis will get. So the key that was placed is the
 * key that is sent.
 *
 * Implements spec/route, "phpredis' methods": `keys`, and the placement of patterns.
 */
#ifndef OH_PHP_KEYS_H
#define OH_PHP_KEYS_H

#include "php/client/client.h"
#include "php/phpredis/method.h"

/* Converts every key of a call to text. Returns false and throws if that is impossible. */
bool oh_keys_convert(zend_execute_data *execute_data, const oh_method_row *row);

/* Receives the keys of a call, one at a time. Returns false to end the walk. */
typedef bool (*oh_keys_visitor)(void *context, zend_string *key, const oh_method_key *method_key);

/*
 * Passes every key of a call to the visitor. The keys must be text. Returns false if the visitor
 * ended the walk.
 */
bool oh_keys_walk(zend_execute_data *execute_data, const oh_method_row *row,
    oh_keys_visitor visitor, void *context);

/* How many keys a call of this method has. */
uint32_t oh_keys_count(zend_execute_data *execute_data, const oh_method_row *row);

/* Returns an argument by its position, from 0. NULL if it is null or absent. */
zval *oh_keys_argument(zend_execute_data *execute_data, uint32_t argument);

/* The end (exclusive) of the arguments that form REST covers. */
uint32_t oh_keys_rest_end(zend_execute_data *execute_data, const oh_method_key *method_key);

/* The hash tag of every Redis Cluster: {}. */
extern const uint8_t oh_cluster_tag[2];

/* The home of a key as phpredis will send it, with or without OPT_PREFIX. */
uint32_t oh_keys_home(const oh_client *client, const zend_string *key, bool is_unprefixed);

/*
 * True if all keys that match a pattern live on one node: the hash tag must be closed before the *.
 */
bool oh_keys_is_pattern_placed(const oh_client *client, const uint8_t *pattern, size_t length);

#endif
