/*
 * Mode: whether a pipeline or a transaction is open on a client, and how its calls are handled
 * then.
 *
 *     ATOMIC ─── pipeline() ──► PIPELINE ─── multi() ──► PIPED_MULTI     exec() and discard() lead
 *        └────── multi() ─────► MULTI                                    back
 *
 * A client is in one mode at a time. Each mode has one row of functions, so callers need not check
 * the mode. The functions are defined in higher rooms; module/modes.c puts them into the table.
 */
#ifndef OH_PHP_MODE_H
#define OH_PHP_MODE_H

#include "php/base/zend.h"

#include "engine/failure/failure.h"

struct oh_call;
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

    /* Runs the current method on its node. */
    void (*call)(
        struct oh_client *client, const struct oh_call *call, INTERNAL_FUNCTION_PARAMETERS);

    /*
     * Runs a command over several nodes; takes ownership of the split. NULL if carry_out refuses
     * such commands.
     */
    void (*call_parts)(struct oh_client *client, struct oh_split *split, zval *return_value);

    /* Carries out a plan of any spread. */
    void (*carry_out)(struct oh_client *client, struct oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

    /* Called when a call was refused. NULL if a refusal does not change the mode's state. */
    void (*meet_refusal)(struct oh_client *client, const oh_failure *refusal);

    oh_mode_method pipeline, multi, exec, discard, watch, unwatch;
} oh_mode;

/* Indexed by oh_mode_kind; set at module startup. */
extern const oh_mode *oh_modes;

#endif
