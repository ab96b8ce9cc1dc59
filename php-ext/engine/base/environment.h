/*
 * Environment: what the engine asks of the program that it runs in.
 *
 * The engine itself needs C11 and POSIX only. A program that does nothing gets what a plain C
 * program has: malloc, no interrupts, and lines on stderr. Another one puts what it has in their
 * place, once, before it opens a pool: PHP does so in php/module/environment.c.
 */
#ifndef OH_ENGINE_ENVIRONMENT_H
#define OH_ENGINE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/compiler.h"

typedef struct oh_environment {
    /* Memory of a call, which may be bounded and may vanish when the program gives up the call. */
    void *(*allocate)(size_t size);
    void *(*resize)(void *memory, size_t size);
    void (*release)(void *memory);
    size_t (*memory_left)(void);

    /* A signal has come that the program wants to serve. Called with all signals blocked. */
    bool (*is_interrupted)(void);
    void (*serve_interrupt)(void);

    /* The program gives up what goes on: nothing more is waited for. */
    bool (*is_ending)(void);

    /*
     * A warning for whoever runs the program, at once; a line of its log; a line that its log has
     * even where it is told to keep errors out of it. Severities are syslog's.
     */
    void (*warn)(const char *text);
    void (*log)(int severity, const char *text);
    void (*announce)(int severity, const char *text);
} oh_environment;

extern oh_environment oh_surroundings;

/* Memory of a call; NULL if there is none. A size of 0 is fine. */
static inline void *oh_call_allocate(size_t size)
{
    return oh_surroundings.allocate(size);
}

/* The same for an array, all zeros; NULL as well if it would be larger than any memory. */
void *oh_call_zeroed(size_t count, size_t size);

/*
 * The same for an array of `count` elements, grown or made (memory NULL). NULL leaves the old one.
 */
void *oh_call_resize(void *memory, size_t count, size_t size);

/* NULL is fine. */
static inline void oh_call_release(void *memory)
{
    if (memory) {
        oh_surroundings.release(memory);
    }
}

/* A warning made by a format, cut where it is too long for a line. */
void oh_warn(const char *format, ...) OH_FORMAT(1, 2);

#endif
