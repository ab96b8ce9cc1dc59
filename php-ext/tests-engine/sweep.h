/*
 * Sweeps: of a scenario each allocation fails in turn, then each system call in each of its ways,
 * once and for good, until a run makes no call that has not failed yet.
 *
 * Whatever fails, the caller has the right reply, or a failure that is true: what is said not to
 * have been sent was not executed, and nothing was executed twice. The next call without faults
 * succeeds, in the same process; and when the engine is left no memory and no descriptor is
 * missing.
 */
#ifndef OH_TESTS_SWEEP_H
#define OH_TESTS_SWEEP_H

#include "engine_tests.h"

typedef struct scenario {
    const char *name;
    void (*configure)(void);

    /*
     * All of it, from a process that has nothing open. False and a failure. `number` is that of its
     * key.
     */
    bool (*run)(unsigned number, oh_failure *failure);
    /* A sweep over less has swept over something else; 0: they are not swept over. */
    unsigned allocations_min, calls_min;
    unsigned (*executed)(unsigned number);
    /* It has gone well when its deadline passes, be it before the command is sent. */
    bool has_no_reply;
} scenario;

/* All scenarios of a list, and a line about each. */
void sweep(const scenario *all, size_t count);

/*
 * Somebody else is asking already whether the node is back: a refresh of the map, which goes on
 * beside calls.
 */
bool sweep_is_for_rest(const oh_failure *failure);

#endif
