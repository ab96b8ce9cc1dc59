/*
 * Log: lines for PHP's log that come up in the middle of an exchange.
 *
 * Writing a line takes request memory. If none is left, the script ends at that point. So a line is noted
 * where it comes up, and written where nothing is half done: at the end of a call, of a wait for a message,
 * or of the request. php.ini decides where it goes (`error_log`), and whether (`log_errors`).
 */
#ifndef OH_ENGINE_LOG_H
#define OH_ENGINE_LOG_H

#include "php_onehop.h"

/* Notes one line, to be written soon; the severity is syslog's. Unprintable bytes become question marks. */
void oh_log_note(int severity, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

/* Writes what was noted. */
void oh_log_write(void);

static inline void oh_log_flush(void)
{
    if (UNEXPECTED(OHG(notes) != NULL)) {
        oh_log_write();
    }
}

/* The thread ends: what was not written is forgotten. */
void oh_log_shutdown(struct oh_note *notes);

#endif
