/*
 * Plan: what one call is about, made before anything is sent.
 *
 *     method's row ─► faults ─► command (by subcommand) ─► keys ─► one node | parts | all nodes | any | refusal
 *
 * A plan is made by words for rawCommand (room raw) and by arguments for every other method. Calls with one key that is
 * one argument need none: route serves them.
 *
 * Implements spec/route, "Where it goes".
 */
#ifndef OH_PHP_PLAN_H
#define OH_PHP_PLAN_H

#include "php/client/client.h"


typedef struct oh_plan {
    const oh_method *method;
    const oh_command *command;
    oh_spread spread; /* ONE_NODE, SPLIT (then there are parts), ALL_NODES or ANY_NODE. */
    oh_merge merge;
    uint32_t node;    /* Of ONE_NODE. */
    uint32_t wait_ms; /* A call that blocks: its own timeout, or OH_WAIT_FOR_EVER. Otherwise 0. */
    bool is_blocking;
    bool is_read_only; /* Of the command, not only of the method: a subcommand decides. */
    oh_call_key key;   /* Of ONE_NODE: the first, held. */
    oh_split *split;   /* Of SPLIT, and of nobody else: whoever uses it up sets it to NULL. */
} oh_plan;

/* What a call is, without asking where it goes: command, faults, how long it waits. False and an exception: Unsupported. */
bool oh_plan_look(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/* Plans a call. False and an exception: CrossNode, Unsupported, TypeError. To be freed if true. */
bool oh_plan_make(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);
void oh_plan_free(oh_plan *plan);

/* Where a planned call goes on. Uses the plan up. */
void oh_plan_carry_out(oh_client *client, oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* The handler of every method that is not "one key, one node, first argument". */
void oh_plan_method(INTERNAL_FUNCTION_PARAMETERS);

/*
 * Places a command without keys that cannot be placed otherwise: on the only server there is, or on any node of a Redis
 * Cluster. Elsewhere false.
 */
bool oh_plan_keyless(const oh_client *client, oh_plan *plan);

/* A timeout as phpredis is given it, in the command's unit, in milliseconds; 0 and less is for ever. */
uint32_t oh_plan_wait(const oh_command *command, double timeout);

#endif
