/*
 * Refuse: throws for calls that OneHop does not support, before a byte is sent.
 *
 * The reasons come from the tables of spec/route. The exceptions are Unsupported and CrossNode, and
 * PHP's own for a value that cannot be packed.
 */
#ifndef OH_PHP_REFUSE_H
#define OH_PHP_REFUSE_H

#include "core/command/command.h"
#include "php/client/client.h"

/* The handler of an unsupported method: throws Unsupported with the reason from its table row. */
void oh_refuse_method(INTERNAL_FUNCTION_PARAMETERS);

/* Throws the refusal of a call of this client. This ends an open transaction. */
void oh_refuse_for(oh_client *client, const oh_failure *refusal);

/*
 * Throws Unsupported for the current method. If the name of the method does not show the command,
 * also names `command`, unless it is NULL.
 */
void oh_refuse(
    const zend_execute_data *execute_data, const oh_command *command, const char *advice);

/*
 * Refuses a call that cannot be made between multi() and exec(): it concerns several nodes, or
 * belongs to another mode.
 */
void oh_refuse_in_transaction(const zend_execute_data *execute_data, const char *advice);

/* Throws Unsupported and returns true, except in mode ATOMIC, where it returns false. */
bool oh_refuse_queued(
    const oh_client *client, const zend_execute_data *execute_data, const char *advice);

/* Why SCAN and similar commands cannot be queued. */
#define OH_ADVICE_ITERATED OH_REASON_CALL_ITERATED

/* Throws Unsupported for a command that is not in the table, named by its first `count` words. */
void oh_refuse_unknown(const zend_execute_data *execute_data, const oh_bytes *words, size_t count);

/*
 * Throws the failure of a question that a node had to answer before the current call could be sent.
 * It affects a transaction like a refusal.
 */
void oh_refuse_unasked(oh_client *client, const oh_failure *failure, uint32_t node);

/* A key, its home, and how a message shows it. */
typedef struct oh_placed_key {
    const uint8_t *bytes;
    size_t length;
    uint32_t home;
    bool is_unprefixed; /* Sent without OPT_PREFIX. */
} oh_placed_key;

/* Throws CrossNode for two keys of a command, and suggests names that would share a node. */
void oh_refuse_cross_node(
    oh_client *client, const oh_command *command, oh_placed_key one, oh_placed_key other);

/* Throws CrossNode for a pattern that may match keys on every node. */
void oh_refuse_pattern(
    oh_client *client, const oh_command *command, const uint8_t *pattern, size_t length);

/*
 * ---- Packing: values that would crash phpredis ----
 *
 * With SERIALIZER_PHP, phpredis expects PHP to write something for every value. For an object that
 * cannot be serialized (a Closure, a Generator, an object of an anonymous class), PHP writes
 * nothing and throws. So the arguments are checked for such objects first, and PHP's exception is
 * thrown before phpredis is called.
 */

bool oh_packing_is_possible(zend_execute_data *execute_data);

/* Returns false and throws if an argument, or a value in an array argument, cannot be packed. */
static zend_always_inline bool oh_packing_may_begin(
    const oh_client *client, zend_execute_data *execute_data)
{
    return EXPECTED(!client->packs_by_php) || oh_packing_is_possible(execute_data);
}

#endif
