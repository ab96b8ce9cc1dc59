/*
 * A part that failed does not undo the others: what did arrive is in the exception.
 */
#include "php_onehop.h"

#include "php/call/split.h"
#include "php/client/client.h"
#include "php/exception/exception.h"
#include "php/scatter/merge.h"
#include "php/scatter/parts.h"
#include "php/scatter/race.h"
#include "php/scatter/scatter.h"
#include "php/scatter/split_piped.h"

/* What did arrive of a command that failed on some nodes: by key or by node as its reply has it, otherwise per part. */
static void throw_partial(oh_client *client, const oh_split *split, oh_share *shares)
{
    uint32_t count = split->parts_count;
    zval **replies = safe_emalloc(count, sizeof *replies, 0);
    zend_object **failures = safe_emalloc(count, sizeof *failures, 0);
    zval arrived, entry;

    for (uint32_t i = 0; i < count; i++) {
        replies[i] = &shares[i].reply;
        failures[i] = shares[i].failure ? oh_scatter_failure(client, &shares[i]) : NULL;
    }
    ZVAL_FALSE(&arrived);
    if (split->merge == OH_MERGE_IN_ORDER || split->merge == OH_MERGE_PER_NODE || split->merge == OH_MERGE_NONE) {
        oh_merge_replies(client, split, replies, failures, &arrived);
    }
    if (Z_TYPE(arrived) != IS_ARRAY) {
        array_init_size(&arrived, count);
        for (uint32_t i = 0; i < count; i++) {
            if (failures[i]) {
                ZVAL_OBJ_COPY(&entry, failures[i]);
            } else {
                ZVAL_COPY(&entry, replies[i]);
            }
            zend_hash_next_index_insert(Z_ARRVAL(arrived), &entry);
        }
    }
    efree(replies);
    efree(failures);
    oh_scatter_throw_partial(client, shares, count, &arrived);
}

static void merge(oh_client *client, const oh_split *split, oh_share *shares, zval *return_value)
{
    zval **replies = safe_emalloc(split->parts_count, sizeof *replies, 0);

    for (uint32_t i = 0; i < split->parts_count; i++) {
        replies[i] = &shares[i].reply;
    }
    zend_object *failure = oh_merge_replies(client, split, replies, NULL, return_value);
    if (failure) {
        oh_failure_throw(failure);
    }
    efree(replies);
}

/* ONE_OK: a node that failed had nothing to do, as long as another one has done it. */
static bool has_one_ok(const oh_split *split, const oh_share *shares)
{
    for (uint32_t i = 0; split->merge == OH_MERGE_ONE_OK && i < split->parts_count; i++) {
        if (Z_TYPE(shares[i].reply) > IS_FALSE) {
            return true;
        }
    }
    return false;
}

static void conclude(oh_client *client, const oh_split *split, oh_share *shares, zval *return_value)
{
    uint32_t count = split->parts_count, failed = oh_scatter_failed(shares, count);

    if (failed == 0 || has_one_ok(split, shares)) {
        merge(client, split, shares, return_value);
    } else if (failed == count || split->merge == OH_MERGE_ONE_OK) {
        oh_scatter_throw_first(shares, count);
    } else {
        throw_partial(client, split, shares);
    }
    oh_scatter_free(shares, count);
}

static void call(oh_client *client, oh_split *split, zval *return_value)
{
    uint32_t count = split->parts_count, i;
    oh_share *shares = safe_emalloc(count, sizeof *shares, 0);

    if (UNEXPECTED(oh_split_is_piped(client, split))) {
        if (oh_split_run_piped(client, split, shares)) {
            conclude(client, split, shares, return_value);
        }
        efree(shares);
        return;
    }
    for (i = 0; i < count; i++) {
        shares[i].lane = oh_lane_take(client, split->parts[i].node);
        shares[i].function = split->method->original;
        shares[i].count = split->parts[i].count;
        shares[i].arguments = split->parts[i].arguments;
        shares[i].terms = split->terms;
        if (!shares[i].lane) {
            break;
        }
    }
    bool is_race = split->terms.wait_ms && split->merge == OH_MERGE_STREAMS;
    if (i == count && (is_race ? oh_race_run(client, shares, count) : oh_scatter_run(shares, count))) {
        conclude(client, split, shares, return_value);
    }
    efree(shares);
}

void oh_parts_call(oh_client *client, oh_split *split, zval *return_value)
{
    call(client, split, return_value);
    oh_split_free(split);
}
