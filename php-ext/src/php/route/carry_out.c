/*
 * Carries out planned calls: those with several keys, several nodes, no key, a subcommand, or raw
 * words.
 */
#include "php/base/zend.h"

#include "php/call/enter.h"
#include "php/call/plan.h"
#include "php/call/refuse.h"
#include "php/client/client.h"
#include "php/fleet/fleet.h"
#include "php/route/route.h"
#include "php/scatter/parts.h"

/*
 * Sends read-only commands to replicas if `read_from` allows it. Returns false and throws if there
 * is no replica.
 */
static bool read_elsewhere(oh_client *client, oh_plan *plan)
{
    const oh_snapshot *snapshot = client->snapshot;
    uint32_t *chosen;
    bool is_found = true;

    if (plan->spread == OH_SPREAD_ONE_NODE) {
        return oh_route_choose_reader(client, &plan->call.node);
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
            is_found = oh_route_choose_reader(client, choice);
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

    if (oh_deal_call(client, INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
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

/* True if CLIENT about the object's own name has been answered. */
static bool is_answered(oh_client *client, zend_execute_data *execute_data, zval *return_value)
{
    const zval *words = ZEND_CALL_ARG(execute_data, 1);
    uint32_t count = ZEND_NUM_ARGS();

    return count > 1 && Z_TYPE_P(words) == IS_STRING &&
           zend_string_equals_literal_ci(Z_STR_P(words), "client") &&
           oh_own_name_answers(client, words + 1, count - 1, return_value);
}

void oh_raw_command_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long database;

    if (client && oh_select_is_meant(execute_data, &database) &&
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
