/*
 * Notes are kept in the process' memory, in order. A note leaves the list before it is written: if the
 * script ends during the write, the line is lost, not written twice.
 */
#include "engine/log/log.h"

#define OH_LINE_BYTES 1024

struct oh_note {
    struct oh_note *next;
    int severity;
    char text[OH_LINE_BYTES];
};

void oh_log_note(int severity, const char *format, ...)
{
    struct oh_note *note = pemalloc(sizeof *note, true), **end = &OHG(notes);
    va_list arguments;

    note->next = NULL;
    note->severity = severity;
    va_start(arguments, format);
    ap_php_vsnprintf(note->text, sizeof note->text, format, arguments);
    va_end(arguments);
    for (char *at = note->text; *at; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
    while (*end) {
        end = &(*end)->next;
    }
    *end = note;
}

void oh_log_write(void)
{
    struct oh_note *note;

    while ((note = OHG(notes))) {
        char text[OH_LINE_BYTES];
        int severity = note->severity;

        memcpy(text, note->text, sizeof text);
        OHG(notes) = note->next;
        free(note);
        if (PG(log_errors)) {
            php_log_err_with_severity(text, severity);
        }
    }
}

void oh_log_shutdown(struct oh_note *notes)
{
    while (notes) {
        struct oh_note *next = notes->next;

        free(notes);
        notes = next;
    }
}
