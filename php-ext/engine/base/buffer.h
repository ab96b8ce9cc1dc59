/*
 * Buffer: bytes that grow at their end, in the memory of a call.
 *
 * Running out of memory is remembered, so that whoever appends asks once, at the end. A buffer of
 * all zeros is empty.
 */
#ifndef OH_ENGINE_BUFFER_H
#define OH_ENGINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/compiler.h"

typedef struct oh_buffer {
    char *bytes;
    size_t length, capacity;
    bool is_broken; /* There was no memory for something that was appended. */
} oh_buffer;

void oh_buffer_append(oh_buffer *buffer, const void *bytes, size_t length);
void oh_buffer_append_text(oh_buffer *buffer, const char *text);
void oh_buffer_print(oh_buffer *buffer, const char *format, ...) OH_FORMAT(2, 3);

/* Gives its memory back; it is empty then. */
void oh_buffer_free(oh_buffer *buffer);

#endif
