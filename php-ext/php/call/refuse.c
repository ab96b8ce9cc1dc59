/*
 * A refusal names the method, or the command, in the words of whoever called it, and ends with what
 * to do instead.
 */
#include "php_onehop.h"

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

    if (UNEXPECTED(oh_client_mode(client)->meet_refusal != NULL)) {
        oh_client_mode(client)->meet_refusal(client, refusal);
    }
    oh_failure_throw(oh_failure_exception(refusal, NULL, pool, NULL));
}

/* ---- Unsupported ---- */

/* CONFIG SET for config|set. */
static const char *spelled(const oh_command *command, char *text, size_t size)
{
    size_t length = MIN(strlen(command->name), size - 1);

    for (size_t i = 0; i < length; i++) {
        text[i] = command->name[i] == '|' ? ' ' : (char)toupper((unsigned char)command->name[i]);
    }
    text[length] = '\0';
    return text;
}

void oh_refuse(const zend_execute_data *execute_data, const oh_command *command, const char *advice)
{
    const char *method = ZSTR_VAL(execute_data->func->common.function_name);
    const oh_method *called = oh_method_of(execute_data);
    const oh_method_row *row = called ? called->row : NULL;
    oh_failure failure;
    char name[64];

    if (command && row && (row->subcommand || row->kind == OH_METHOD_RAW)) {
        oh_failure_set(&failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT, advice,
            "OneHop\\Redis::%s() with %s is not supported", method,
            spelled(command, name, sizeof name));
    } else {
        oh_failure_set(&failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT, advice,
            "OneHop\\Redis::%s() is not supported", method);
    }
    oh_refuse_for(oh_client_of(Z_OBJ(execute_data->This)), &failure);
}

void oh_refuse_method(INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);

    if (!method->row) {
        oh_refuse(execute_data, NULL,
            "nothing says which node it is about: OneHop does not know this version of phpredis, "
            "nor the method by its parameters");
    } else if (method->row->reason) {
        oh_refuse(execute_data, NULL, method->row->reason);
    } else if (method->command && method->command->reason) {
        oh_refuse(execute_data, NULL, method->command->reason);
    } else {
        oh_refuse(execute_data, NULL, "use plain \\Redis on the node that OneHop\\Topology names");
    }
}

void oh_refuse_in_transaction(const zend_execute_data *execute_data, const char *advice)
{
    oh_failure refusal;

    oh_failure_set(&refusal, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT, advice,
        "OneHop\\Redis::%s() has no place in a transaction",
        ZSTR_VAL(execute_data->func->common.function_name));
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

    oh_failure_set(&failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT,
        "nothing says which of its words is a key: by onNode() and onEachNode() anything can be "
        "sent to nodes you choose",
        "OneHop\\Redis::%s(): the table of commands has no \"",
        ZSTR_VAL(execute_data->func->common.function_name));
    oh_failure_show(&failure, words[0].bytes, words[0].length);
    if (count > 1) {
        oh_failure_append(&failure, " ");
        oh_failure_show(&failure, words[1].bytes, words[1].length);
    }
    oh_failure_append(&failure, "\"");
    oh_refuse_for(oh_client_of(Z_OBJ(execute_data->This)), &failure);
}

/* ---- CrossNode ---- */

static void append_shown(smart_str *text, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < MIN(length, OH_SHOWN_BYTES_MAX); i++) {
        if (bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '\\') {
            smart_str_appendc(text, (char)bytes[i]);
        } else {
            smart_str_append_printf(text, "\\x%02x", bytes[i]);
        }
    }
}

/*
 * Names for both keys that would bring them together: what decides the place of the first becomes
 * the tag of both. A key that has a tag keeps its name.
 */
static zend_string *advice_for(const oh_client *client, oh_placed_key one, oh_placed_key other)
{
    const oh_server_pool *pool = client->snapshot->pool;
    bool has_tag = pool->has_hash_tag || pool->is_cluster;
    const uint8_t *tag = pool->has_hash_tag ? pool->hash_tag : oh_cluster_tag;
    oh_bytes part = oh_key_hashed((oh_bytes){one.bytes, one.length}, tag);
    smart_str tagged = {0}, text = {0};

    smart_str_appendc(&tagged, (char)tag[0]);
    smart_str_appendl(&tagged, (const char *)part.bytes, MIN(part.length, OH_SHOWN_BYTES_MAX));
    smart_str_appendc(&tagged, (char)tag[1]);
    smart_str_0(&tagged);
    smart_str_appends(&text, has_tag ? "" : "set hash_tag: \"{}\" in the server pool and ");
    smart_str_appends(&text, "give both keys one hash tag, such as \"");
    if (part.length < one.length) {
        append_shown(&text, one.bytes, one.length);
    } else {
        append_shown(&text, (const uint8_t *)ZSTR_VAL(tagged.s), ZSTR_LEN(tagged.s));
    }
    smart_str_appends(&text, "\" and \"");
    smart_str_appendl(&tagged, (const char *)other.bytes, other.length);
    append_shown(&text, (const uint8_t *)ZSTR_VAL(tagged.s), ZSTR_LEN(tagged.s));
    smart_str_appends(&text, client->prefix ? "\" behind the prefix" : "\"");
    smart_str_free(&tagged);
    return smart_str_extract(&text);
}

/* Where a key is, as a message says it. */
static void quote_home(oh_failure *failure, const oh_snapshot *snapshot, uint32_t home)
{
    oh_node node = oh_topology_node(snapshot->topology, oh_snapshot_node_of(snapshot, home));
    char slot[32];

    if (snapshot->cluster) {
        snprintf(slot, sizeof slot, "in slot %u", (unsigned)home);
        oh_failure_append(failure, slot);
    } else {
        oh_failure_append(failure, "on node ");
        oh_failure_show(failure, node.name.bytes, node.name.length);
    }
}

/* As nodes name it. */
static void quote_key(oh_failure *failure, const oh_client *client, oh_placed_key key)
{
    oh_failure_append(failure, "key \"");
    if (client->prefix && !key.is_unprefixed) {
        oh_failure_show(failure, ZSTR_VAL(client->prefix), ZSTR_LEN(client->prefix));
    }
    oh_failure_show(failure, key.bytes, key.length);
    oh_failure_append(failure, "\"");
}

void oh_refuse_cross_node(
    oh_client *client, const oh_command *command, oh_placed_key one, oh_placed_key other)
{
    const oh_snapshot *snapshot = client->snapshot;
    zend_string *advice = advice_for(client, one, other);
    oh_failure failure;
    char name[64];

    oh_failure_set(&failure, OH_ERROR_CROSS_NODE, OH_OUTCOME_NOT_SENT, ZSTR_VAL(advice),
        "%s needs all its keys %s%s: ", spelled(command, name, sizeof name),
        snapshot->cluster ? "in one slot" : "on one node",
        oh_client_is_in_transaction(client) ? ", being in a transaction" : "");
    quote_key(&failure, client, one);
    oh_failure_append(&failure, " is ");
    quote_home(&failure, snapshot, one.home);
    oh_failure_append(&failure, ", ");
    quote_key(&failure, client, other);
    oh_failure_append(&failure, " ");
    quote_home(&failure, snapshot, other.home);
    oh_refuse_for(client, &failure);
    zend_string_release(advice);
}

void oh_refuse_pattern(
    oh_client *client, const oh_command *command, const uint8_t *pattern, size_t length)
{
    oh_failure failure;
    char name[64];

    oh_failure_set(&failure, OH_ERROR_CROSS_NODE, OH_OUTCOME_NOT_SENT,
        client->snapshot->cluster
            ? "put a hash tag in front of the *, the one that the sorted key has"
            : "put a hash tag in front of the *, the one that the sorted key has, in a server pool "
              "with hash_tag: \"{}\"",
        "%s reads keys made from the pattern \"", spelled(command, name, sizeof name));
    oh_failure_show(&failure, pattern, length);
    oh_failure_append(&failure, "\", which may live on any node");
    oh_refuse_for(client, &failure);
}
