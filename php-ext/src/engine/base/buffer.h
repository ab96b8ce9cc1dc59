/*
 * Buffer: bytes that grow at their end, in the memory of a call.
 *
 * The buffer remembers if it ran out of memory, so a caller that appends checks once, at the end. A
 * buffer of all zeros is empty.
 */
#ifndef OH_ENGINE_BUFFER_H
#define OH_ENGINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/compiler.h"
#include "core/resp/write.h"

typedef struct oh_buffer {
    char *bytes;
    size_t length, capacity;
    bool is_broken; /* It ran out of memory, so a part is missing. */
} oh_buffer;

void oh_buffer_append(oh_buffer *buffer, const void *bytes, size_t length);
void oh_buffer_append_text(oh_buffer *buffer, const char *text);
void oh_buffer_print(oh_buffer *buffer, const char *format, ...) OH_FORMAT(2, 3);

/* A sink that appends RESP to the buffer. */
oh_resp_sink oh_buffer_sink(oh_buffer *buffer);

/* Releases its memory. It is empty then. */
void oh_buffer_free(oh_buffer *buffer);

#endif
