/*
 * Notes are kept in the process' memory, in order. A note leaves the list before it is written. So
 * if the program aborts during the write, the line is lost, but never written twice.
 */
#include "engine/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/memory.h"

#include "engine/base/environment.h"

#define OH_LINE_BYTES 1024

struct oh_note {
    struct oh_note *next;
    int severity;
    char text[OH_LINE_BYTES];
};

OH_PER_THREAD struct oh_note *oh_log_notes;

void oh_log_note(int severity, const char *format, ...)
{
    struct oh_note *note = oh_memory_allocate(sizeof *note), **end = &oh_log_notes;
    va_list arguments;

    if (!note) {
        return;
    }
    note->next = NULL;
    note->severity = severity;
    va_start(arguments, format);
    vsnprintf(note->text, sizeof note->text, format, arguments);
    va_end(arguments);
    for (char *at = note->text; *at; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
    while (*end) {
        end = &(*end)->next;
    }
    *end = note;
}

/* Takes the oldest note. */
static struct oh_note *take(void)
{
    struct oh_note *note = oh_log_notes;

    oh_log_notes = note->next;
    return note;
}

void oh_log_write(void)
{
    while (oh_log_notes) {
        struct oh_note *note = take();
        char text[OH_LINE_BYTES];
        int severity = note->severity;

        memcpy(text, note->text, sizeof text);
        oh_memory_release(note);
        oh_surroundings.log(severity, text);
    }
}

void oh_log_shutdown(void)
{
    while (oh_log_notes) {
        oh_memory_release(take());
    }
}
