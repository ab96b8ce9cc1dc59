/*
 * A `false` is an error reply: it makes the merged reply false too, as it would have been from one server.
 */
#include "php_onehop.h"

#include "merge.h"

static void merge_in_order(const oh_split *split, zval **replies, zend_object **failures, zval *return_value)
{
    uint32_t *next = ecalloc(split->parts_count, sizeof *next);

    array_init_size(return_value, split->keys_count);
    for (uint32_t i = 0; i < split->keys_count; i++) {
        uint32_t part = split->part_of_key[i];
        zval entry, *value;

        if (failures && failures[part]) {
            ZVAL_OBJ_COPY(&entry, failures[part]);
        } else if ((value = zend_hash_index_find(Z_ARRVAL_P(replies[part]), next[part]++))) {
            ZVAL_COPY_VALUE(&entry, value);
            ZVAL_NULL(value);
        } else {
            ZVAL_FALSE(&entry);
        }
        zend_hash_next_index_insert_new(Z_ARRVAL_P(return_value), &entry);
    }
    efree(next);
}

static void merge_sum(const oh_split *split, zval **replies, zval *return_value)
{
    zend_long sum = 0;

    for (uint32_t i = 0; i < split->parts_count; i++) {
        if (Z_TYPE_P(replies[i]) != IS_LONG) {
            RETURN_FALSE;
        }
        sum += Z_LVAL_P(replies[i]);
    }
    RETURN_LONG(sum);
}

/* The first reply that is not true, as it is; otherwise the first. (OPT_REPLY_LITERAL makes "OK" of true.) */
static void merge_all_ok(const oh_split *split, zval **replies, zval *return_value)
{
    uint32_t chosen = 0;

    while (chosen + 1 < split->parts_count && zend_is_true(replies[chosen])) {
        chosen++;
    }
    ZVAL_COPY(return_value, replies[chosen]);
}

void oh_split_merge(const oh_split *split, zval **replies, zend_object **failures, zval *return_value)
{
    if (split->merge == OH_MERGE_SUM) {
        merge_sum(split, replies, return_value);
    } else if (split->merge == OH_MERGE_ALL_OK) {
        merge_all_ok(split, replies, return_value);
    } else {
        for (uint32_t i = 0; i < split->parts_count; i++) {
            /* An error reply is false for the whole command, as without a split. */
            if (!(failures && failures[i]) && Z_TYPE_P(replies[i]) != IS_ARRAY) {
                RETURN_FALSE;
            }
        }
        merge_in_order(split, replies, failures, return_value);
    }
}
