/*
 * Promise: what a request says of its replies, where phpredis believes it and would die.
 *
 * phpredis reads the reply of hMGet() into as many places as the call has fields, and those of
 * xRange(), xRead() and their kin as if no entry were malformed. Other replies end the process,
 * although they are well-formed. So these methods have a promise: the exchange gathers the replies,
 * and fails unless the promise holds, before phpredis reads a byte. All other methods survive every
 * well-formed reply.
 *
 * Implements spec/route, "Replies that end the process".
 */
#ifndef OH_PHP_PROMISE_H
#define OH_PHP_PROMISE_H

#include "php/base/zend.h"

#include "zend_smart_str.h"

#include "core/resp/value.h"
#include "engine/exchange/exchange.h"

/* Of a request as phpredis sends it: a command, or all commands of a pipeline. */
extern const oh_promise oh_promise_of_request;

/* True if the next replies have the form that their commands promise. */
bool oh_promise_is_kept(oh_values commands, oh_values replies);

/* The promises of commands that a node has queued one by one after MULTI. */
typedef struct oh_queued_promise {
    oh_promise of_command; /* Notes a command that the node queues. */
    oh_promise of_exec;    /* Judges the reply of EXEC. */
    const uint32_t *place; /* How many commands are queued. */
    uint32_t count;        /* Commands that were noted, or passed over. */
    smart_str commands;
} oh_queued_promise;

void oh_queued_promise_begin(oh_queued_promise *queued, const uint32_t *place);
void oh_queued_promise_end(oh_queued_promise *queued);

#endif
