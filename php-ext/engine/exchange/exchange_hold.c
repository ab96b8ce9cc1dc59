/*
 * Connections that are kept from one exchange to the next, and the reply of EXEC.
 *
 *     keep ─► leased ─► complete: held ─► next write: taken, if it is still sound ─► complete: held ─► ... ─► give_back
 *
 * What a node was told on a held connection (WATCH, MULTI) is bound to that connection. So it is never replaced: should
 * it be lost, the exchange fails, and it is for the transaction to end.
 */
#include <stdio.h>
#include <string.h>

#include "engine/exchange/exchange_wait.h"

#define OH_NIL "*-1\r\n"

/* ---- Holding ---- */

void oh_exchange_keep(oh_exchange *exchange)
{
    exchange->keeps = true;
    exchange->was_held = false;
}

void oh_exchange_hold(oh_exchange *exchange)
{
    if (oh_wire_is_clean(&exchange->connection->wire)) {
        exchange->held = exchange->connection;
    } else {
        oh_pool_poison(exchange->connection);
    }
    exchange->was_held = true;
    exchange->connection = NULL;
}

void oh_exchange_drop_held(oh_exchange *exchange)
{
    if (exchange->held) {
        oh_pool_poison(exchange->held);
        exchange->held = NULL;
    }
}

void oh_exchange_give_back(oh_exchange *exchange, bool is_clean)
{
    if (exchange->held && is_clean) {
        oh_pool_settle(exchange->held);
        exchange->held = NULL;
    }
    oh_exchange_drop_held(exchange);
    exchange->keeps = exchange->was_held = false;
    /* Should a call still be going on, then what it has yet to write was meant for that connection alone. */
    exchange->is_called = false;
}

/* Held connections may idle for long while the script thinks: each time they are asked by a peek whether they are well. */
void oh_exchange_take_held(oh_exchange *exchange)
{
    oh_connection *connection = exchange->held;
    const char *reason = !connection                          ? "The connection was lost"
                         : !oh_pool_is_own(connection)         ? "The connection belongs to another process"
                         : !oh_connection_is_sound(connection) ? "The connection was closed by the node, or is out of step"
                                                               : NULL;

    if (reason) {
        oh_failure_set(exchange->failure, OH_ERROR_NODE_DOWN, OH_OUTCOME_NOT_SENT, "try again", "%s", reason);
        oh_exchange_fail(exchange);
        return;
    }
    exchange->held = NULL;
    exchange->connection = connection;
    exchange->is_reused = false; /* It must not be replaced by a new one. */
    oh_exchange_begin_moving(exchange);
}

/* ---- EXEC ---- */

/*
 * phpredis takes one reply for each command it has queued, however many the node announces. So a node that has queued
 * more or fewer would give replies to the wrong commands.
 */
void oh_exchange_judge_exec(oh_exchange *exchange)
{
    const uint8_t *reply = exchange->replies + exchange->begin;
    size_t length = exchange->end - exchange->begin;
    char expected[16];
    size_t expected_length = (size_t)snprintf(expected, sizeof expected, "*%u\r\n", (unsigned)exchange->terms.exec_count);

    if (exchange->state == OH_EXCHANGE_FAILED) {
        return;
    }
    if (length >= expected_length && memcmp(reply, expected, expected_length) == 0) {
        return;
    }
    if (length == strlen(OH_NIL) && memcmp(reply, OH_NIL, length) == 0) {
        return;
    }
    if (exchange->has_refusal && exchange->capacity >= strlen(OH_NIL)) {
        memcpy(exchange->replies, OH_NIL, strlen(OH_NIL));
        exchange->begin = 0;
        exchange->end = strlen(OH_NIL);
        return;
    }
    oh_exchange_refuse_bytes(exchange, "EXEC was not answered by one reply for each command");
}
