/*
 * An exception in one call fails only that call, whether a node or the script's code (unpacking a
 * value) caused it. Only exit() ends all calls immediately.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/phpredis/express_call.h"
#include "php/scatter/scatter.h"

typedef struct oh_scatter {
    oh_exchange_set set; /* First, because start_others casts it to the scatter. */
    uint32_t calls_count, next;
    bool is_ending;
    oh_node_call *node_calls[]; /* In the order of their nodes. */
} oh_scatter;

/*
 * Sorts calls by node. All workers of the host lease connections in this order, so two workers
 * cannot wait for each other.
 */
static int compare_nodes(const void *a, const void *b)
{
    uint32_t left = (*(oh_node_call *const *)a)->node_client->node,
             right = (*(oh_node_call *const *)b)->node_client->node;

    return (left > right) - (left < right);
}

/* Makes a call, or reads the replies of one that was started. */
static void make_call(oh_scatter *scatter, oh_node_call *node_call)
{
    if (node_call->express) {
        node_call->express(node_call->node_client, node_call->is_started, &node_call->reply);
        node_call->is_started = false;
    } else {
        oh_node_client_call(node_call->node_client, node_call->function, node_call->count,
            node_call->arguments, &node_call->reply);
    }
    if (oh_is_script_ending()) {
        scatter->is_ending = true;
    } else if (oh_node_client_has_failed(node_call->node_client)) {
        node_call->failure = oh_node_client_failure(node_call->node_client);
    } else if (EG(exception)) {
        node_call->failure = EG(exception);
        GC_ADDREF(node_call->failure);
        zend_clear_exception();
    }
    if (node_call->failure || scatter->is_ending) {
        zval_ptr_dtor(&node_call->reply);
        ZVAL_UNDEF(&node_call->reply);
    }
}

/*
 * Starts the calls that are left, as many as may wait together. Also called by the exchange of a
 * call of phpredis that has sent its bytes.
 */
static void start_others(oh_exchange_set *set)
{
    oh_scatter *scatter = (oh_scatter *)set;

    while (scatter->next < scatter->calls_count && set->members_count < OH_EXCHANGE_SET_MAX &&
           !scatter->is_ending) {
        oh_node_call *node_call = scatter->node_calls[scatter->next++];

        node_call->is_started = node_call->express && oh_express_call_start(node_call->node_client);
        if (!node_call->is_started || UNEXPECTED(EG(exception))) {
            make_call(scatter, node_call);
        }
    }
    if (UNEXPECTED(set->has_waiting) && !scatter->is_ending) {
        oh_exchange_set_send_waiting(set);
    }
}

/* Starts as many calls as may wait together, and reads the replies of each. */
static void run_round(oh_scatter *scatter)
{
    uint32_t first = scatter->next;

    scatter->set.members_count = 0;
    start_others(&scatter->set);
    for (uint32_t i = first; i < scatter->next && !scatter->is_ending; i++) {
        if (scatter->node_calls[i]->is_started) {
            make_call(scatter, scatter->node_calls[i]);
        }
    }
}

static void leave_all(oh_node_call *node_calls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        oh_node_client_leave(node_calls[i].node_client);
    }
}

bool oh_scatter_run(oh_node_call *node_calls, uint32_t count)
{
    /*
     * Not on the stack: if the script dies during the scatter, streams that are closed later still
     * use it.
     */
    oh_scatter *scatter = safe_emalloc(count, sizeof *scatter->node_calls, sizeof *scatter);

    memset(scatter, 0, sizeof *scatter);
    scatter->set.start_others = start_others;
    scatter->calls_count = count;
    for (uint32_t i = 0; i < count; i++) {
        ZVAL_UNDEF(&node_calls[i].reply);
        node_calls[i].failure = NULL;
        scatter->node_calls[i] = &node_calls[i];
        oh_node_client_enter(node_calls[i].node_client, node_calls[i].terms, &scatter->set);
    }
    qsort(scatter->node_calls, count, sizeof *scatter->node_calls, compare_nodes);
    while (scatter->next < count && !scatter->is_ending) {
        run_round(scatter);
    }
    for (uint32_t i = scatter->next; i < count; i++) {
        /* The script ends before this call began. Its phpredis object may still have a queue. */
        scatter->node_calls[i]->node_client->is_spent = true;
    }
    leave_all(node_calls, count);
    bool is_ending = scatter->is_ending;
    efree(scatter);
    if (is_ending) {
        oh_scatter_free(node_calls, count);
    }
    return !is_ending;
}

static void free_refusals(oh_node_call *node_call)
{
    for (uint32_t i = 0; i < node_call->refusals_count; i++) {
        OBJ_RELEASE(node_call->refusals[i]);
    }
    efree(node_call->refusals);
    node_call->refusals = NULL;
}

void oh_scatter_free(oh_node_call *node_calls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        zval_ptr_dtor(&node_calls[i].reply);
        ZVAL_UNDEF(&node_calls[i].reply);
        if (UNEXPECTED(node_calls[i].refusals != NULL)) {
            free_refusals(&node_calls[i]);
        }
        if (node_calls[i].failure) {
            OBJ_RELEASE(node_calls[i].failure);
            node_calls[i].failure = NULL;
        }
    }
}

/* ---- Failures ---- */

uint32_t oh_scatter_failed(const oh_node_call *node_calls, uint32_t count)
{
    uint32_t failed = 0;

    for (uint32_t i = 0; i < count; i++) {
        failed += node_calls[i].failure != NULL;
    }
    return failed;
}

bool oh_scatter_has_failures(const oh_node_call *node_calls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (node_calls[i].failure || node_calls[i].refusals) {
            return true;
        }
    }
    return false;
}

zend_object *oh_scatter_worst(const oh_node_call *node_calls, uint32_t count)
{
    zend_object *first = NULL;

    for (uint32_t i = 0; i < count; i++) {
        zend_object *failure = node_calls[i].failure;

        if (failure && oh_failure_may_have_executed(failure)) {
            return failure;
        }
        first = first ? first : failure;
    }
    return first;
}

zend_object *oh_scatter_failure(oh_client *client, oh_node_call *node_call)
{
    if (!instanceof_function(node_call->failure->ce, oh_exception_class)) {
        oh_node node = oh_topology_node(client->snapshot->topology, node_call->node_client->node);

        node_call->failure =
            oh_failure_wrap(node_call->failure, &node, client->snapshot->pool->name.bytes);
    }
    return node_call->failure;
}

/* Adds a failure, by the name of its node. The first one of a node stays. */
static void add_failure(HashTable *failures, zend_object *failure)
{
    zend_string *node = oh_failure_node(failure);
    zval entry;

    ZVAL_OBJ(&entry, failure);
    if (node && zend_hash_add(failures, node, &entry)) {
        GC_ADDREF(failure);
    }
}

zend_object *oh_scatter_partial(
    oh_client *client, oh_node_call *node_calls, uint32_t count, zval *replies)
{
    zend_object *first = NULL;
    zval failures;

    array_init(&failures);
    for (uint32_t i = 0; i < count; i++) {
        oh_node_call *node_call = &node_calls[i];

        if (node_call->failure) {
            add_failure(Z_ARRVAL(failures), oh_scatter_failure(client, node_call));
            first = first ? first : node_call->failure;
        }
        for (uint32_t j = 0; node_call->refusals && j < node_call->refusals_count; j++) {
            add_failure(Z_ARRVAL(failures), node_call->refusals[j]);
            first = first ? first : node_call->refusals[j];
        }
    }
    return oh_failure_partial(replies, &failures, first, client->snapshot->pool->name.bytes);
}
