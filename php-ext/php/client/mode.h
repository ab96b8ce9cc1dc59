/*
 * Mode: what a client is in the middle of, and what becomes of its calls for that reason.
 *
 *     ATOMIC ─── pipeline() ──► PIPELINE ─── multi() ──► PIPED_MULTI     exec() and discard() lead
 *        └────── multi() ─────► MULTI                                    back
 *
 * A client is in one mode at a time. Each mode has one row of functions: callers take the row and
 * do not ask which mode it is. The functions belong to rooms above this one; module/modes.c puts
 * them into the table.
 */
#ifndef OH_PHP_MODE_H
#define OH_PHP_MODE_H

#include "php_onehop.h"

#include "engine/failure/failure.h"

struct oh_client;
struct oh_plan;
struct oh_split;

typedef enum oh_mode_kind {
    OH_ATOMIC,
    OH_PIPELINE,
    OH_MULTI,
    OH_PIPED_MULTI, /* A transaction that was opened in a pipeline. */
    OH_MODES_COUNT
} oh_mode_kind;

/* A method of phpredis that opens or ends a mode. */
typedef void (*oh_mode_method)(struct oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

typedef struct oh_mode {
    zend_long number; /* As getMode() returns it. */

    /* The method that is being called, on the node of its plan. */
    void (*call)(
        struct oh_client *client, const struct oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

    /* A command over several nodes; the split is taken over. NULL: carry_out lets none through. */
    void (*call_parts)(struct oh_client *client, struct oh_split *split, zval *return_value);

    /* A plan of any spread. */
    void (*carry_out)(struct oh_client *client, struct oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

    /* A call was refused. NULL: that changes nothing. */
    void (*meet_refusal)(struct oh_client *client, const oh_failure *refusal);

    oh_mode_method pipeline, multi, exec, discard, watch, unwatch;
} oh_mode;

/* By oh_mode_kind; set while the module begins. */
extern const oh_mode *oh_modes;

#endif
