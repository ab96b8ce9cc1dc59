/*
 * Log: lines for the program's log that come up in the middle of an exchange.
 *
 * To write a line may take memory of the call, and without any a program may give up there and then
 * (PHP does). So a line is noted where it comes up, and written where nothing is half done: at the
 * end of a call, of a wait for a message, or of the request. The environment decides where it goes.
 */
#ifndef OH_ENGINE_LOG_H
#define OH_ENGINE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/compiler.h"

/*
 * Notes one line, to be written soon; the severity is syslog's. Unprintable bytes become question
 * marks. Without memory for it the line is lost.
 */
void oh_log_note(int severity, const char *format, ...) OH_FORMAT(2, 3);

/* Writes what was noted. */
void oh_log_write(void);

extern OH_PER_THREAD struct oh_note *oh_log_notes; /* The oldest first; NULL: all was written. */

static inline void oh_log_flush(void)
{
    if (OH_UNLIKELY(oh_log_notes != NULL)) {
        oh_log_write();
    }
}

/* The thread ends: what was not written is forgotten. */
void oh_log_shutdown(void);

#endif
