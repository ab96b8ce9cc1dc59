/*
 * An image may come from another process, but its texts are within the limits that the name has
 * room for.
 */
#include "core/topology/connection_name.h"

#include <string.h>

#define DIGITS 8

void oh_connection_name_write(const oh_server_pool *pool, char name[OH_CONNECTION_NAME_BYTES])
{
    static const char standard[] = "onehop";
    oh_text word = pool->client_name.bytes != NULL ? pool->client_name
                                                   : (oh_text){standard, sizeof standard - 1};
    char *at = name;
    memcpy(at, word.bytes, word.length);
    at += word.length;
    *at++ = ':';
    for (size_t i = 0; i < pool->name.length; i++) {
        char byte = pool->name.bytes[i];
        *at++ = (byte < '!' || byte > '~') ? '_' : byte;
    }
    *at++ = ':';
    for (int shift = 4 * (DIGITS - 1); shift >= 0; shift -= 4) {
        *at++ = "0123456789abcdef"[pool->fingerprint >> shift & 15];
    }
    *at = '\0';
}
