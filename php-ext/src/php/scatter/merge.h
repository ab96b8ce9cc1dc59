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

/* ---- Shared by the rules: only merge*.c use this ---- */

typedef struct oh_merging {
    const oh_split *split;
    zval **replies; /* One per part. */
    uint32_t count;
    zend_object **failures; /* One per part, NULL if it did not fail. The array may be NULL. */
    zval *merged;           /* Set by a rule that succeeds. */
} oh_merging;

/* Moves a value and leaves NULL in its place. */
static inline void oh_merge_move(zval *to, zval *from)
{
    ZVAL_COPY_VALUE(to, from);
    ZVAL_NULL(from);
}

static inline bool oh_merge_take_first(oh_merging *merging)
{
    oh_merge_move(merging->merged, merging->replies[0]);
    return true;
}

/* True if the replies of all parts have this type. */
static inline bool oh_merge_are_all(const oh_merging *merging, uint8_t type)
{
    for (uint32_t i = 0; i < merging->count; i++) {
        if (Z_TYPE_P(merging->replies[i]) != type) {
            return false;
        }
    }
    return true;
}

/* True if the reply of some part is false. */
static inline bool oh_merge_has_false(const oh_merging *merging)
{
    for (uint32_t i = 0; i < merging->count; i++) {
        if (Z_TYPE_P(merging->replies[i]) == IS_FALSE) {
            return true;
        }
    }
    return false;
}

/*
 * IN_ORDER: the first part whose list has another length than its keys need; `count` if there is
 * none.
 */
uint32_t oh_merge_misfit(const oh_merging *merging);

/* Returns false and sets nothing if the rule cannot merge these replies. */
bool oh_merge_in_order(oh_merging *merging);
bool oh_merge_streams(oh_merging *merging);

#endif
