/*
 * The buffer doubles its memory when it is full. Formatted texts are short: numbers and a few
 * words.
 */
#include "engine/base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/environment.h"

#define OH_BUFFER_BYTES_MIN 256
#define OH_PRINTED_BYTES_MAX 512

static bool make_room(oh_buffer *buffer, size_t length)
{
    size_t capacity = buffer->capacity ? buffer->capacity : OH_BUFFER_BYTES_MIN;

    if (buffer->is_broken || length > SIZE_MAX / 2 - buffer->length) {
        buffer->is_broken = true;
        return false;
    }
    while (capacity - buffer->length < length) {
        capacity *= 2;
    }
    if (capacity != buffer->capacity) {
        char *bytes = oh_call_resize(buffer->bytes, capacity, 1);

        if (!bytes) {
            buffer->is_broken = true;
            return false;
        }
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    return true;
}

void oh_buffer_append(oh_buffer *buffer, const void *bytes, size_t length)
{
    if (length > 0 && make_room(buffer, length)) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
        buffer->length += length;
    }
}

void oh_buffer_append_text(oh_buffer *buffer, const char *text)
{
    oh_buffer_append(buffer, text, strlen(text));
}

void oh_buffer_print(oh_buffer *buffer, const char *format, ...)
{
    char text[OH_PRINTED_BYTES_MAX];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        buffer->is_broken = true;
        return;
    }
    oh_buffer_append(buffer, text, (size_t)length);
}

static bool append_to_buffer(void *to, const void *bytes, size_t length)
{
    oh_buffer *buffer = to;

    oh_buffer_append(buffer, bytes, length);
    return !buffer->is_broken;
}

oh_resp_sink oh_buffer_sink(oh_buffer *buffer)
{
    return (oh_resp_sink){append_to_buffer, buffer};
}

void oh_buffer_free(oh_buffer *buffer)
{
    oh_call_release(buffer->bytes);
    *buffer = (oh_buffer){0};
}
