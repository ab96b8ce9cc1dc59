/*
 * Environment: what the engine needs from the program that it runs in.
 *
 * The engine itself needs C11 and POSIX only. By default it uses what a plain C program has:
 * malloc, no interrupts, and lines on stderr. A program with something better sets it once, before
 * it opens a pool. PHP does so in php/module/environment.c.
 */
#ifndef OH_ENGINE_ENVIRONMENT_H
#define OH_ENGINE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/compiler.h"

typedef struct oh_environment {
    /* What connections say of the program: a name and a version without blanks. */
    const char *library, *version;

    /*
     * Memory of a call. It may be limited, and the program may free all of it when it aborts the
     * call.
     */
    void *(*allocate)(size_t size);
    void *(*resize)(void *memory, size_t size);
    void (*release)(void *memory);
    size_t (*memory_left)(void);

    /*
     * True if a signal has come that the program wants to handle. Called with all signals blocked.
     */
    bool (*is_interrupted)(void);
    void (*serve_interrupt)(void);

    /* True if the program aborts the call. The engine then ends all waits. */
    bool (*is_ending)(void);
    /* True if the program itself ends, as by exit(). Then is_ending() is true, too. */
    bool (*is_exiting)(void);

    /* True if the program lets the current caller read this file. */
    bool (*may_read)(const char *path);

    /*
     * `warn` shows a warning to the operator immediately. `log` and `announce` write a line to the
     * program's log, `announce` even if the program keeps errors out of its log. Severities are
     * syslog's.
     */
    void (*warn)(const char *text);
    void (*log)(int severity, const char *text);
    void (*announce)(int severity, const char *text);
} oh_environment;

extern oh_environment oh_surroundings;

/* Memory of a call; NULL if there is none. A size of 0 is allowed. */
static inline void *oh_call_allocate(size_t size)
{
    return oh_surroundings.allocate(size);
}

/* Allocates an array of zeros. Also NULL if its size exceeds a size_t. */
void *oh_call_zeroed(size_t count, size_t size);

/*
 * Resizes an array to `count` elements; `memory` is NULL for a new one. If it returns NULL, the old
 * array is still valid.
 */
void *oh_call_resize(void *memory, size_t count, size_t size);

/* NULL is allowed. */
static inline void oh_call_release(void *memory)
{
    if (memory) {
        oh_surroundings.release(memory);
    }
}

/* A formatted warning, cut if it is too long for a line. */
void oh_warn(const char *format, ...) OH_FORMAT(1, 2);

#endif
