/*
 * What a server, a Sentinel, a replica and a zone have in common: each is an item of a sequence,
 * with a value, perhaps an error, and a place among the others.
 */
#ifndef OH_CONFIG_ITEM_H
#define OH_CONFIG_ITEM_H

#include "core/config/config_reader.h"

/* What its text says; texts that its form does not have are absent. */
typedef struct oh_config_parts {
    bool is_unix;
    bool is_named; /* The text has a name. */
    oh_text address;
    oh_text port; /* TCP alone. */
    oh_text weight;
    oh_text name; /* By which placement knows it; before, as given or absent. */
    uint32_t port_number;
    uint32_t weight_number;
    oh_text slots; /* Bits of the caller, if the text has them instead of a weight. */
} oh_config_parts;

/* An item that is being taken into the pool. */
typedef struct oh_config_item {
    oh_config_reader *reader;
    oh_config_sequence *sequence;
    const char *name; /* What an error calls it: "server". */
    size_t line;
    oh_config_value value;
} oh_config_item;

/* Begins with its value, which is not empty. False with an error. */
bool oh_config_begin_item(
    oh_config_item *item, oh_config_reader *reader, const oh_config_spelled *spelled);

/* Adds an error about its value: the item, the fault, and the value. */
void oh_config_fail_item(const oh_config_item *item, const char *fault);
void oh_config_fail_duplicate(const oh_config_item *item, oh_text name);

/* Where a name belongs in a sequence, or is already. */
size_t oh_config_find(const oh_config_sequence *sequence, oh_text name, bool *is_there);

/* Puts the item at its place. Returns it, or NULL without memory, which is an error already. */
oh_server *oh_config_insert(const oh_config_item *item, size_t place, const oh_config_parts *it);

#endif
