/*
 * What the rules of merge have in common. Only merge*.c include this.
 */
#ifndef OH_PHP_MERGE_INTERNAL_H
#define OH_PHP_MERGE_INTERNAL_H

#include "php/call/split.h"

typedef struct oh_merging {
    const oh_split *split;
    zval **replies; /* One per part. */
    uint32_t count;
    zend_object **failures; /* One per part, NULL where it did not fail; or NULL. */
    zval *merged;           /* Set by a rule that succeeds. */
} oh_merging;

/* Moves a value out of its place. */
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

/* One of the parts was answered with an error. */
static inline bool oh_merge_has_false(const oh_merging *merging)
{
    for (uint32_t i = 0; i < merging->count; i++) {
        if (Z_TYPE_P(merging->replies[i]) == IS_FALSE) {
            return true;
        }
    }
    return false;
}

/* False: the replies are none that the rule could merge; nothing is set. */
bool oh_merge_in_order(oh_merging *merging);
bool oh_merge_streams(oh_merging *merging);
bool oh_merge_info(oh_merging *merging);

#endif
