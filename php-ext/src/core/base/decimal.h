/*
 * Decimal: numbers as digits, and back, without locale and stdio; and addresses as "host:port".
 */
#ifndef OH_DECIMAL_H
#define OH_DECIMAL_H

#include "core/base/slice.h"
#include "core/generated/limits.h"

#define OH_DECIMAL_DIGITS_MAX 10 /* 4294967295 */

/* Writes `number` without a NUL, returns how many digits it has. */
static inline size_t oh_decimal_write(char to[OH_DECIMAL_DIGITS_MAX], uint32_t number)
{
    size_t count = 1;

    for (uint32_t rest = number / 10; rest > 0; rest /= 10) {
        count++;
    }
    for (size_t i = count; i > 0; i--) {
        to[i - 1] = (char)('0' + number % 10);
        number /= 10;
    }
    return count;
}

/*
 * Reads digits. False if there are none, or if another byte is among them. A number beyond 64 bits
 * becomes UINT64_MAX.
 */
static inline bool oh_decimal_read(oh_text digits, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        if (digits.bytes[i] < '0' || digits.bytes[i] > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(digits.bytes[i] - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    return digits.length > 0;
}

/* Room for a "host:port", as servers, Sentinels and redirects name a node, and for a NUL. */
#define OH_ADDRESS_BYTES_MAX (OH_SERVER_ADDRESS_BYTES_MAX + 1 + OH_DECIMAL_DIGITS_MAX + 1)

/* Writes "host:port", ended by a NUL. The host has at most OH_SERVER_ADDRESS_BYTES_MAX bytes. */
static inline oh_text oh_address_write(char to[OH_ADDRESS_BYTES_MAX], oh_text host, uint16_t port)
{
    size_t length = host.length;

    if (length > 0) {
        memcpy(to, host.bytes, length);
    }
    to[length++] = ':';
    length += oh_decimal_write(to + length, port);
    to[length] = '\0';
    return (oh_text){to, length};
}

#endif
