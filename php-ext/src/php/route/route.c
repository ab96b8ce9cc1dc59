/*
 * The path of one command: key, node, node client, phpredis, verdict.
 *
 *     argument ─► text, converted once ─► prefix + placement ─► node ─► node client
 *              ─► phpredis' own method ─► reply
 *                                     └─ failed exchange ─► exception
 *
 * A call that has more than one key, or none, is planned first.
 *
 * Implements spec/route.
 */
#include "php/base/zend.h"

#include "php/call/enter.h"
#include "php/call/plan.h"
#include "php/call/refuse.h"
#include "php/client/client.h"
#include "php/fleet/fleet.h"
#include "php/phpredis/method.h"
#include "php/phpredis/node_client.h"
#include "php/route/route.h"
#include "php/scatter/parts.h"

/* True if a batch has a command for this master that does not only read. */
static bool has_queued_writes(const oh_client *client, uint32_t master)
{
    const oh_node_client *node_client = client->node_clients[master];

    while (node_client && !(node_client->queue.pipes && !node_client->queue.terms.is_read_only)) {
        node_client = node_client->spare;
    }
    return node_client != NULL;
}

/*
 * Replaces the master in `node` by the node for a read. Returns false and throws if there is none.
 */
static bool choose_reader(oh_client *client, uint32_t *node)
{
    /* A replica could answer before the writes in front of the read are executed. */
    if (UNEXPECTED(oh_read_from_prefers_master(client->snapshot)) && client->mode == OH_PIPELINE &&
        has_queued_writes(client, *node)) {
        return true;
    }
    return oh_client_choose_replica(client, node);
}

void oh_route_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    const oh_method *method = oh_method_of(execute_data);

    if (UNEXPECTED(!client)) {
        return;
    }
    if (UNEXPECTED(ZEND_NUM_ARGS() < method->key)) {
        zend_wrong_parameters_count_error(
            method->original->common.required_num_args, method->original->common.num_args);
        return;
    }
    zend_string *key =
        oh_client_key(execute_data, ZEND_CALL_ARG(execute_data, method->key), method->key);
    if (UNEXPECTED(!key) || !oh_packing_may_begin(client, execute_data)) {
        return;
    }
    oh_call call = {.node = oh_client_locate(client, key),
        .key.text = key,
        .terms = {.is_read_only = method->is_read_only,
            .is_iterated = method->is_iterated,
            .promise = method->promise}};

    if (oh_client_may_read_elsewhere(client, method->command) &&
        !choose_reader(client, &call.node)) {
        return;
    }
    oh_client_mode(client)->call(client, &call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/*
 * ---- Planned calls ----
 *
 * Calls with several keys, several nodes, no key, a subcommand, or raw words.
 */

/*
 * Sends reads to replicas if `read_from` allows it. Returns false and throws if no node may answer.
 */
static bool read_elsewhere(oh_client *client, oh_plan *plan)
{
    const oh_snapshot *snapshot = client->snapshot;
    uint32_t *chosen;
    bool is_found = true;

    if (plan->spread == OH_SPREAD_ONE_NODE) {
        return choose_reader(client, &plan->call.node);
    }
    if (plan->spread != OH_SPREAD_SPLIT) {
        return true;
    }
    chosen = safe_emalloc(snapshot->nodes_count, sizeof *chosen, 0);
    memset(chosen, 0xff, snapshot->nodes_count * sizeof *chosen);
    for (uint32_t i = 0; is_found && i < plan->split->parts_count; i++) {
        uint32_t *node = &plan->split->parts[i].node, *choice = &chosen[*node];

        if (*choice == UINT32_MAX) { /* One replica for each master, so that it gets one write. */
            *choice = *node;
            is_found = choose_reader(client, choice);
        }
        *node = *choice;
    }
    efree(chosen);
    return is_found;
}

void oh_plan_spread(oh_client *client, oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    if (plan->spread == OH_SPREAD_SPLIT) {
        oh_split *split = plan->split;

        plan->split = NULL;
        oh_client_mode(client)->call_parts(client, split, return_value);
    } else if (plan->spread == OH_SPREAD_ONE_NODE && oh_script_is_known(plan, execute_data)) {
        oh_script_call(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (plan->spread == OH_SPREAD_ONE_NODE) {
        oh_client_mode(client)->call(client, &plan->call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        oh_fleet_call(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

static void carry_out(oh_client *client, oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    if (UNEXPECTED(client->snapshot->is_cluster && plan->command &&
                   plan->command->state == OH_STATE_WRITES)) {
        oh_refuse(execute_data, plan->command, OH_REASON_WAIT_IN_CLUSTER);
        return;
    }
    oh_script_see(plan, execute_data);
    if (oh_client_may_read_elsewhere(client, plan->command) &&
        !oh_script_is_known(plan, execute_data) && !read_elsewhere(client, plan)) {
        return;
    }
    oh_client_mode(client)->carry_out(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void call(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_plan plan;

    if (oh_split_express(client, INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
        return;
    }
    if (oh_plan_make(client, execute_data, &plan)) {
        carry_out(client, &plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        oh_plan_free(&plan);
    }
}

void oh_plan_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    if (client) {
        call(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_client_command_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    if (client && !oh_own_name_answers(
                      client, ZEND_CALL_ARG(execute_data, 1), ZEND_NUM_ARGS(), return_value)) {
        call(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* True if the command is CLIENT, is about the object's own name, and has been answered. */
static bool is_answered(oh_client *client, zend_execute_data *execute_data, zval *return_value)
{
    const zval *words = ZEND_CALL_ARG(execute_data, 1);
    uint32_t count = ZEND_NUM_ARGS();

    return count > 1 && Z_TYPE_P(words) == IS_STRING &&
           zend_string_equals_literal_ci(Z_STR_P(words), "client") &&
           oh_own_name_answers(client, words + 1, count - 1, return_value);
}

/* True if these are the arguments of a SELECT; then sets the number. */
static bool is_select(zend_execute_data *execute_data, zend_long *database)
{
    if (ZEND_NUM_ARGS() != 2) {
        return false;
    }
    const zval *name = ZEND_CALL_ARG(execute_data, 1), *number = ZEND_CALL_ARG(execute_data, 2);
    if (Z_TYPE_P(name) != IS_STRING || !zend_string_equals_literal_ci(Z_STR_P(name), "select")) {
        return false;
    }
    if (Z_TYPE_P(number) == IS_LONG) {
        *database = Z_LVAL_P(number);
        return true;
    }
    return Z_TYPE_P(number) == IS_STRING &&
           is_numeric_string(Z_STRVAL_P(number), Z_STRLEN_P(number), database, NULL, false) ==
               IS_LONG;
}

void oh_raw_command_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long database;

    if (client && is_select(execute_data, &database) &&
        oh_select(client, database, INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
        return;
    }
    if (client && is_answered(client, execute_data, return_value)) {
        return;
    }
    if (client) {
        call(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* ---- select() ---- */

/*
 * One node is asked whether it has the database, with the caller's own command. So the caller gets
 * the node's answer, and after an error the object stays where it was. Each other node is asked
 * when a connection to it is brought to the database.
 */
static bool has_number(zend_long database)
{
    return database >= 0 && database < UINT32_MAX;
}

/* With OPT_REPLY_LITERAL the reply is a text. */
static bool is_ok(const zval *reply)
{
    return Z_TYPE_P(reply) == IS_TRUE ||
           (Z_TYPE_P(reply) == IS_STRING && zend_string_equals_literal(Z_STR_P(reply), "OK"));
}

/* Sends the SELECT to a node. The node itself refuses a number that no database has. */
static void ask(oh_client *client, zend_long database, INTERNAL_FUNCTION_PARAMETERS)
{
    static const oh_bytes name = {(const uint8_t *)"select", 6};
    oh_database selects =
        has_number(database) ? oh_database_of((uint32_t)database) : (oh_database){0};
    oh_plan plan = {.method = oh_method_of(execute_data),
        .command = oh_command_find(&name, 1),
        .spread = OH_SPREAD_ANY_NODE,
        .call.terms = {.selects = selects,
            .is_unknown = !oh_database_is_chosen(selects),
            .is_read_only = true}};

    oh_fleet_call(client, &plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (!EG(exception) && is_ok(return_value) && oh_database_is_chosen(selects)) {
        client->database = selects;
    }
}

bool oh_select(oh_client *client, zend_long database, INTERNAL_FUNCTION_PARAMETERS)
{
    if (client->mode != OH_ATOMIC) {
        return false;
    }
    if (database == oh_client_database(client)) {
        client->has_selected = true;
        RETVAL_TRUE;
        return true;
    }
    if (client->transaction || client->snapshot->pool->is_ssdb) {
        return false;
    }
    if (database == oh_server_pool_database(client->snapshot->pool)) {
        client->database = (oh_database){0};
        client->has_selected = true;
        RETVAL_TRUE;
        return true;
    }
    ask(client, database, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    return true;
}
