/*
 * An exception in one share, of a node or of the script's own code that unpacks a value, is that
 * share's failure; the others go on. Only exit() ends everything at once.
 */
#include "php_onehop.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/scatter/scatter.h"

typedef struct oh_scatter {
    oh_flight flight; /* First: start_others is given this and finds the rest. */
    uint32_t shares_count, next;
    bool is_ending;
    oh_share *shares[]; /* In the order of their nodes. */
} oh_scatter;

/*
 * Every worker of the host leases in the order of nodes, so that two who have to wait for
 * connections cannot wait for each other.
 */
static int compare_nodes(const void *a, const void *b)
{
    uint32_t left = (*(oh_share *const *)a)->node_client->node,
             right = (*(oh_share *const *)b)->node_client->node;

    return (left > right) - (left < right);
}

static void run_share(oh_scatter *scatter, oh_share *share)
{
    oh_node_client_call(
        share->node_client, share->function, share->count, share->arguments, &share->reply);
    if (oh_is_script_ending()) {
        scatter->is_ending = true;
    } else if (oh_node_client_has_failed(share->node_client)) {
        share->failure = oh_node_client_failure(share->node_client);
    } else if (EG(exception)) {
        share->failure = EG(exception);
        GC_ADDREF(share->failure);
        zend_clear_exception();
    }
    if (share->failure || scatter->is_ending) {
        zval_ptr_dtor(&share->reply);
        ZVAL_UNDEF(&share->reply);
    }
}

/* Called by the exchange of a share that has sent its bytes. */
static void start_others(oh_flight *flight)
{
    oh_scatter *scatter = (oh_scatter *)flight;

    while (scatter->next < scatter->shares_count && flight->members_count < OH_FLIGHT_MEMBERS_MAX &&
           !scatter->is_ending) {
        run_share(scatter, scatter->shares[scatter->next++]);
    }
}

static void leave_all(oh_share *shares, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        oh_node_client_leave(shares[i].node_client);
    }
}

bool oh_scatter_run(oh_share *shares, uint32_t count)
{
    return oh_scatter_run_watched(shares, count, NULL, NULL);
}

bool oh_scatter_run_watched(
    oh_share *shares, uint32_t count, void (*look)(oh_flight *), void *looker)
{
    /*
     * Not on the stack: should the script die in the middle, streams that are closed later still
     * look here.
     */
    oh_scatter *scatter = safe_emalloc(count, sizeof *scatter->shares, sizeof *scatter);

    memset(scatter, 0, sizeof *scatter);
    scatter->flight.start_others = start_others;
    scatter->flight.look = look;
    scatter->flight.looker = looker;
    scatter->shares_count = count;
    for (uint32_t i = 0; i < count; i++) {
        ZVAL_UNDEF(&shares[i].reply);
        shares[i].failure = NULL;
        scatter->shares[i] = &shares[i];
        oh_node_client_enter(shares[i].node_client, shares[i].terms, &scatter->flight);
    }
    qsort(scatter->shares, count, sizeof *scatter->shares, compare_nodes);
    while (scatter->next < count && !scatter->is_ending) {
        scatter->flight.members_count = 0;
        run_share(scatter, scatter->shares[scatter->next++]);
    }
    for (uint32_t i = scatter->next; i < count; i++) {
        /* Never begun, because the script ends: its phpredis may be left with a queue. */
        scatter->shares[i]->node_client->is_spent = true;
    }
    leave_all(shares, count);
    bool is_ending = scatter->is_ending;
    efree(scatter);
    if (is_ending) {
        oh_scatter_free(shares, count);
    }
    return !is_ending;
}

void oh_scatter_free(oh_share *shares, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        zval_ptr_dtor(&shares[i].reply);
        ZVAL_UNDEF(&shares[i].reply);
        if (shares[i].failure) {
            OBJ_RELEASE(shares[i].failure);
            shares[i].failure = NULL;
        }
    }
}

/* ---- Failures ---- */

uint32_t oh_scatter_failed(const oh_share *shares, uint32_t count)
{
    uint32_t failed = 0;

    for (uint32_t i = 0; i < count; i++) {
        failed += shares[i].failure != NULL;
    }
    return failed;
}

void oh_scatter_throw_first(oh_share *shares, uint32_t count)
{
    zend_object *first = NULL;

    for (uint32_t i = 0; i < count && !first; i++) {
        first = shares[i].failure;
    }
    if (first) {
        GC_ADDREF(first);
        oh_failure_throw(first);
    }
}

zend_object *oh_scatter_failure(oh_client *client, oh_share *share)
{
    if (!instanceof_function(share->failure->ce, oh_exception_class)) {
        oh_node node = oh_topology_node(client->snapshot->topology, share->node_client->node);

        share->failure = oh_failure_wrap(share->failure, &node, client->snapshot->pool->name.bytes);
    }
    return share->failure;
}

void oh_scatter_throw_partial(oh_client *client, oh_share *shares, uint32_t count, zval *replies)
{
    zend_object *first = NULL;
    zval failures, entry;

    array_init(&failures);
    for (uint32_t i = 0; i < count; i++) {
        if (!shares[i].failure) {
            continue;
        }
        zend_object *failure = oh_scatter_failure(client, &shares[i]);
        oh_node node = oh_topology_node(client->snapshot->topology, shares[i].node_client->node);

        ZVAL_OBJ_COPY(&entry, failure);
        zend_hash_str_update(Z_ARRVAL(failures), node.name.bytes, node.name.length, &entry);
        first = first ? first : failure;
    }
    oh_failure_throw(
        oh_failure_partial(replies, &failures, first, client->snapshot->pool->name.bytes));
}
