/*
 * Sweep: runs a scenario again and again, with another fault each time. First each allocation fails
 * in turn: once alone, and once together with all later ones. Then each system call fails in turn,
 * in each of its ways. A sweep ends when the scenario makes no call that has not failed yet.
 *
 * Whatever fails, the caller gets the right reply or a failure that is true. A command that was
 * reported as not sent was not executed, and no command was executed twice. The next call without
 * faults succeeds in the same process. When the engine has ended, no memory and no descriptor has
 * leaked.
 */
#ifndef OH_TESTS_SWEEP_H
#define OH_TESTS_SWEEP_H

#include "engine_tests.h"

typedef struct scenario {
    const char *name;
    void (*configure)(void);

    /*
     * The whole scenario, in a process that has nothing open. `number` is the number of its key.
     * False and a failure if it fails.
     */
    bool (*run)(unsigned number, oh_failure *failure);
    /* Fewer calls mean that the scenario did not do its work. 0 allocations: none of them fails. */
    unsigned allocations_min, calls_min;
    unsigned (*executed)(unsigned number);
    /* The scenario succeeds if its deadline passes, even before the command is sent. */
    bool has_no_reply;
} scenario;

/* Sweeps over each scenario of a list, and prints a line about each. */
void sweep(const scenario *all, size_t count);

/*
 * True if the call failed because the node rests: a refresh of the map, which runs beside calls, is
 * probing the node already.
 */
bool sweep_is_for_rest(const oh_failure *failure);

#endif
