/*
 * Merge: what several nodes answered becomes one reply, by the rule of the command.
 *
 * Replies are phpredis' values, as the method would have returned them to the script: false is an
 * error reply, or nil. A merged reply always needs the reply of every part. So a false makes the
 * whole merge false, and getLastError() has the reason, unless the rule of the command expects it.
 *
 * Implements spec/route, "Merging", on PHP's values.
 */
#ifndef OH_PHP_MERGE_H
#define OH_PHP_MERGE_H

#include "php/call/split.h"

/*
 * Makes one reply of those of the parts. `replies` has one per part; what is moved out of them is
 * left NULL. `failures` has an exception (or NULL) per part, which takes the place of each key of a
 * part that failed; it may itself be NULL. NULL, or the exception of a merge that must not be
 * guessed, to be thrown by the caller.
 */
zend_object *oh_merge_replies(oh_client *client, const oh_split *split, zval **replies,
    zend_object **failures, zval *return_value);

#endif
