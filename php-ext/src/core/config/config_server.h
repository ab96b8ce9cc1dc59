/*
 * The spellings of a server, a Sentinel, a replica and a zone have this in common: their parts,
 * brackets, and how an address is checked.
 */
#ifndef OH_CONFIG_SERVER_H
#define OH_CONFIG_SERVER_H

#include <string.h>

#include "core/config/config_item.h"

/*
 * Cuts what follows the last `separator` off *rest. If there is none, the result is absent and
 * *rest unchanged.
 */
oh_text oh_config_cut_last(oh_text *rest, char separator);

/* The host in brackets of "[host]:..."; absent if there is none. */
oh_text oh_config_host_in_brackets(oh_text front);

/* What follows the host in brackets, or all of it. */
oh_text oh_config_after_brackets(oh_text front, oh_text host);

/* How many ":" follow the host in brackets, or are in all of it. */
size_t oh_config_count_colons(oh_text front);

/* Copies the text to that place. Returns where it ends. */
static inline char *oh_config_append(char *to, oh_text text)
{
    if (text.length > 0) {
        memcpy(to, text.bytes, text.length);
    }
    return to + text.length;
}

#define OH_CONFIG_LONG_ADDRESS "has an address longer than 255 bytes"

/* What is wrong with address and port, or NULL. Sets the port's number. */
const char *oh_config_check_address(oh_config_parts *it);

#endif
