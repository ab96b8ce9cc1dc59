/*
 * Faults: makes one allocation or one system call of the engine fail. The test chooses which.
 *
 * The linker replaces malloc, recv and so on with these functions, in the engine and in the
 * libraries linked into it. So a sweep covers exactly the calls that are made, and memory that was
 * allocated but not freed can be counted.
 */
#ifndef OH_TESTS_FAULTS_H
#define OH_TESTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum faults_door { FAULTS_MEMORY, FAULTS_KERNEL } faults_door;

/* What has happened since faults_arm. */
typedef struct faults_report {
    unsigned calls;    /* How many went through that door. */
    bool has_failed;   /* The call that should fail was made. */
    const char *name;  /* The name of that call. */
    unsigned variants; /* In how many ways that call can fail. */
} faults_report;

/*
 * The `number`-th call from now on fails in its `variant`-th way. The first call is 1, the first
 * way is 0. If the fault `lasts`, all later calls fail, too. disarm ends this.
 */
void faults_arm(faults_door door, unsigned number, unsigned variant, bool lasts);
faults_report faults_disarm(void);

/* How many allocations are not freed yet; how many descriptors are open. */
long faults_memory(void);
unsigned faults_descriptors(void);

/* Sets all clocks that the engine reads forward by so many seconds. */
void faults_pass_time(uint32_t seconds);

#endif
