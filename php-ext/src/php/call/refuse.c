/*
 * A refusal names the method or the command as the caller wrote it, and says what to do instead.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "core/generated/limits.h"

#include "php/call/keys.h"
#include "php/call/refuse.h"
#include "php/exception/exception.h"
#include "php/phpredis/method.h"

void oh_refuse_for(oh_client *client, const oh_failure *refusal)
{
    const char *pool = client->snapshot && refusal->kind == OH_ERROR_CROSS_NODE
                           ? client->snapshot->pool->name.bytes
                           : NULL;

    if (UNEXPECTED(oh_client_mode(client)->on_refusal != NULL)) {
        oh_client_mode(client)->on_refusal(client, refusal);
    }
    oh_failure_throw(oh_failure_exception(refusal, NULL, pool, NULL));
}

void oh_refuse_unasked(oh_client *client, const oh_failure *failure, uint32_t node)
{
    const oh_snapshot *snapshot = client->snapshot;
    oh_node named = oh_topology_node(snapshot->topology, MIN(node, snapshot->nodes_count - 1));

    if (oh_client_mode(client)->on_refusal) {
        oh_client_mode(client)->on_refusal(client, failure);
    }
    oh_failure_throw(oh_failure_exception(failure, &named, snapshot->pool->name.bytes, NULL));
}

/* Quotes the beginning of a name or a key. */
static const char *shown(oh_bytes bytes, oh_quoted *quoted)
{
    return oh_quote_name(quoted, bytes.bytes, bytes.length);
}

/* ---- Unsupported ---- */

/* Spells config|set as CONFIG SET. */
static const char *spelled(const oh_command *command, char *text, size_t size)
{
    size_t length = MIN(strlen(command->name), size - 1);

    for (size_t i = 0; i < length; i++) {
        text[i] = command->name[i] == '|' ? ' ' : (char)toupper((unsigned char)command->name[i]);
    }
    text[length] = '\0';
    return text;
}

/* `is_method`: the method is never served, whatever its arguments. */
static void refuse(const zend_execute_data *execute_data, const oh_command *command,
    const char *advice, bool is_method)
{
    const char *method = ZSTR_VAL(execute_data->func->common.function_name);
    const oh_method *called = oh_method_of(execute_data);
    const oh_method_row *row = called ? called->row : NULL;
    oh_failure failure;
    char name[64];

    if (command && row && (row->subcommand || row->kind == OH_METHOD_RAW)) {
        oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_ERROR_UNSUPPORTED, advice,
            OH_WHAT_COMMAND_UNSUPPORTED, method, spelled(command, name, sizeof name));
    } else {
        oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_ERROR_UNSUPPORTED, advice,
            OH_WHAT_METHOD_UNSUPPORTED, method);
        failure.has_no_command = is_method || (command && advice == command->reason);
    }
    oh_refuse_for(oh_client_of(Z_OBJ(execute_data->This)), &failure);
}

void oh_refuse(const zend_execute_data *execute_data, const oh_command *command, const char *advice)
{
    refuse(execute_data, command, advice, false);
}

void oh_refuse_method(INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    const char *advice = method->row->reason                          ? method->row->reason
                         : method->command && method->command->reason ? method->command->reason
                                                                      : OH_REASON_METHOD_PLAIN;

    refuse(execute_data, NULL, advice, true);
}

void oh_refuse_in_transaction(const zend_execute_data *execute_data, const char *advice)
{
    oh_failure refusal;

    oh_failure_set(&refusal, OH_OUTCOME_NOT_SENT, OH_ERROR_UNSUPPORTED, advice,
        OH_WHAT_NOT_IN_TRANSACTION, ZSTR_VAL(execute_data->func->common.function_name));
    oh_refuse_for(oh_client_of(Z_OBJ(execute_data->This)), &refusal);
}

bool oh_refuse_queued(
    const oh_client *client, const zend_execute_data *execute_data, const char *advice)
{
    if (EXPECTED(client->mode == OH_ATOMIC)) {
        return false;
    }
    oh_refuse(execute_data, NULL, advice);
    return true;
}

void oh_refuse_unknown(const zend_execute_data *execute_data, const oh_bytes *words, size_t count)
{
    oh_failure failure;
    oh_quoted first, second;
    bool has_second = count > 1;

    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_UNKNOWN_COMMAND,
        ZSTR_VAL(execute_data->func->common.function_name), shown(words[0], &first),
        has_second ? " " : "", has_second ? shown(words[1], &second) : "");
    oh_refuse_for(oh_client_of(Z_OBJ(execute_data->This)), &failure);
}

/* ---- CrossNode ---- */

static oh_bytes bytes_of(const zend_string *text)
{
    return (oh_bytes){(const uint8_t *)ZSTR_VAL(text), ZSTR_LEN(text)};
}

/*
 * Suggests names that put both keys on one node: the hashed part of the first key becomes the hash
 * tag of both. A key that already has a tag keeps its name.
 */
static zend_string *advice_for(const oh_client *client, oh_placed_key one, oh_placed_key other)
{
    const oh_server_pool *pool = client->snapshot->pool;
    bool has_tag = pool->has_hash_tag || pool->is_cluster;
    const uint8_t *tag = pool->has_hash_tag ? pool->hash_tag : oh_cluster_tag;
    oh_bytes part = oh_key_hashed((oh_bytes){one.bytes, one.length}, tag);
    smart_str tagged = {0}, text = {0};
    oh_quoted first, second;

    smart_str_appendc(&tagged, (char)tag[0]);
    smart_str_appendl(&tagged, (const char *)part.bytes, MIN(part.length, OH_SHOWN_BYTES_MAX));
    smart_str_appendc(&tagged, (char)tag[1]);
    smart_str_0(&tagged);
    oh_bytes whole = {one.bytes, one.length};
    shown(part.length < one.length ? whole : bytes_of(tagged.s), &first);
    if (other.length >= ZSTR_LEN(tagged.s) &&
        memcmp(other.bytes, ZSTR_VAL(tagged.s), ZSTR_LEN(tagged.s)) == 0) {
        ZSTR_LEN(tagged.s) = 0; /* The other key has this tag already. */
    }
    smart_str_appendl(&tagged, (const char *)other.bytes, other.length);
    smart_str_append_printf(&text, OH_REASON_TAGS, has_tag ? "" : OH_REASON_TAGS_DIRECTIVE,
        first.text, shown(bytes_of(tagged.s), &second),
        client->prefix ? OH_REASON_TAGS_PREFIX : "");
    smart_str_free(&tagged);
    return smart_str_extract(&text);
}

/* A key with its prefix. */
typedef struct named_key {
    char text[2 * OH_MESSAGE_BYTES_MAX + 1];
} named_key;

static const char *name_key(const oh_client *client, oh_placed_key key, named_key *named)
{
    oh_quoted prefix = {""}, rest;

    if (client->prefix && !key.is_unprefixed) {
        shown(bytes_of(client->prefix), &prefix);
    }
    snprintf(named->text, sizeof named->text, "%s%s", prefix.text,
        shown((oh_bytes){key.bytes, key.length}, &rest));
    return named->text;
}

static const char *name_node(const oh_snapshot *snapshot, uint32_t home, oh_quoted *quoted)
{
    oh_text name = oh_topology_node(snapshot->topology, oh_snapshot_node_of(snapshot, home)).name;

    return shown((oh_bytes){(const uint8_t *)name.bytes, name.length}, quoted);
}

void oh_refuse_cross_node(
    oh_client *client, const oh_command *command, oh_placed_key one, oh_placed_key other)
{
    const oh_snapshot *snapshot = client->snapshot;
    const char *why = oh_client_is_in_transaction(client) ? OH_REASON_IN_TRANSACTION : "";
    zend_string *advice = advice_for(client, one, other);
    oh_quoted node, another;
    named_key first, second;
    oh_failure failure;
    char name[64];

    spelled(command, name, sizeof name);
    name_key(client, one, &first);
    name_key(client, other, &second);
    if (snapshot->is_cluster) {
        oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_ERROR_CROSS_NODE, ZSTR_VAL(advice),
            OH_WHAT_CROSS_SLOT, name, why, first.text, (unsigned)one.home, second.text,
            (unsigned)other.home);
    } else {
        oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_ERROR_CROSS_NODE, ZSTR_VAL(advice),
            OH_WHAT_CROSS_NODE, name, why, first.text, name_node(snapshot, one.home, &node),
            second.text, name_node(snapshot, other.home, &another));
    }
    oh_refuse_for(client, &failure);
    zend_string_release(advice);
}

void oh_refuse_pattern(
    oh_client *client, const oh_command *command, const uint8_t *pattern, size_t length)
{
    oh_failure failure;
    char name[64];
    oh_quoted quoted;

    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_PATTERN_ANYWHERE,
        spelled(command, name, sizeof name), shown((oh_bytes){pattern, length}, &quoted));
    if (client->snapshot->is_cluster) {
        failure.advice = OH_REASON_PATTERN_IN_CLUSTER;
    }
    oh_refuse_for(client, &failure);
}

/*
 * ---- Values that cannot be packed ----
 *
 * Arrays are checked one level deep, because many methods pack each value of an array separately.
 * For deeper values, PHP's serializer has already written some output, so phpredis does not crash.
 */

static bool is_packable(const zval *value)
{
    ZVAL_DEREF(value);
    if (EXPECTED(Z_TYPE_P(value) != IS_OBJECT) ||
        EXPECTED(!(Z_OBJCE_P(value)->ce_flags & ZEND_ACC_NOT_SERIALIZABLE))) {
        return true;
    }
    zend_throw_exception_ex(
        NULL, 0, "Serialization of '%s' is not allowed", ZSTR_VAL(Z_OBJCE_P(value)->name));
    return false;
}

static bool are_packable(HashTable *values)
{
    zval *value;

    ZEND_HASH_FOREACH_VAL(values, value)
    {
        if (!is_packable(value)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

bool oh_packing_is_possible(zend_execute_data *execute_data)
{
    for (uint32_t i = 1; i <= ZEND_NUM_ARGS(); i++) {
        const zval *argument = ZEND_CALL_ARG(execute_data, i);

        ZVAL_DEREF(argument);
        if (!is_packable(argument) ||
            (Z_TYPE_P(argument) == IS_ARRAY && !are_packable(Z_ARRVAL_P(argument)))) {
            return false;
        }
    }
    return true;
}
