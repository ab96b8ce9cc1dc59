/*
 * Faults: one allocation or one system call of the engine fails, as the test says which.
 *
 * The linker puts these functions in the place of malloc, recv and so on, in the engine and in the
 * libraries it brings along. So what is swept over is what is really called; and memory that was
 * allocated and not given back can be counted.
 */
#ifndef OH_TESTS_FAULTS_H
#define OH_TESTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum faults_door { FAULTS_MEMORY, FAULTS_KERNEL } faults_door;

/* What has happened since they were armed. */
typedef struct faults_report {
    unsigned calls;    /* Through that door. */
    bool has_failed;   /* The call that should fail was made. */
    const char *name;  /* Of it. */
    unsigned variants; /* In how many ways it can fail. */
} faults_report;

/*
 * The `number`-th call from now on fails, from 1, in its `variant`-th way, from 0; and, if it
 * `lasts`, all after it.
 */
void faults_arm(faults_door door, unsigned number, unsigned variant, bool lasts);
faults_report faults_disarm(void);

/* Allocations that were not given back yet; descriptors that are open. */
long faults_memory(void);
unsigned faults_descriptors(void);

/* From now on all clocks that the engine reads are so much further. */
void faults_pass_time(uint32_t seconds);

#endif
