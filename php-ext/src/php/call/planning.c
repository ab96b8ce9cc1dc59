/*
 * Planning: makes the plan of a call from its arguments.
 *
 *     method's row ─► faults ─► command (by subcommand) ─► keys
 *                  ─► one node | parts | all nodes | any node | refusal
 *
 * rawCommand is planned from its words (raw_command.c), every other method from its arguments.
 * Calls with one key, which is one argument, need no plan of this kind: route serves them.
 *
 * Implements spec/route, "Where it goes".
 *
 * A command that needs a key but was called without one goes to the first node unchanged. phpredis
 * or the server refuses it with the error that the caller knows. Such a call cannot touch data.
 */
#include "php/base/zend.h"

#include "php/call/keys.h"
#include "php/call/plan.h"
#include "php/call/refuse.h"

/* ---- The command ---- */

/*
 * True if `names` contains `name`, in upper or lower case. `names` is in lower case, each name
 * between spaces.
 */
static bool is_among(const char *names, const char *name, size_t length)
{
    char wanted[64];

    if (length == 0 || length + 3 > sizeof wanted) {
        return false;
    }
    snprintf(wanted, sizeof wanted, " %s ", name);
    zend_str_tolower(wanted, length + 2);
    return strstr(names, wanted) != NULL;
}

static bool has_option(const zval *argument, const char *names)
{
    zend_string *name;

    if (Z_TYPE_P(argument) != IS_ARRAY) {
        return false;
    }
    ZEND_HASH_FOREACH_STR_KEY(Z_ARRVAL_P(argument), name)
    {
        if (name && is_among(names, ZSTR_VAL(name), ZSTR_LEN(name))) {
            return true;
        }
    }
    ZEND_HASH_FOREACH_END();
    return false;
}

static bool is_empty(const zval *argument)
{
    return Z_TYPE_P(argument) == IS_ARRAY
               ? zend_hash_num_elements(Z_ARRVAL_P(argument)) == 0
               : Z_TYPE_P(argument) == IS_STRING && Z_STRLEN_P(argument) == 0;
}

/* True if phpredis would send this call malformed, or would lose track of the replies after it. */
static bool has_fault(
    const oh_client *client, zend_execute_data *execute_data, const oh_fault *fault)
{
    const zval *argument = oh_keys_argument(execute_data, fault->argument);

    if (!argument || (fault->needs_prefix && !client->prefix)) {
        return false;
    }
    switch (fault->is) {
    case OH_FAULT_ARRAY: return Z_TYPE_P(argument) == IS_ARRAY;
    case OH_FAULT_EMPTY: return is_empty(argument);
    case OH_FAULT_OPTION: return has_option(argument, fault->names);
    case OH_FAULT_SUBCOMMAND:
        return Z_TYPE_P(argument) == IS_STRING &&
               is_among(fault->names, Z_STRVAL_P(argument), Z_STRLEN_P(argument));
    }
    return false;
}

static bool refuse_faults(
    const oh_client *client, zend_execute_data *execute_data, const oh_method_row *row)
{
    for (uint8_t i = 0; i < row->faults_count; i++) {
        if (has_fault(client, execute_data, &row->faults[i])) {
            oh_refuse(execute_data, NULL, row->faults[i].reason);
            return true;
        }
    }
    return false;
}

/*
 * Finds the command by its subcommand, which is an argument. Returns NULL and throws Unsupported if
 * there is none.
 */
static const oh_command *find_by_subcommand(
    zend_execute_data *execute_data, const oh_method_row *row)
{
    zval *argument = oh_keys_argument(execute_data, row->subcommand - 1u);
    oh_bytes words[2] = {{(const uint8_t *)row->command, strlen(row->command)}, {NULL, 0}};
    const oh_command *command;

    if (argument) {
        zend_string *name = oh_client_key(execute_data, argument, row->subcommand);
        if (!name) {
            return NULL;
        }
        words[1] = (oh_bytes){(const uint8_t *)ZSTR_VAL(name), ZSTR_LEN(name)};
    }
    command = oh_command_find(words, argument ? 2 : 1);
    if (!command) {
        oh_refuse_unknown(execute_data, words, argument ? 2 : 1);
    }
    return command;
}

/* ---- The node ---- */

typedef struct placer {
    oh_client *client;
    oh_plan *plan; /* Its key is the first key; NULL before that. */
    uint32_t home; /* The home of the first key. */
} placer;

static oh_placed_key placed(oh_call_key key, uint32_t home)
{
    return (oh_placed_key){
        (const uint8_t *)ZSTR_VAL(key.text), ZSTR_LEN(key.text), home, key.is_unprefixed};
}

static bool place_key(void *context, zend_string *key, const oh_method_key *method_key)
{
    placer *it = context;
    const oh_call_key *first = &it->plan->call.key;

    if (method_key->kind == OH_KEY_PATTERN) {
        if (!memchr(ZSTR_VAL(key), '*', ZSTR_LEN(key))) {
            return true;
        }
        if (!oh_keys_is_pattern_placed(it->client, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key))) {
            oh_refuse_pattern(
                it->client, it->plan->command, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));
            return false;
        }
    }
    if (first->text && it->client->snapshot->pool->distribution == OH_RANDOM) {
        /* With OH_RANDOM, keys have no node of their own: all go to the node of the first key. */
        return true;
    }
    uint32_t home = oh_keys_home(it->client, key, method_key->is_unprefixed);
    if (!first->text) {
        it->home = home;
        it->plan->call.node = oh_snapshot_node_of(it->client->snapshot, home);
        it->plan->call.key = (oh_call_key){zend_string_copy(key), method_key->is_unprefixed};
    } else if (home != it->home) {
        oh_refuse_cross_node(it->client, it->plan->command, placed(*first, it->home),
            placed((oh_call_key){key, method_key->is_unprefixed}, home));
        return false;
    }
    return true;
}

/* Places all keys on one node. Returns false and throws CrossNode if they live on several. */
static bool place_together(oh_client *client, zend_execute_data *execute_data, oh_plan *plan)
{
    placer it = {.client = client, .plan = plan};

    if (oh_keys_walk(execute_data, plan->method->row, place_key, &it)) {
        return true;
    }
    oh_plan_free(plan);
    return false;
}

/* Splits the call by node. It stays whole if all keys are on one node. */
static void place_parts(
    oh_client *client, zend_execute_data *execute_data, oh_plan *plan, uint32_t keys_count)
{
    plan->split = oh_split_cut(client, plan, execute_data, keys_count);
    if (plan->split->parts_count == 1) {
        plan->call.node = plan->split->parts[0].node;
        plan->spread = OH_SPREAD_ONE_NODE;
        oh_plan_free(plan);
    }
}

static bool place(oh_client *client, zend_execute_data *execute_data, oh_plan *plan)
{
    const oh_method_row *row = plan->method->row;
    const oh_command *command = plan->command;

    if (!oh_keys_convert(execute_data, row)) {
        return false;
    }
    uint32_t keys_count = oh_keys_count(execute_data, row);
    if (keys_count == 0 && command->without_keys == OH_SPREAD_REFUSED) {
        if (oh_plan_keyless(client, plan)) {
            return true;
        }
        oh_refuse(execute_data, command, command->without_keys_reason);
        return false;
    }
    if (keys_count == 0 && command->without_keys != OH_SPREAD_NONE) {
        plan->spread = command->without_keys;
        return true;
    }
    if (plan->spread == OH_SPREAD_SPLIT && !oh_client_is_in_transaction(client) && keys_count > 1 &&
        oh_snapshot_homes_count(client->snapshot) > 1) {
        place_parts(client, execute_data, plan, keys_count);
        return true;
    }
    plan->spread = OH_SPREAD_ONE_NODE;
    return place_together(client, execute_data, plan);
}

/* ---- The timeout ---- */

/*
 * If the timeout is absent, null or negative, XREAD and XREADGROUP do not block, and all other
 * commands block forever.
 */
static void plan_wait(zend_execute_data *execute_data, oh_plan *plan)
{
    const oh_method_row *row = plan->method->row;
    int64_t place = row->timeout < 0 ? (int64_t)ZEND_NUM_ARGS() + row->timeout : row->timeout;
    zval *timeout =
        row->has_timeout && place >= 0 ? oh_keys_argument(execute_data, (uint32_t)place) : NULL;
    bool is_optional = plan->command->blocking.option != NULL;

    if (is_optional && (!timeout || zval_get_double(timeout) < 0)) {
        return;
    }
    oh_plan_wait(plan, timeout ? zval_get_double(timeout) : 0);
}

/* ---- Calls in the style of RedisCluster ---- */

/* True for commands whose methods take no arguments. phpredis 5.3.7 ignores arguments to them. */
static bool is_without_arguments(const oh_command *command)
{
    static const char *const names[] = {
        "dbsize", "bgsave", "save", "lastsave", "time", "randomkey", "bgrewriteaof", "role"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(command->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* True for a text that is not a usual way to write true or false. */
static bool is_no_switch(const zval *argument)
{
    return Z_TYPE_P(argument) == IS_STRING && !zend_string_equals_literal(Z_STR_P(argument), "") &&
           !zend_string_equals_literal(Z_STR_P(argument), "0") &&
           !zend_string_equals_literal(Z_STR_P(argument), "1");
}

/*
 * True if the argument cannot be a section of INFO, which has only letters and underscores.
 * RedisCluster takes an array for a host and a port.
 */
static bool is_no_section(const zval *argument)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    return Z_TYPE_P(argument) == IS_ARRAY ||
           (Z_TYPE_P(argument) == IS_STRING &&
               strspn(Z_STRVAL_P(argument), letters) < Z_STRLEN_P(argument));
}

/*
 * Refuses a call whose first argument names a node, as methods of RedisCluster expect it. Returns
 * true for all other calls.
 */
static bool names_no_node(zend_execute_data *execute_data, const oh_plan *plan)
{
    if (ZEND_NUM_ARGS() == 0 || plan->method->row->kind == OH_METHOD_RAW) {
        return true;
    }
    const char *name = plan->command->name;
    const zval *first = ZEND_CALL_ARG(execute_data, 1);
    bool is_flush = strcmp(name, "flushdb") == 0 || strcmp(name, "flushall") == 0;

    ZVAL_DEREF(first);
    if (is_without_arguments(plan->command) || (is_flush && is_no_switch(first)) ||
        (strcmp(name, "info") == 0 && is_no_section(first))) {
        oh_refuse(execute_data, NULL, OH_REASON_NODE_ARGUMENT);
        return false;
    }
    return true;
}

/* ---- The plan ---- */

bool oh_plan_find_command(oh_client *client, zend_execute_data *execute_data, oh_plan *plan)
{
    const oh_method *method = oh_method_of(execute_data);

    *plan = (oh_plan){.method = method,
        .command = method->command,
        .call.terms = {.is_iterated = method->is_iterated, .promise = method->promise}};
    if (UNEXPECTED(client->snapshot->is_cluster)) {
        /* The first node that has keys. */
        plan->call.node = oh_snapshot_next(client->snapshot, client->snapshot->nodes_count - 1);
    }
    if (method->row->kind == OH_METHOD_RAW) {
        return oh_raw_command_find(client, execute_data, plan);
    }
    if (!oh_packing_may_begin(client, execute_data) ||
        UNEXPECTED(refuse_faults(client, execute_data, method->row))) {
        return false;
    }
    if (method->row->subcommand &&
        !(plan->command = find_by_subcommand(execute_data, method->row))) {
        return false;
    }
    plan->spread = plan->command->spread;
    plan->merge = plan->command->merge;
    plan->call.terms.is_read_only = plan->command->is_retryable;
    if (plan->command->blocking.is_blocking) {
        plan_wait(execute_data, plan);
    }
    return true;
}

bool oh_plan_make(oh_client *client, zend_execute_data *execute_data, oh_plan *plan)
{
    if (!oh_plan_find_command(client, execute_data, plan)) {
        return false;
    }
    if (plan->method->row->kind == OH_METHOD_RAW) {
        return oh_raw_command_plan(client, execute_data, plan);
    }
    switch (plan->spread) {
    case OH_SPREAD_ONE_NODE:
    case OH_SPREAD_SPLIT: return place(client, execute_data, plan);
    case OH_SPREAD_ALL_NODES:
    case OH_SPREAD_ANY_NODE: return names_no_node(execute_data, plan);
    default:
        oh_refuse(execute_data, plan->command,
            plan->command->reason ? plan->command->reason : OH_REASON_HAS_METHOD);
        return false;
    }
}
