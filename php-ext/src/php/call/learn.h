/*
 * Learn: a raw command that the table does not hold gets its meaning from a node.
 *
 * The description is looked up in the memory of the host; if it is not there, a node is asked
 * (engine/inquiry), before anything of the call is sent or queued.
 *
 * Implements spec/route, "Commands that only the nodes know".
 */
#ifndef OH_PHP_LEARN_H
#define OH_PHP_LEARN_H

#include "php/call/plan.h"

/*
 * Sets the plan's command: a row that is made of the description or, for a renamed command, its row
 * in the table. Returns false and throws if the nodes do not have it, or none could be asked.
 */
bool oh_learn_command(oh_client *client, zend_execute_data *execute_data, oh_plan *plan,
    const oh_bytes *words, size_t count);

/* True if only a node can find the keys of this call. */
static inline bool oh_learn_must_find_keys(const oh_plan *plan)
{
    return plan->learnt && plan->learnt->learnt.asks_keys;
}

/*
 * Lets a node find the keys; there is room for `count` positions. Returns false and throws if they
 * were not found.
 */
bool oh_learn_keys(oh_client *client, zend_execute_data *execute_data, oh_plan *plan,
    const oh_bytes *words, size_t count, oh_key_position *positions, size_t *found);

#endif
