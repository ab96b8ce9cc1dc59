/*
 * A call to all nodes is a split whose parts all have the caller's arguments: so it is sent, queued and merged by the
 * same code as commands whose keys are cut.
 */
#include "php_onehop.h"

#include "zend_exceptions.h"

#include "ext/random/php_random.h"

#include "php/exception/exception.h"
#include "php/call/call.h"
#include "php/fleet/fleet.h"
#include "php/call/refuse.h"

/* ---- The habits of RedisCluster ---- */

/* Commands whose methods take no argument; phpredis 5.3.7 lets any pass. */
static bool is_without_arguments(const oh_command *command)
{
    static const char *const names[] = {"dbsize", "bgsave", "save", "lastsave", "time", "randomkey", "bgrewriteaof", "role"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(command->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A text that no script means for true or false. */
static bool is_no_switch(const zval *argument)
{
    return Z_TYPE_P(argument) == IS_STRING && !zend_string_equals_literal(Z_STR_P(argument), "") &&
           !zend_string_equals_literal(Z_STR_P(argument), "0") && !zend_string_equals_literal(Z_STR_P(argument), "1");
}

/* Sections of INFO are letters and underscores; an array is a host and a port. */
static bool is_no_section(const zval *argument)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    return Z_TYPE_P(argument) == IS_ARRAY ||
           (Z_TYPE_P(argument) == IS_STRING && strspn(Z_STRVAL_P(argument), letters) < Z_STRLEN_P(argument));
}

bool oh_fleet_accepts(zend_execute_data *execute_data, const oh_plan *plan)
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
        oh_refuse(execute_data, NULL, "its first argument names no node, as that of RedisCluster does, and it would concern "
            "all of them: leave it out if you mean that, or call it by onNode() on one");
        return false;
    }
    return true;
}

/* ---- Every node ---- */

oh_split *oh_fleet_split(oh_client *client, const oh_plan *plan, uint32_t count, const zval *arguments)
{
    uint32_t nodes_count = client->snapshot->nodes_count;
    oh_split *split = oh_split_new(plan, nodes_count, 0);

    for (uint32_t node = 0; node < nodes_count; node++) {
        if (oh_snapshot_has_keys(client->snapshot, node)) {
            oh_split_add(split, node, count, arguments);
        }
    }
    return split;
}

static void call_every_node(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    uint32_t count = ZEND_NUM_ARGS();
    oh_split *split = oh_fleet_split(client, plan, count, count ? ZEND_CALL_ARG(execute_data, 1) : NULL);

    oh_split_run(client, plan, split, return_value);
}

/* ---- Any node ---- */

/* Whether the pending exception says that this node could not answer, so that another one is worth asking. */
static bool has_node_failed(void)
{
    return EG(exception) && EG(exception)->ce == oh_exception_classes[OH_ERROR_NODE_DOWN];
}

static void call_on(oh_client *client, const oh_plan *plan, uint32_t node, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_plan here = *plan;

    here.node = node;
    oh_call_planned(client, &here, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void call_any_node(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    if (UNEXPECTED(!oh_snapshot_has_keys(client->snapshot, client->any_node))) {
        client->any_node = oh_snapshot_next(client->snapshot, client->any_node);
    }
    for (uint32_t left = client->snapshot->masters_count; left > 0; left--) {
        call_on(client, plan, client->any_node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        if (EXPECTED(!EG(exception)) || oh_is_script_ending()) {
            return;
        }
        client->any_node = oh_snapshot_next(client->snapshot, client->any_node);
        bool is_script = plan->command->spread == OH_SPREAD_ONE_NODE; /* Without keys; it may have run. */

        if (!has_node_failed() || left == 1 || (is_script && !plan->command->is_retryable)) {
            return;
        }
        zend_clear_exception();
    }
}

/* From node to node while the answer is nil. That all the others have nothing says nothing of one that failed. */
static void call_until_something(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_object *failure = NULL;
    zend_long node = 0;

    php_random_int_silent(0, client->snapshot->nodes_count - 1, &node);
    for (uint32_t left = client->snapshot->masters_count; left > 0; left--) {
        node = oh_snapshot_next(client->snapshot, (uint32_t)node);
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        call_on(client, plan, (uint32_t)node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        if (has_node_failed()) {
            if (!failure) {
                failure = EG(exception);
                GC_ADDREF(failure);
            }
            zend_clear_exception();
        } else if (EG(exception) || Z_TYPE_P(return_value) > IS_FALSE) {
            break;
        }
    }
    if (failure && !EG(exception) && Z_TYPE_P(return_value) <= IS_FALSE) {
        oh_failure_throw(failure);
    } else if (failure) {
        OBJ_RELEASE(failure);
    }
}

/* ---- The road ---- */

void oh_fleet_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    bool is_several = client->snapshot->masters_count > 1 || client->snapshot->cluster || plan->merge == OH_MERGE_PER_NODE ||
                      plan->command->state == OH_STATE_WRITES;

    if (plan->spread == OH_SPREAD_ALL_NODES && is_several) {
        call_every_node(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (plan->merge == OH_MERGE_FIRST_NOT_NIL && client->batch.is_open && is_several) {
        call_every_node(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (plan->merge == OH_MERGE_FIRST_NOT_NIL) {
        call_until_something(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        call_any_node(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
