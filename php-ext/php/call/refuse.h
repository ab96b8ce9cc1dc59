/*
 * Refuse: what is not done, said before a byte is sent.
 *
 * Reasons come from the tables of spec/route; here they become the exceptions Unsupported and
 * CrossNode.
 */
#ifndef OH_PHP_REFUSE_H
#define OH_PHP_REFUSE_H

#include "core/command/command.h"
#include "php/client/client.h"

/*
 * The handler of a method that is never served: throws Unsupported with the reason of the tables.
 */
void oh_refuse_method(INTERNAL_FUNCTION_PARAMETERS);

/* Throws a refusal of a call of this client, which ends the transaction that is open. */
void oh_refuse_for(oh_client *client, const oh_failure *refusal);

/*
 * Throws Unsupported about the method that is being called; names `command` (or NULL) where the
 * method does not.
 */
void oh_refuse(
    const zend_execute_data *execute_data, const oh_command *command, const char *advice);

/*
 * Refuses a call that has no place between multi() and exec(): of several nodes, of another mode.
 */
void oh_refuse_in_transaction(const zend_execute_data *execute_data, const char *advice);

/* Throws Unsupported in every mode but ATOMIC; false in that one. */
bool oh_refuse_queued(
    const oh_client *client, const zend_execute_data *execute_data, const char *advice);

/* Why SCAN and similar commands cannot be queued. */
#define OH_ADVICE_ITERATED OH_REASON_CALL_ITERATED

/*
 * Throws Unsupported about a command that the table does not have, named by its first `count`
 * words.
 */
void oh_refuse_unknown(const zend_execute_data *execute_data, const oh_bytes *words, size_t count);

/* A key, where it is placed, and how a message shows it. */
typedef struct oh_placed_key {
    const uint8_t *bytes;
    size_t length;
    uint32_t home;
    bool is_unprefixed; /* Nodes name it so, too. */
} oh_placed_key;

/* Throws CrossNode about two keys of a command, and names two that would be together. */
void oh_refuse_cross_node(
    oh_client *client, const oh_command *command, oh_placed_key one, oh_placed_key other);

/* Throws CrossNode about a pattern that may stand for keys of every node. */
void oh_refuse_pattern(
    oh_client *client, const oh_command *command, const uint8_t *pattern, size_t length);

#endif
