/*
 * The environment of a plain C program, and arrays in the memory of a call.
 */
#include "engine/base/environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OH_WARNING_BYTES 1024

static size_t plenty(void)
{
    return SIZE_MAX;
}

static bool never(void)
{
    return false;
}

static void nothing(void)
{
}

static bool always(const char *path)
{
    (void)path;
    return true;
}

static void print_warning(const char *text)
{
    fprintf(stderr, "%s\n", text);
}

static void print_line(int severity, const char *text)
{
    (void)severity;
    fprintf(stderr, "%s\n", text);
}

oh_environment oh_surroundings = {
    .library = "onehop",
    .version = "0",
    .allocate = malloc,
    .resize = realloc,
    .release = free,
    .memory_left = plenty,
    .is_interrupted = never,
    .serve_interrupt = nothing,
    .is_ending = never,
    .is_exiting = never,
    .may_read = always,
    .warn = print_warning,
    .log = print_line,
    .announce = print_line,
};

void *oh_call_zeroed(size_t count, size_t size)
{
    void *memory = oh_call_resize(NULL, count, size);

    return memory && count ? memset(memory, 0, count * size) : memory;
}

void *oh_call_resize(void *memory, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        return NULL;
    }
    size_t bytes = count * size;

    bytes += bytes == 0;
    return memory ? oh_surroundings.resize(memory, bytes) : oh_surroundings.allocate(bytes);
}

void oh_warn(const char *format, ...)
{
    char text[OH_WARNING_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    oh_surroundings.warn(text);
}
