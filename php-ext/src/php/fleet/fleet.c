/*
 * A call to all nodes is a split whose parts all have the caller's arguments. So the code for
 * commands that are split by key also sends, queues and merges it.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"

#include "ext/random/php_random.h"

#include "php/call/enter.h"
#include "php/call/refuse.h"
#include "php/exception/exception.h"
#include "php/fleet/fleet.h"

/* ---- Every node ---- */

static void call_every_node(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    uint32_t count = ZEND_NUM_ARGS();
    uint32_t nodes_count = client->snapshot->nodes_count;
    oh_split *split = oh_split_new(plan, nodes_count, 0);

    for (uint32_t node = 0; node < nodes_count; node++) {
        if (oh_snapshot_has_keys(client->snapshot, node)) {
            oh_split_add(split, node, count, count ? ZEND_CALL_ARG(execute_data, 1) : NULL);
        }
    }
    oh_client_mode(client)->call_parts(client, split, return_value);
}

/*
 * True if all nodes are flushed a second time. A key that has moved during the first flush may
 * still be there; the second one removes it. In a pipeline there is no second flush.
 */
static bool is_flushed_twice(const oh_client *client, const oh_plan *plan)
{
    return oh_topology_is_moving(client->snapshot->topology) && client->mode == OH_ATOMIC &&
           (strcmp(plan->command->name, "flushdb") == 0 ||
               strcmp(plan->command->name, "flushall") == 0);
}

static void call_all_nodes(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    call_every_node(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (UNEXPECTED(is_flushed_twice(client, plan)) && !EG(exception)) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        call_every_node(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* ---- Any node ---- */

/*
 * True if the pending exception says that this node could not answer, so that another node may.
 */
static bool has_node_failed(void)
{
    return EG(exception) && EG(exception)->ce == oh_exception_classes[OH_ERROR_NODE_DOWN];
}

/*
 * Takes the pending failure. Keeps one of all failures that were taken: the first whose command may
 * have executed or, if there is none, the first of all. Implements spec/route, "Outcomes".
 */
static void take_failure(zend_object **kept)
{
    zend_object *failure = EG(exception);

    GC_ADDREF(failure);
    zend_clear_exception();
    if (!*kept) {
        *kept = failure;
    } else if (oh_failure_may_have_executed(failure) && !oh_failure_may_have_executed(*kept)) {
        OBJ_RELEASE(*kept);
        *kept = failure;
    } else {
        OBJ_RELEASE(failure);
    }
}

static void call_on(
    oh_client *client, const oh_plan *plan, uint32_t node, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_call here = plan->call;

    here.node = node;
    oh_client_mode(client)->call(client, &here, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void call_any_node(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_object *failure = NULL;

    if (UNEXPECTED(!oh_snapshot_has_keys(client->snapshot, client->any_node))) {
        client->any_node = oh_snapshot_next(client->snapshot, client->any_node);
    }
    for (uint32_t left = client->snapshot->masters_count; left > 0; left--) {
        call_on(client, plan, client->any_node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        if (EXPECTED(!EG(exception)) || oh_is_script_ending()) {
            break;
        }
        client->any_node = oh_snapshot_next(client->snapshot, client->any_node);
        /* A script (EVAL) without keys goes to any node, but after a failure it may have run. */
        bool is_script = plan->command->spread == OH_SPREAD_ONE_NODE;
        bool is_last =
            left == 1 || !has_node_failed() || (is_script && !plan->command->is_retryable);

        take_failure(&failure);
        if (is_last) {
            oh_failure_throw(failure);
            return;
        }
    }
    if (UNEXPECTED(failure != NULL)) {
        OBJ_RELEASE(failure);
    }
}

/*
 * Asks one node after another until the answer is not nil. If a node failed and all others answered
 * nil, throws the failure: that node may have had an answer.
 */
static void call_until_something(
    oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
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
            take_failure(&failure);
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

/* ---- The call ---- */

void oh_fleet_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    bool is_several = client->snapshot->masters_count > 1 || client->snapshot->is_cluster ||
                      plan->merge == OH_MERGE_PER_NODE || plan->command->state == OH_STATE_WRITES;

    bool is_search = plan->merge == OH_MERGE_FIRST_NOT_NIL;

    if (is_several &&
        (plan->spread == OH_SPREAD_ALL_NODES || (is_search && client->mode == OH_PIPELINE))) {
        call_all_nodes(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (is_search) {
        call_until_something(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        call_any_node(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/*
 * ---- serverName() and serverVersion() ----
 *
 * phpredis sends HELLO for them and reads only half of the reply. OneHop takes both from the
 * fleet's INFO. So the version is the lowest of all nodes, which programs can rely on.
 *
 * redis reports redis_version in INFO. valkey also reports it, for compatibility, and adds
 * server_name and valkey_version.
 */

/* Calls the fleet's INFO server. Returns false on an exception or an error of a node. */
static bool ask_info(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zval section;

    if (!client || zend_parse_parameters_none() == FAILURE) {
        return false;
    }
    if (oh_refuse_queued(client, execute_data, OH_REASON_SERVER_QUEUED)) {
        return false;
    }
    ZVAL_STRINGL(&section, "server", strlen("server"));
    zend_call_known_function(
        zend_hash_str_find_ptr(&oh_client_class->function_table, ZEND_STRL("info")),
        oh_client_object(client), oh_client_class, return_value, 1, &section, NULL);
    zval_ptr_dtor(&section);
    return Z_TYPE_P(return_value) == IS_ARRAY;
}

static zval *text_of(const zval *info, const char *field)
{
    zval *value = zend_hash_str_find(Z_ARRVAL_P(info), field, strlen(field));

    return value && Z_TYPE_P(value) == IS_STRING ? value : NULL;
}

/* Replaces the array of fields by this text as the result. */
static void answer(const zval *text, zval *return_value)
{
    zend_string *found = text ? zend_string_copy(Z_STR_P(text)) : NULL;

    zval_ptr_dtor(return_value);
    if (!found) {
        RETURN_FALSE;
    }
    RETURN_STR(found);
}

void oh_server_info_name(INTERNAL_FUNCTION_PARAMETERS)
{
    if (ask_info(INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
        const zval *name = text_of(return_value, "server_name");
        zval redis;

        ZVAL_STRINGL(&redis, "redis", strlen("redis"));
        answer(name ? name : &redis, return_value);
        zval_ptr_dtor(&redis);
    }
}

void oh_server_info_version(INTERNAL_FUNCTION_PARAMETERS)
{
    if (ask_info(INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
        const zval *version = text_of(return_value, "valkey_version");

        answer(version ? version : text_of(return_value, "redis_version"), return_value);
    }
}
