/*
 * Split: one command about many keys, cut into one per node, and their replies made one again.
 *
 * MGET gives its values in the caller's order, duplicates and all. DEL, UNLINK, TOUCH and EXISTS add up. MSET is true
 * if it was true everywhere; it is not atomic over nodes. If all keys live on one node the command goes there whole.
 *
 * Implements spec/route, the split commands.
 */
#ifndef OH_PHP_SPLIT_H
#define OH_PHP_SPLIT_H

#include "scatter.h"

typedef enum oh_merge { OH_MERGE_VALUES, OH_MERGE_SUM, OH_MERGE_ALL } oh_merge;

/* The keys of one node. */
typedef struct oh_part {
    uint32_t node;
    zval keys; /* An array as phpredis wants it: a list, or key => value. */
} oh_part;

typedef struct oh_split {
    oh_merge merge;
    uint32_t parts_count;
    oh_part *parts;        /* In the order in which their first key was named. */
    uint32_t keys_count;
    uint32_t *part_of_key; /* By position of the key in the command. */
} oh_split;

/* The handlers. */
void oh_split_values(INTERNAL_FUNCTION_PARAMETERS); /* mget: an array of keys. */
void oh_split_count(INTERNAL_FUNCTION_PARAMETERS);  /* del, exists ...: keys, or an array of keys. */
void oh_split_pairs(INTERNAL_FUNCTION_PARAMETERS);  /* mset: key => value. */

/*
 * Makes one reply of those of the parts. `replies` has one per part; what is moved out of them is left NULL. `failures`
 * has an exception (or NULL) per part, put in the place of each key of a part that failed; it may itself be NULL.
 */
void oh_split_merge(const oh_split *split, zval **replies, zend_object **failures, zval *return_value);

void oh_split_free(oh_split *split);

#endif
