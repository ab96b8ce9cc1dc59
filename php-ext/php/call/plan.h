/*
 * Plan: what one call is about, known before anything is sent: where it goes, how long it may wait,
 * how its replies become one.
 */
#ifndef OH_PHP_PLAN_H
#define OH_PHP_PLAN_H

#include "php/call/split.h"

/* The key that says where a call goes. */
typedef struct oh_call_key {
    zend_string *text;  /* As the caller names it. NULL: no key does. */
    bool is_unprefixed; /* Nodes name it so, too. */
} oh_call_key;

typedef struct oh_plan {
    const oh_method *method;
    const oh_command *command;
    oh_spread spread; /* ONE_NODE, SPLIT (then there are parts), ALL_NODES or ANY_NODE. */
    oh_merge merge;
    uint32_t node; /* Of ONE_NODE. */
    /* What it may be sent on: block_ms is the command's own timeout, is_read_only the command's. */
    oh_call_terms terms;
    bool is_blocking;
    oh_call_key key; /* Of ONE_NODE: the first, held. */
    oh_split *split; /* Of SPLIT, owned by the plan; code that uses it up sets it to NULL. */
} oh_plan;

void oh_plan_free(oh_plan *plan);

/*
 * Places a command without keys that cannot be placed otherwise: on the only server there is, or on
 * any node of a Redis Cluster. Elsewhere false.
 */
bool oh_plan_keyless(const oh_client *client, oh_plan *plan);

/*
 * A timeout as phpredis is given it, in the command's unit, in milliseconds; 0 and less is for
 * ever.
 */
uint32_t oh_plan_wait(const oh_command *command, double timeout);

#endif
