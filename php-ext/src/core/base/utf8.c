/*
 * UTF-8 (RFC 3629): no overlong forms, no surrogates.
 */
#include "core/base/utf8.h"

int32_t oh_utf8_read(const char **at, const char *end)
{
    /* The smallest character for each number of continuation bytes. A smaller one is overlong. */
    static const int32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)*at;
    size_t more = bytes[0] < 0x80 ? 0 : bytes[0] < 0xe0 ? 1 : bytes[0] < 0xf0 ? 2 : 3;
    if ((bytes[0] >= 0x80 && bytes[0] < 0xc0) || bytes[0] >= 0xf8 || (size_t)(end - *at) <= more) {
        return -1;
    }
    int32_t character = more == 0 ? bytes[0] : bytes[0] & (0x3f >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return -1;
        }
        character = character << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
    if (character < smallest[more] || character > 0x10ffff || is_surrogate) {
        return -1;
    }
    *at += more + 1;
    return character;
}

bool oh_utf8_is_valid(oh_bytes text)
{
    const char *at = (const char *)text.bytes;
    const char *end = at + text.length;

    while (at < end) {
        if (oh_utf8_read(&at, end) < 0) {
            return false;
        }
    }
    return true;
}
