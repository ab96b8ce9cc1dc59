/*
 * Plan: everything known about a call before it is sent: its nodes, how long it may block, and how
 * its replies are merged. A call with one key needs no plan: it is known to be on one node.
 */
#ifndef OH_PHP_PLAN_H
#define OH_PHP_PLAN_H

#include "core/command/learnt.h"

#include "php/call/split.h"

/* The key that decides the node of a call. */
typedef struct oh_call_key {
    zend_string *text;  /* As the caller wrote it. NULL if no key decides. */
    bool is_unprefixed; /* Sent without OPT_PREFIX. */
} oh_call_key;

/* A call on one node. */
typedef struct oh_call {
    uint32_t node;
    oh_call_key key; /* The first key. */
    /* block_ms is the command's own timeout. is_read_only: it may be retried. */
    oh_call_terms terms;
} oh_call;

typedef struct oh_plan {
    const oh_method *method;
    const oh_command *command;
    oh_spread spread; /* ONE_NODE, SPLIT, ALL_NODES or ANY_NODE. */
    oh_merge merge;
    /* For ONE_NODE, with a counted reference to its key. Its terms apply to every spread. */
    oh_call call;
    oh_split *split; /* For SPLIT, owned by the plan. Set to NULL by code that takes ownership. */
    /* The command, if a node has described it. NULL if it is in the table. */
    oh_learnt_row *learnt;
} oh_plan;

void oh_plan_free(oh_plan *plan);

/*
 * Places a command that belongs to one node but has no key: on the only server, or on any node of a
 * Redis Cluster. Returns false if there are several servers.
 */
bool oh_plan_keyless(const oh_client *client, oh_plan *plan);

/*
 * Lets the call wait for `timeout`, the timeout of a blocking command in that command's unit; 0 or
 * less means forever. Such a call is not split, because it can wait on one node only.
 */
void oh_plan_wait(oh_plan *plan, double timeout);

/*
 * Fills in the command and how long it may block, but not the nodes. Returns false and throws
 * Unsupported if the call must not be sent.
 */
bool oh_plan_find_command(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/*
 * Plans a call. If it returns true, the caller must free the plan. Returns false and throws
 * CrossNode, Unsupported or TypeError otherwise.
 */
bool oh_plan_make(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/* Like oh_plan_find_command, but from words. For an unknown command, plan->command is NULL. */
bool oh_raw_command_find(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/* Like oh_plan_make, but from words. */
bool oh_raw_command_plan(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

#endif
