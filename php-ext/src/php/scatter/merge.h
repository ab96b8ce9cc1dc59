/*
 * Merge: combines the replies of several nodes into one, by the command's rule.
 *
 * Replies are phpredis' values, as its method returns them to a script: false is an error reply or
 * nil. A merge needs the replies of all parts. So one false makes the whole result false, unless
 * the rule expects it; getLastError() returns the reason.
 *
 * Implements spec/route, "Merging", on PHP's values.
 */
#ifndef OH_PHP_MERGE_H
#define OH_PHP_MERGE_H

#include "php/call/split.h"

/*
 * Merges the replies of the parts into `merged`. `replies` has one reply per part; values that are
 * moved out become NULL. `failures` may be NULL. Otherwise it has an exception or NULL per part;
 * the exception of a failed part stands for each of its keys. Returns NULL, or an exception, which
 * the caller throws, if the replies contradict each other.
 */
zend_object *oh_merge_replies(oh_client *client, const oh_split *split, zval **replies,
    zend_object **failures, zval *return_value);

#endif
