/* "host:port", as servers, Sentinels and redirects name a node that is reached by TCP. */
#ifndef OH_BASE_ADDRESS_H
#define OH_BASE_ADDRESS_H

#include "core/base/decimal.h"
#include "core/base/slice.h"
#include "core/generated/limits.h"

/* Room for one, and for a NUL. */
#define OH_ADDRESS_BYTES_MAX (OH_SERVER_ADDRESS_BYTES_MAX + 1 + OH_DECIMAL_DIGITS_MAX + 1)

/* Writes it, ended by a NUL. The host has at most OH_SERVER_ADDRESS_BYTES_MAX bytes. */
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
