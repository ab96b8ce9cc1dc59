/*
 * Log: what is to stand in PHP's log, said by whoever learns it in the middle of an exchange.
 *
 * Writing a line takes request memory, of which there may be none left, and that ends the script where it stands. So a
 * line is noted wherever it comes up, and written where nothing is half done: at the end of a call, of a wait for a
 * message, of the request. php.ini decides where it goes (`error_log`), and whether (`log_errors`).
 */
#ifndef OH_PHP_LOG_H
#define OH_PHP_LOG_H

#include "php_onehop.h"

/* One line to be written soon; the severity is syslog's. Bytes that are not printable become question marks. */
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
