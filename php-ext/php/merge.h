/*
 * Merge: the replies of several nodes, made one.
 *
 * It works on what phpredis returned, not on what the node said.
 *
 * Implements spec/route, "Merging".
 */
#ifndef OH_PHP_MERGE_H
#define OH_PHP_MERGE_H

#include "split.h"

/*
 * Makes one reply of those of the parts. `replies` has one per part; what is moved out of them is left NULL. `failures`
 * has an exception (or NULL) per part, put in the place of each key of a part that failed; it may itself be NULL.
 */
void oh_split_merge(const oh_split *split, zval **replies, zend_object **failures, zval *return_value);

#endif
