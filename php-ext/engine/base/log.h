/*
 * Log: lines for the program's log that arise in the middle of an exchange.
 *
 * To write a line may take memory of the call, and without memory a program may abort there (PHP
 * does). So a line is noted when it arises, and written when nothing is half done: at the end of a
 * call, of a wait for a message, or of the request. The environment decides where it goes.
 */
#ifndef OH_ENGINE_LOG_H
#define OH_ENGINE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/compiler.h"

/*
 * Notes one line for the next oh_log_write; the severity is syslog's. Unprintable bytes become
 * question marks. Without memory for it the line is lost.
 */
void oh_log_note(int severity, const char *format, ...) OH_FORMAT(2, 3);

/* Writes the noted lines. */
void oh_log_write(void);

extern OH_PER_THREAD struct oh_note *oh_log_notes; /* The oldest first; NULL if all are written. */

static inline void oh_log_flush(void)
{
    if (OH_UNLIKELY(oh_log_notes != NULL)) {
        oh_log_write();
    }
}

/* The thread ends: lines that are not written are dropped. */
void oh_log_shutdown(void);

#endif
