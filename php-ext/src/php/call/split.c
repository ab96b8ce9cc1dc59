/*
 * All keys are text here. Each part gets its keys as one array, whether the caller passed an array
 * or several arguments. Only a call that stays on one node keeps the caller's form.
 */
#include "php/base/zend.h"

#include "core/generated/words.h"

#include "core/resp/literal.h"

#include "php/call/keys.h"
#include "php/call/plan.h"

/*
 * WAIT covers only the writes of its own connection, but the caller's writes usually went over
 * other connections. A PUBLISH in front of WAIT moves the connection's offset past every write that
 * the node has acknowledged to any client.
 */
#define WRITES_PREFACE OH_RESP_EMPTY_PUBLISH

/* ---- The data ---- */

oh_split *oh_split_new(const oh_plan *plan, uint32_t parts_room, uint32_t keys_room)
{
    oh_split *split = ecalloc(1, sizeof *split);

    split->method = plan->method;
    split->command = plan->learnt ? NULL : plan->command;
    split->merge = plan->merge;
    split->terms = plan->call.terms;
    split->terms.preface =
        plan->command && plan->command->state == OH_STATE_WRITES ? WRITES_PREFACE : NULL;
    split->terms.is_unknown |= !plan->command;
    split->parts_room = parts_room;
    split->parts = safe_emalloc(parts_room, sizeof *split->parts, 0);
    split->keys_room = keys_room;
    split->part_of_key = keys_room ? safe_emalloc(keys_room, sizeof(uint32_t), 0) : NULL;
    split->keys =
        split->merge == OH_MERGE_STREAMS ? safe_emalloc(keys_room, sizeof *split->keys, 0) : NULL;
    return split;
}

oh_part *oh_split_add(oh_split *split, uint32_t node, uint32_t count, const zval *arguments)
{
    ZEND_ASSERT(split->parts_count < split->parts_room);
    oh_part *part = &split->parts[split->parts_count++];

    part->node = node;
    part->count = count;
    part->arguments = safe_emalloc(count, sizeof(zval), 0);
    for (uint32_t i = 0; i < count; i++) {
        ZVAL_COPY_DEREF(&part->arguments[i], (zval *)&arguments[i]);
    }
    return part;
}

/*
 * Records that the next key belongs to this part. Takes ownership of `name`, which only STREAMS
 * needs.
 */
static void note_key(oh_split *split, uint32_t part, zend_string *name)
{
    if (split->keys) {
        split->keys[split->keys_count] = name;
    }
    ZEND_ASSERT(split->part_of_key);
    split->part_of_key[split->keys_count++] = part;
}

void oh_split_free(oh_split *split)
{
    for (uint32_t i = 0; i < split->parts_count; i++) {
        for (uint32_t j = 0; j < split->parts[i].count; j++) {
            zval_ptr_dtor(&split->parts[i].arguments[j]);
        }
        if (split->parts[i].arguments) {
            efree(split->parts[i].arguments);
        }
    }
    efree(split->parts);
    for (uint32_t i = 0; split->keys && i < split->keys_count; i++) {
        zend_string_release(split->keys[i]);
    }
    if (split->keys) {
        efree(split->keys);
    }
    if (split->part_of_key) {
        efree(split->part_of_key);
    }
    efree(split);
}

/* ---- Cutting arguments ---- */

#define OH_NO_PART UINT32_MAX

/* The state while a call is cut into parts. */
typedef struct oh_cutter {
    oh_client *client;
    oh_split *split;
    const oh_method_key *method_key;
    uint32_t *part_of_home; /* OH_NO_PART for a home without a part so far. */
    uint32_t count;
    zval *arguments; /* The arguments of every part; UNDEF at the position of its keys. */
} oh_cutter;

static bool is_array(const zval *argument)
{
    return argument && Z_TYPE_P(argument) == IS_ARRAY;
}

/* Copies all arguments except the keys, which become one argument. */
static void take_arguments(oh_cutter *cutter, zend_execute_data *execute_data)
{
    uint32_t at = cutter->method_key->argument;
    bool has_array = is_array(oh_keys_argument(execute_data, at));
    uint32_t behind = has_array ? at + 1 : oh_keys_rest_end(execute_data, cutter->method_key);

    cutter->count = at + 1 + (ZEND_NUM_ARGS() > behind ? ZEND_NUM_ARGS() - behind : 0);
    cutter->arguments = safe_emalloc(cutter->count, sizeof(zval), 0);
    for (uint32_t i = 0; i < cutter->count; i++) {
        if (i == at) {
            ZVAL_UNDEF(&cutter->arguments[i]);
        } else {
            ZVAL_COPY_VALUE(&cutter->arguments[i],
                ZEND_CALL_ARG(execute_data, (i < at ? i : behind + i - at - 1) + 1));
        }
    }
}

/* A key as phpredis sends it. */
static zend_string *sent_name(const oh_cutter *cutter, const zend_string *key)
{
    const zend_string *prefix = cutter->method_key->is_unprefixed ? NULL : cutter->client->prefix;

    return prefix ? zend_string_concat2(
                        ZSTR_VAL(prefix), ZSTR_LEN(prefix), ZSTR_VAL(key), ZSTR_LEN(key))
                  : zend_string_copy((zend_string *)key);
}

/* Returns the array of keys of this key's node, and records the key, which the caller adds. */
static HashTable *keys_of(oh_cutter *cutter, const zend_string *key)
{
    oh_split *split = cutter->split;
    const oh_snapshot *snapshot = cutter->client->snapshot;
    uint32_t home = oh_keys_home(cutter->client, key, cutter->method_key->is_unprefixed);
    uint32_t index = cutter->part_of_home[home], at = cutter->method_key->argument;

    if (index == OH_NO_PART) {
        index = cutter->part_of_home[home] = split->parts_count;
        oh_part *part = oh_split_add(
            split, oh_snapshot_node_of(snapshot, home), cutter->count, cutter->arguments);
        array_init_size(
            &part->arguments[at], split->keys_room / oh_snapshot_homes_count(snapshot) + 8);
    }
    note_key(split, index, split->keys ? sent_name(cutter, key) : NULL);
    return Z_ARRVAL(split->parts[index].arguments[at]);
}

static bool add_key(void *context, zend_string *key, const oh_method_key *method_key)
{
    zval value;

    ZVAL_STR_COPY(&value, key);
    zend_hash_next_index_insert(keys_of(context, key), &value);
    return true;
}

static void cut_pairs(oh_cutter *cutter, HashTable *pairs)
{
    zend_ulong number;
    zend_string *name;
    zval *value;

    ZEND_HASH_FOREACH_KEY_VAL(pairs, number, name, value)
    {
        zend_string *key = name ? zend_string_copy(name) : zend_long_to_str((zend_long)number);

        ZVAL_DEREF(value);
        Z_TRY_ADDREF_P(value);
        zend_symtable_update(keys_of(cutter, key), key, value);
        zend_string_release(key);
    }
    ZEND_HASH_FOREACH_END();
}

oh_split *oh_split_cut(
    oh_client *client, const oh_plan *plan, zend_execute_data *execute_data, uint32_t keys_count)
{
    const oh_method_row *row = plan->method->row;
    uint32_t homes_count = oh_snapshot_homes_count(client->snapshot);
    oh_cutter cutter = {.client = client, .method_key = &row->keys[0]};

    cutter.split = oh_split_new(plan, MIN(homes_count, keys_count), keys_count);
    cutter.part_of_home = safe_emalloc(homes_count, sizeof(uint32_t), 0);
    memset(cutter.part_of_home, 0xff, homes_count * sizeof(uint32_t));
    take_arguments(&cutter, execute_data);
    if (cutter.method_key->form == OH_FORM_NAMES) {
        cut_pairs(&cutter, Z_ARRVAL_P(oh_keys_argument(execute_data, cutter.method_key->argument)));
    } else {
        oh_keys_walk(execute_data, row, add_key, &cutter);
    }
    efree(cutter.arguments);
    efree(cutter.part_of_home);
    return cutter.split;
}

/* ---- Cutting words ---- */

oh_split *oh_split_cut_words(oh_client *client, const oh_plan *plan, const oh_bytes *words,
    const oh_command_shape *shape, const uint32_t *homes)
{
    uint32_t homes_count = oh_snapshot_homes_count(client->snapshot),
             keys_count = (uint32_t)shape->keys;
    uint32_t *part_of_home = safe_emalloc(homes_count, sizeof(uint32_t), 0);
    oh_bytes *own = safe_emalloc(shape->words, sizeof *own, 0);
    zval *arguments = safe_emalloc(shape->words, sizeof(zval), 0);
    char number[OH_NUMBER_OF_KEYS_BYTES];
    oh_split *split = oh_split_new(plan, MIN(homes_count, keys_count), keys_count);

    memset(part_of_home, 0xff, homes_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < keys_count; i++) {
        if (part_of_home[homes[i]] == OH_NO_PART) {
            uint32_t count = (uint32_t)oh_command_part(shape, words, homes, homes[i], own, number);

            for (uint32_t j = 0; j < count; j++) {
                ZVAL_STRINGL(&arguments[j], (const char *)own[j].bytes, own[j].length);
            }
            part_of_home[homes[i]] = split->parts_count;
            oh_split_add(split, oh_snapshot_node_of(client->snapshot, homes[i]), count, arguments);
            for (uint32_t j = 0; j < count; j++) {
                zval_ptr_dtor(&arguments[j]);
            }
        }
        const oh_bytes *key = &words[shape->first + i * shape->step];
        note_key(split, part_of_home[homes[i]],
            split->keys ? zend_string_init((const char *)key->bytes, key->length, false) : NULL);
    }
    efree(arguments);
    efree(own);
    efree(part_of_home);
    return split;
}
