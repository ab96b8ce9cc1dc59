/*
 * Characters of UTF-8 (RFC 3629) in bytes.
 */
#ifndef OH_BASE_UTF8_H
#define OH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/slice.h"

/*
 * Reads one character and moves *at past it; *at must be before `end`. If the character is broken,
 * returns -1 and does not move *at. Surrogates count as broken.
 */
int32_t oh_utf8_read(const char **at, const char *end);

/* True if all bytes are whole characters. */
bool oh_utf8_is_valid(oh_bytes text);

#endif
