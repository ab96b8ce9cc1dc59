/*
 * Keys: which parts of a call's arguments are keys, and where these live.
 *
 * Between methods, whose rows say where keys stand, and plan, which compares their nodes. Before
 * the first is looked at every key is text: numbers, objects with __toString and the like are
 * converted once, in the arguments that phpredis will get, so that what was placed is what is sent.
 *
 * Implements spec/route, "phpredis' methods": `keys`, and the places of patterns.
 */
#ifndef OH_PHP_KEYS_H
#define OH_PHP_KEYS_H

#include "php/client/client.h"
#include "php/phpredis/method.h"

/* Turns every key of a call into text. False and an exception if one cannot be. */
bool oh_keys_convert(zend_execute_data *execute_data, const oh_method_row *row);

/* Is shown the keys of a call, one after another; false ends the walk. */
typedef bool (*oh_keys_visitor)(void *context, zend_string *key, const oh_method_key *method_key);

/* Shows every key of a call whose keys are text. False if the visitor ended it. */
bool oh_keys_walk(zend_execute_data *execute_data, const oh_method_row *row,
    oh_keys_visitor visitor, void *context);

/* How many keys such a call has. */
uint32_t oh_keys_count(zend_execute_data *execute_data, const oh_method_row *row);

/* The argument of a place, or NULL if the call has not got as many, or has null there. */
zval *oh_keys_argument(zend_execute_data *execute_data, uint32_t argument);

/* Where the arguments end that belong to a place of form REST. */
uint32_t oh_keys_rest_end(zend_execute_data *execute_data, const oh_method_key *method_key);

/* The tag of every Redis Cluster. */
extern const uint8_t oh_cluster_tag[2];

/* The home of a key as phpredis will send it: with OPT_PREFIX or without. */
uint32_t oh_keys_home(const oh_client *client, const zend_string *key, bool is_unprefixed);

/*
 * Whether every key that a pattern stands for lives on one node: the hash tag must be closed before
 * the *.
 */
bool oh_keys_is_pattern_placed(const oh_client *client, const uint8_t *pattern, size_t length);

#endif
