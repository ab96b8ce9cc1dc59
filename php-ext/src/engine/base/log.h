/*
 * Log: keeps lines for the program's log until it is safe to write them.
 *
 * Writing a line may need memory of the call, and a program may abort if there is none (PHP does).
 * So lines that arise during an exchange are only noted. They are written when nothing is half
 * done: at the end of a call, of a wait for a message, or of the request. The environment decides
 * where they go.
 */
#ifndef OH_ENGINE_LOG_H
#define OH_ENGINE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/compiler.h"

/*
 * Notes one line for the next oh_log_write; the severity is syslog's. Unprintable bytes become
 * question marks. If memory is short, the line is lost.
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

/* Called when the thread ends. Drops lines that were not written. */
void oh_log_shutdown(void);

#endif
