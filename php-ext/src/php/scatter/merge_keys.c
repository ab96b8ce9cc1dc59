/*
 * Puts replies with a value for each key back into the order of the caller's keys.
 *
 * Implements spec/route, "Merging": in_order, streams.
 */
#include "php/base/zend.h"

#include "php/scatter/merge.h"

/* ---- Elements of keys ---- */

/* Moves the next `width` elements of a part's list. Missing elements become false. */
static void place_elements(HashTable *reply, uint32_t *next, uint32_t width, HashTable *merged)
{
    zval entry;

    while (width-- > 0) {
        zval *value = zend_hash_index_find(reply, (*next)++);

        if (EXPECTED(value != NULL)) {
            oh_merge_move(&entry, value);
        } else {
            ZVAL_FALSE(&entry);
        }
        zend_hash_next_index_insert_new(merged, &entry);
    }
}

/*
 * Copies the next entry of a part's map (PUBSUB NUMSUB). The merged map has a channel once, even if
 * the caller has named it twice.
 */
static void place_entry(HashTable *reply, HashPosition *next, HashTable *merged)
{
    zval *value = zend_hash_get_current_data_ex(reply, next);
    zend_string *name;
    zend_ulong number;

    if (value && zend_hash_get_current_key_ex(reply, &name, &number, next) == HASH_KEY_IS_STRING) {
        Z_TRY_ADDREF_P(value);
        zend_hash_update(merged, name, value);
    } else if (value) {
        Z_TRY_ADDREF_P(value);
        zend_hash_index_update(merged, number, value);
    }
    zend_hash_move_forward_ex(reply, next);
}

static bool is_map(const zval *reply)
{
    HashPosition first = 0;

    return zend_hash_get_current_key_type_ex(Z_ARRVAL_P(reply), &first) == HASH_KEY_IS_STRING;
}

/*
 * True if all parts that did not fail returned lists. Otherwise the result is false, as without a
 * split.
 */
static bool are_lists(const oh_merging *merging)
{
    for (uint32_t i = 0; i < merging->count; i++) {
        if (!(merging->failures && merging->failures[i]) &&
            Z_TYPE_P(merging->replies[i]) != IS_ARRAY) {
            return false;
        }
    }
    return true;
}

uint32_t oh_merge_misfit(const oh_merging *merging)
{
    const oh_split *split = merging->split;
    uint32_t width = MAX(split->command->merge_width, 1), misfit = 0;
    uint32_t *missing = ecalloc(merging->count, sizeof *missing);

    for (uint32_t key = 0; key < split->keys_count; key++) {
        missing[split->part_of_key[key]] += width;
    }
    for (; misfit < merging->count; misfit++) {
        const zval *reply = merging->replies[misfit];
        bool is_list = !(merging->failures && merging->failures[misfit]) &&
                       Z_TYPE_P(reply) == IS_ARRAY && !is_map(reply);

        if (is_list && zend_hash_num_elements(Z_ARRVAL_P(reply)) != missing[misfit]) {
            break;
        }
    }
    efree(missing);
    return misfit;
}

bool oh_merge_in_order(oh_merging *merging)
{
    const oh_split *split = merging->split;
    if (!are_lists(merging)) {
        return false;
    }
    uint32_t width = MAX(split->command->merge_width, 1),
             *next = ecalloc(merging->count, sizeof *next);
    zval entry;

    array_init_size(merging->merged, split->keys_count * width);
    for (uint32_t key = 0; key < split->keys_count; key++) {
        uint32_t part = split->part_of_key[key];

        if (merging->failures && merging->failures[part]) {
            ZVAL_OBJ_COPY(&entry, merging->failures[part]);
            zend_hash_next_index_insert(Z_ARRVAL_P(merging->merged), &entry);
        } else if (UNEXPECTED(is_map(merging->replies[part]))) {
            place_entry(
                Z_ARRVAL_P(merging->replies[part]), &next[part], Z_ARRVAL_P(merging->merged));
        } else {
            place_elements(Z_ARRVAL_P(merging->replies[part]), &next[part], width,
                Z_ARRVAL_P(merging->merged));
        }
    }
    efree(next);
    return true;
}

/* ---- Streams ---- */

/*
 * Collects the streams of a reply by name. XREAD returns a map of streams; rawCommand returns a
 * list of [stream, entries].
 */
static void find_streams(HashTable *reply, HashTable *found)
{
    zend_string *stream;
    zval *entries;

    ZEND_HASH_FOREACH_STR_KEY_VAL(reply, stream, entries)
    {
        zval *name = !stream && Z_TYPE_P(entries) == IS_ARRAY
                         ? zend_hash_index_find(Z_ARRVAL_P(entries), 0)
                         : NULL;

        if (stream || (name && Z_TYPE_P(name) == IS_STRING)) {
            Z_TRY_ADDREF_P(entries);
            zend_hash_update(found, stream ? stream : Z_STR_P(name), entries);
        }
    }
    ZEND_HASH_FOREACH_END();
}

static void add_stream(HashTable *merged, zend_string *stream, zval *entries, bool is_map)
{
    Z_TRY_ADDREF_P(entries);
    if (is_map) {
        zend_hash_update(merged, stream, entries);
    } else {
        zend_hash_next_index_insert(merged, entries);
    }
}

/*
 * Moves the streams into the caller's order. A stream that the caller did not name comes last, so
 * nothing is lost; no known server sends one.
 */
static void take_streams(oh_merging *merging, HashTable *found, bool are_maps)
{
    const oh_split *split = merging->split;
    HashTable *merged = Z_ARRVAL_P(merging->merged);
    zend_string *stream;
    zval *entries;

    for (uint32_t key = 0; split->keys && key < split->keys_count; key++) {
        entries = zend_hash_find(found, split->keys[key]);
        if (entries) {
            add_stream(merged, split->keys[key], entries, are_maps);
            zend_hash_del(found, split->keys[key]);
        }
    }
    ZEND_HASH_FOREACH_STR_KEY_VAL(found, stream, entries)
    {
        add_stream(merged, stream, entries, are_maps);
    }
    ZEND_HASH_FOREACH_END();
}

bool oh_merge_streams(oh_merging *merging)
{
    HashTable found;
    bool are_maps = false;

    if (oh_merge_has_false(merging)) {
        return false;
    }
    zend_hash_init(&found, 8, NULL, ZVAL_PTR_DTOR, false);
    for (uint32_t i = 0; i < merging->count; i++) {
        if (Z_TYPE_P(merging->replies[i]) == IS_ARRAY) {
            are_maps |= is_map(merging->replies[i]);
            find_streams(Z_ARRVAL_P(merging->replies[i]), &found);
        }
    }
    if (zend_hash_num_elements(&found) == 0) {
        oh_merge_take_first(merging);
    } else {
        array_init(merging->merged);
        take_streams(merging, &found, are_maps);
    }
    zend_hash_destroy(&found);
    return true;
}
