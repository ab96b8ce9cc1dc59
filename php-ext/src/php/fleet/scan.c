/*
 * SCAN over all nodes.
 *
 * The script's iterator holds the fleet's cursor (core/command/cursor). phpredis gets another
 * iterator, which holds the node's cursor. SCAN_RETRY (continue until keys are found) is
 * implemented here, because the search must also continue on the next node, and each round trip has
 * its own deadline.
 *
 * The iterator follows phpredis' rules: an iteration starts with the same values as in phpredis,
 * and a call with the final 0 returns false.
 */
#include "php/base/zend.h"

#include "core/base/clock.h"
#include "core/command/cursor.h"
#include "core/generated/limits.h"

#include "engine/shared/segment.h"

#include "php/exception/exception.h"
#include "php/call/enter.h"
#include "php/call/refuse.h"
#include "php/fleet/fleet.h"
#include "php/phpredis/node_client.h"

typedef struct oh_scan {
    oh_client *client;
    zend_function *function; /* phpredis' scan(). */
    uint32_t count;          /* Number of the script's arguments. */
    /* Copies of them. The first is a reference to the node's iterator. */
    zval *arguments;
    oh_cursor cursor; /* The current position, with the node's own cursor, not its ticket. */
    uint64_t next;    /* The fleet's next cursor; 0 at the end. */
} oh_scan;

/* ---- The iterators ---- */

/*
 * Reads the cursor from the script's iterator; 0 starts an iteration. Returns false if the script
 * already got the final 0. The rules are those of the loaded phpredis. Before 6.1, negative
 * integers and values that are not integers start an iteration. From 6.1 on, texts are read as
 * numbers, and all except "0" are accepted.
 */
static bool read_iterator(const zval *iterator, uint64_t *cursor)
{
    bool is_old = oh_phpredis_is_before("6.1.0");

    *cursor = 0;
    if (Z_TYPE_P(iterator) == IS_LONG) {
        *cursor = is_old && Z_LVAL_P(iterator) < 0 ? 0 : (uint64_t)Z_LVAL_P(iterator);
        return Z_LVAL_P(iterator) != 0;
    }
    if (Z_TYPE_P(iterator) == IS_STRING && !is_old) {
        *cursor = ZEND_STRTOUL(Z_STRVAL_P(iterator), NULL, 10);
        return !zend_string_equals_literal(Z_STR_P(iterator), "0");
    }
    return true;
}

/*
 * Finds the node for the cursor's node number. The number is the index of the node. In a Redis
 * Cluster it is the rank among the nodes, ordered by their lowest slots. With a ring that keys move
 * from, the nodes of that ring come first.
 */
static uint32_t node_at(const oh_snapshot *snapshot, uint32_t position)
{
    if (UNEXPECTED(oh_topology_is_moving(snapshot->topology))) {
        return oh_topology_scan_node(snapshot->topology, position);
    }
    uint8_t is_seen[OH_NODES_MAX] = {0};
    uint32_t seen = 0;

    for (uint32_t slot = 0; snapshot->is_cluster && slot < OH_SLOTS_COUNT; slot++) {
        uint32_t node = snapshot->pool->slots[slot];

        /* Otherwise no node has the slot, or it was counted. */
        if (node < snapshot->nodes_count && !is_seen[node]) {
            if (seen++ == position) {
                return node;
            }
            is_seen[node] = 1;
        }
    }
    return position;
}

static uint32_t nodes_count(const oh_snapshot *snapshot)
{
    return UNEXPECTED(oh_topology_is_moving(snapshot->topology))
               ? oh_topology_scan_count(snapshot->topology)
               : snapshot->masters_count;
}

static const char *fingerprint_of(const oh_client *client)
{
    return oh_topology_fingerprint(client->snapshot->topology);
}

static bool find_place(oh_scan *scan, uint64_t cursor)
{
    const oh_snapshot *snapshot = scan->client->snapshot;
    oh_failure failure;

    if (!oh_cursor_read(
            fingerprint_of(scan->client), nodes_count(snapshot), cursor, &scan->cursor)) {
        oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_CURSOR_FOREIGN);
    } else if (!oh_cursor_find(oh_segment_cursors(), &scan->cursor.within, oh_clock_now_ms())) {
        oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_CURSOR_DROPPED);
    } else {
        return true;
    }
    oh_failure_throw(oh_failure_exception(&failure, NULL, snapshot->pool->name.bytes, NULL));
    return false;
}

/* phpredis goes on with any number but 0. The exchange sends the node's own cursor instead. */
static void put_iterator(oh_scan *scan)
{
    zval *iterator = Z_REFVAL(scan->arguments[0]);

    zval_ptr_dtor(iterator);
    if (scan->cursor.within) {
        ZVAL_LONG(iterator, 1);
    } else {
        ZVAL_NULL(iterator);
    }
}

/* Moves on, now that the node has answered with its next cursor. */
static void advance(oh_scan *scan)
{
    const oh_snapshot *snapshot = scan->client->snapshot;

    oh_cursor_keep(oh_segment_cursors(), scan->cursor.within, oh_clock_now_ms());
    scan->next = oh_cursor_write(fingerprint_of(scan->client), nodes_count(snapshot), scan->cursor);
    scan->cursor.node += scan->cursor.within == 0;
}

/* ---- The calls ---- */

/*
 * Gets one answer of one node. Returns false on an exception or an error reply; phpredis' false is
 * the reply then.
 */
static bool ask(oh_scan *scan, zval *reply)
{
    oh_node_client *node_client =
        oh_node_client_take(scan->client, node_at(scan->client->snapshot, scan->cursor.node));

    ZVAL_FALSE(reply);
    if (!node_client) {
        return false;
    }
    put_iterator(scan);
    oh_node_client_enter(node_client,
        &(oh_call_terms){.is_read_only = true, .is_iterated = true, .cursor = &scan->cursor.within},
        NULL);
    oh_node_client_call(node_client, scan->function, scan->count, scan->arguments, reply);
    if (UNEXPECTED(oh_node_client_has_failed(node_client)) && !oh_is_script_ending()) {
        oh_failure_throw(oh_node_client_failure(node_client));
    }
    oh_node_client_leave(node_client);
    if (EG(exception) || Z_TYPE_P(reply) != IS_ARRAY) {
        return false;
    }
    advance(scan);
    return true;
}

/*
 * Skips an answer without keys at the end of a node. With SCAN_RETRY, skips every answer without
 * keys, except for the last one of all.
 */
static void walk(oh_scan *scan, zval *return_value)
{
    while (ask(scan, return_value) && zend_hash_num_elements(Z_ARRVAL_P(return_value)) == 0 &&
           scan->next != 0 && (scan->client->retries_scan || scan->cursor.within == 0)) {
        zval_ptr_dtor(return_value);
    }
}

static void scan_from(oh_scan *scan, INTERNAL_FUNCTION_PARAMETERS)
{
    zval *iterator = ZEND_CALL_ARG(execute_data, 1);

    scan->count = ZEND_NUM_ARGS();
    scan->arguments = safe_emalloc(scan->count, sizeof(zval), 0);
    ZVAL_NEW_EMPTY_REF(&scan->arguments[0]);
    ZVAL_NULL(Z_REFVAL(scan->arguments[0]));
    for (uint32_t i = 1; i < scan->count; i++) {
        ZVAL_COPY_DEREF(&scan->arguments[i], ZEND_CALL_ARG(execute_data, i + 1));
    }
    walk(scan, return_value);
    if (!EG(exception) && Z_TYPE_P(return_value) == IS_ARRAY) {
        ZEND_TRY_ASSIGN_REF_LONG(iterator, (zend_long)scan->next);
    }
    for (uint32_t i = 0; i < scan->count; i++) {
        zval_ptr_dtor(&scan->arguments[i]);
    }
    efree(scan->arguments);
}

void oh_scan_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_scan scan = {
        .client = oh_client_enter(execute_data), .function = oh_method_of(execute_data)->original};
    uint64_t cursor;

    if (!scan.client) {
        return;
    }
    if (ZEND_NUM_ARGS() == 0) {
        zend_wrong_parameters_count_error(1, scan.function->common.num_args);
        return;
    }
    if (oh_refuse_queued(scan.client, execute_data, OH_ADVICE_ITERATED)) {
        return;
    }
    zval *iterator = ZEND_CALL_ARG(execute_data, 1);
    ZVAL_DEREF(iterator);
    if (!read_iterator(iterator, &cursor)) {
        RETURN_FALSE;
    }
    if (find_place(&scan, cursor)) {
        scan_from(&scan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
