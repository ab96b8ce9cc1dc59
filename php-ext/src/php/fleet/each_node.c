/*
 * onEachNode() and onNode(), which call a method on nodes that the script chooses.
 *
 * They also allow commands that the fleet refuses: the script decides which keys a call concerns
 * and what the separate replies mean. They refuse commands that would change a connection for its
 * next users (`state` in the command table), and calls that phpredis would send malformed.
 *
 * The call gets its own frame, as if the script had called the method directly. So planning handles
 * it like any other call, with the same refusals.
 */
#include "php/base/zend.h"

#include "php/fleet/fleet.h"
#include "php/call/enter.h"
#include "php/call/plan.h"
#include "php/call/refuse.h"

/* The script's request. */
typedef struct oh_node_choice {
    oh_client *client;
    zend_string *method;
    uint32_t position; /* Position of the method name among the arguments, for messages. */
    zval *arguments;
    uint32_t count;
} oh_node_choice;

/* ---- What may be sent ---- */

static bool takes_iterator(const zend_function *function)
{
    for (uint32_t i = 0; i < function->common.num_args; i++) {
        if (ZEND_ARG_SEND_MODE(&function->common.arg_info[i])) {
            return true;
        }
    }
    return false;
}

/* Returns why a method cannot be called on a chosen node, or NULL if it can. */
static const char *reason_against(const oh_method *method)
{
    if (method->row->kind != OH_METHOD_COMMAND && method->row->kind != OH_METHOD_RAW) {
        return method->row->reason ? method->row->reason : OH_REASON_EACH_OBJECT;
    }
    return takes_iterator(method->original) ? OH_REASON_EACH_ITERATOR : NULL;
}

static bool may_be_sent(zend_execute_data *execute_data, const oh_plan *plan)
{
    const oh_command *command = plan->command;

    if (!command || command->state == OH_STATE_NONE || command->state == OH_STATE_WRITES) {
        return true;
    }
    oh_refuse(execute_data, command, command->reason ? command->reason : OH_REASON_EACH_SHARED);
    return false;
}

/* ---- The call ---- */

static zend_function *find_method(const oh_node_choice *choice)
{
    zend_string *name = zend_string_tolower(choice->method);
    zend_function *function = zend_hash_find_ptr(&oh_client_class->function_table, name);

    zend_string_release(name);
    if (!function || !function->internal_function.reserved[oh_methods_slot]) {
        zend_argument_value_error(choice->position, "must be the name of a method of \\Redis");
        return NULL;
    }
    return function;
}

static zend_execute_data *lay_out(const oh_node_choice *choice, zend_function *function)
{
    zend_execute_data *frame = zend_vm_stack_push_call_frame(
        ZEND_CALL_NESTED_FUNCTION, function, choice->count, oh_client_object(choice->client));

    for (uint32_t i = 0; i < choice->count; i++) {
        ZVAL_COPY_DEREF(ZEND_CALL_ARG(frame, i + 1), &choice->arguments[i]);
    }
    return frame;
}

static void clear_away(zend_execute_data *frame)
{
    zend_vm_stack_free_args(frame);
    zend_vm_stack_free_call_frame(frame);
}

/* Calls the frame's method on these nodes. Returns an array by node name. */
static void call_in_frame(const oh_node_choice *choice, zend_execute_data *frame, uint32_t first,
    uint32_t nodes_count, zval *return_value)
{
    const char *reason = reason_against(oh_method_of(frame));
    oh_plan plan;

    if (reason) {
        oh_refuse(frame, NULL, reason);
        return;
    }
    if (choice->count == 0 && oh_method_of(frame)->row->kind == OH_METHOD_RAW) {
        zend_argument_value_error(choice->position, "must be followed by the words of a command");
        return;
    }
    if (oh_method_of(frame)->is_deprecated) {
        /* Zend has not warned yet, because the script has not called the method itself. */
        zend_deprecated_function(oh_method_of(frame)->original);
    }
    if (EG(exception) || !oh_plan_find_command(choice->client, frame, &plan) ||
        !may_be_sent(frame, &plan)) {
        return;
    }
    plan.merge = OH_MERGE_NONE;
    oh_split *split = oh_split_new(&plan, nodes_count, 0);
    split->terms.is_pinned = true;
    for (uint32_t i = 0; i < nodes_count; i++) {
        if (nodes_count == 1 || oh_snapshot_has_keys(choice->client->snapshot, i)) {
            oh_split_add(split, first + i, choice->count, ZEND_CALL_ARG(frame, 1));
        }
    }
    oh_client_mode(choice->client)->call_parts(choice->client, split, return_value);
}

static void call(const oh_node_choice *choice, uint32_t first, uint32_t nodes_count,
    INTERNAL_FUNCTION_PARAMETERS)
{
    zend_function *function;

    if (oh_refuse_queued(choice->client, execute_data, OH_REASON_EACH_QUEUED)) {
        return;
    }
    if ((function = find_method(choice))) {
        zend_execute_data *frame = lay_out(choice, function);

        call_in_frame(choice, frame, first, nodes_count, return_value);
        clear_away(frame);
    }
}

/* ---- The methods ---- */

ZEND_METHOD(OneHop_Redis, onEachNode)
{
    oh_node_choice choice = {.client = oh_client_enter(execute_data), .position = 1};

    ZEND_PARSE_PARAMETERS_START(1, -1)
    Z_PARAM_STR(choice.method)
    Z_PARAM_VARIADIC('*', choice.arguments, choice.count)
    ZEND_PARSE_PARAMETERS_END();
    if (choice.client) {
        call(&choice, 0, choice.client->snapshot->nodes_count, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* Returns UINT32_MAX and throws if no node has this name. */
static uint32_t node_named(const oh_client *client, const zend_string *name)
{
    const oh_topology *topology = client->snapshot->topology;
    uint32_t node = oh_topology_find(topology, ZSTR_VAL(name), ZSTR_LEN(name));

    if (node < client->snapshot->nodes_count && oh_topology_node(topology, node).role != OH_GONE) {
        return node;
    }
    zend_argument_value_error(1,
        "must be the name of a node of server pool %s; OneHop\\Topology::nodes() has them",
        client->snapshot->pool->name.bytes);
    return UINT32_MAX;
}

ZEND_METHOD(OneHop_Redis, onNode)
{
    oh_node_choice choice = {.client = oh_client_enter(execute_data), .position = 2};
    zend_string *name;
    zval replies, *reply;

    ZEND_PARSE_PARAMETERS_START(2, -1)
    Z_PARAM_STR(name)
    Z_PARAM_STR(choice.method)
    Z_PARAM_VARIADIC('*', choice.arguments, choice.count)
    ZEND_PARSE_PARAMETERS_END();
    uint32_t node = choice.client ? node_named(choice.client, name) : UINT32_MAX;
    if (node == UINT32_MAX) {
        return;
    }
    ZVAL_UNDEF(&replies);
    call(&choice, node, 1, execute_data, &replies);
    if (Z_TYPE(replies) == IS_ARRAY) {
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL(replies), reply)
        {
            ZVAL_COPY(return_value, reply);
        }
        ZEND_HASH_FOREACH_END();
    }
    zval_ptr_dtor(&replies);
}
