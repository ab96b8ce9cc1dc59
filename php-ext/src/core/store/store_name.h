/*
 * Names: the addresses of host names that were looked up recently.
 *
 * A small table of records of one size, in the segment or in the memory of one process. It has no
 * lock and no index. Any process may write a record at any time, word by word; it contains a digest
 * of itself and of its name. A record that is torn, damaged, of another name or too old does not
 * count: the name is looked up again.
 *
 * Implements spec/topology/segment.md, "Names".
 */
#ifndef OH_STORE_NAME_H
#define OH_STORE_NAME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define OH_NAME_IDENTITY_BYTES 16
/* More addresses of a name are not tried: the deadline would pass before. */
#define OH_NAME_ADDRESSES_MAX 8
#define OH_NAME_KEPT_MS_MIN 1000
#define OH_NAME_KEPT_MS_MAX 60000
#define OH_NAME_PLACES 256
#define OH_NAME_WORDS (2 + 2 * OH_NAME_ADDRESSES_MAX + 2)

/* An address without its port. */
typedef struct oh_ip {
    bool is_v6;
    uint8_t bytes[16]; /* An IPv4 address uses only the first four. */
} oh_ip;

typedef struct oh_name {
    uint64_t until_ms; /* By the monotonic clock. */
    uint32_t count;    /* At least 1; in the order in which they are tried. */
    /*
     * The first address was put in front because others were silent; the answer had another order.
     */
    bool is_chosen;
    oh_ip addresses[OH_NAME_ADDRESSES_MAX];
} oh_name;

/* Zeroed memory is an empty table. */
typedef struct oh_store_names {
    _Atomic uint64_t places[OH_NAME_PLACES][OH_NAME_WORDS];
} oh_store_names;

/*
 * Keeps the record until its time. If no place is free, it replaces the record that would expire
 * first.
 */
void oh_store_remember(oh_store_names *names, const uint8_t identity[OH_NAME_IDENTITY_BYTES],
    const oh_name *name, uint64_t now_ms);

/* False if there is no record, or it is too old. */
bool oh_store_recall(const oh_store_names *names, const uint8_t identity[OH_NAME_IDENTITY_BYTES],
    uint64_t now_ms, oh_name *name);

/* Like oh_store_recall, however old the record is. */
bool oh_store_recall_last(
    const oh_store_names *names, const uint8_t identity[OH_NAME_IDENTITY_BYTES], oh_name *name);

/* Moves an address of the name to the front, or to the end. False if the name does not have it. */
bool oh_name_choose(oh_name *name, const oh_ip *address, bool is_first);

#endif
