/*
 * Express call: sends what a node client has written on the express lane, and reads the replies.
 * These are two steps, so that the commands of several nodes are sent before the first wait.
 *
 * phpredis takes over at the first reply that the express lane does not read: it queues the rest of
 * the commands, its writes are dropped, because the node has them already, and the replies that
 * have arrived become its input. So errors and odd replies have the effects that phpredis gives
 * them.
 */
#ifndef OH_PHP_EXPRESS_CALL_H
#define OH_PHP_EXPRESS_CALL_H

#include "php/phpredis/node_client.h"

/*
 * Sends all commands to a node client that has been entered, without waiting for their replies.
 * Returns false if a script has closed its stream; then phpredis must make the call.
 */
static inline bool oh_express_call_start(oh_node_client *node_client)
{
    const oh_express *express = &node_client->express;

    if (UNEXPECTED(!node_client->transport)) {
        return false;
    }
    oh_exchange_start_whole(
        &node_client->transport->exchange, express->bytes, express->length, express->count);
    return true;
}

/*
 * oh_express_call_exec reads one value for each of the commands that were started, as phpredis'
 * exec() returns them. oh_express_call_one reads the value of the only command. If they were not
 * started, phpredis makes the call. If the exchange failed, or an exception is pending, the result
 * is undefined, as with a call of phpredis itself.
 */
void oh_express_call_exec(oh_node_client *node_client, bool is_started, zval *return_value);
void oh_express_call_one(oh_node_client *node_client, bool is_started, zval *return_value);

/*
 * Like these two functions, but for the groups of a split call. If all replies were read into the
 * call's values, `is_read` is set and the result is null. Otherwise the result contains the node's
 * values, as oh_express_call_one returns them if `is_alone`, and otherwise as oh_express_call_exec
 * does.
 */
void oh_express_call_groups(oh_node_client *node_client, bool is_started, zval *return_value);

/* Makes that result of groups whose replies have been read. */
void oh_express_take_groups(
    const oh_express_node_groups *node_groups, const oh_express_row *row, zval *return_value);

/*
 * Gives the commands written so far to phpredis' pipeline, before another command joins them.
 * Returns false, usually with an exception, if phpredis did not take them.
 */
bool oh_express_call_hand_over(oh_node_client *node_client);

#endif
