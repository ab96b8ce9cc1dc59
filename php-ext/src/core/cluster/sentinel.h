/*
 * Sentinel: what Sentinels say about the master of a name, and which address is adopted.
 *
 * The names of a pool's servers are Sentinel's names of masters, and only their addresses change.
 * Nothing here sends, waits or allocates. The texts of an answer point into the replies.
 *
 * Implements spec/topology/sentinel.md, sections 1, 2 and 6.
 */
#ifndef OH_SENTINEL_H
#define OH_SENTINEL_H

#include "core/base/decimal.h"
#include "core/base/slice.h"
#include "core/generated/limits.h"
#include "core/resp/value.h"

/* What one Sentinel says about one name. */
typedef struct oh_sentinel_answer {
    const char *reason; /* Why it has no address, a constant string; otherwise NULL. */
    oh_text host;       /* Not ended by a NUL. */
    uint16_t port;
    uint64_t epoch; /* The epoch of the Sentinel's configuration. */
} oh_sentinel_answer;

/* The address of a name so far. */
typedef struct oh_sentinel_known {
    /* If false, the address is only a first guess, and the epoch has no meaning. */
    bool is_adopted;
    oh_text host;
    uint16_t port;
    uint64_t epoch;
} oh_sentinel_known;

/* A replica that a Sentinel names. */
typedef struct oh_sentinel_replica {
    oh_text host; /* Not ended by a NUL. */
    uint16_t port;
    uint16_t master; /* Which of the pool's servers it follows. */
    uint16_t name_length;
    char name[OH_ADDRESS_BYTES_MAX];
} oh_sentinel_replica;

/* Sets the replica, with the name that its address gives it. */
void oh_sentinel_set_replica(
    oh_sentinel_replica *replica, oh_text host, uint16_t port, uint16_t master);

static inline oh_text oh_sentinel_replica_name(const oh_sentinel_replica *replica)
{
    return (oh_text){replica->name, replica->name_length};
}

/* The answer of a Sentinel that has not answered. */
oh_sentinel_answer oh_sentinel_silent(void);

/* True if a reply says that the server does not know SENTINEL: it is not a Sentinel. */
bool oh_sentinel_is_none(const uint8_t *reply, size_t length);

/*
 * Takes the two replies for one name, to GET-MASTER-ADDR-BY-NAME and MASTER. Returns false if these
 * are not two RESP values; then no more can be taken.
 */
bool oh_sentinel_read(oh_values *values, oh_sentinel_answer *answer);

/* True if the answer has an address, and it is this one. */
bool oh_sentinel_names(const oh_sentinel_answer *answer, oh_text host, uint16_t port);

/*
 * Judges the answers of all Sentinels of the pool, silent ones included. Returns the index of an
 * answer with the address to adopt and its epoch, or -1 to keep what is known.
 */
int oh_sentinel_judge(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *known);

/* True if no answer of a silent Sentinel can change which address is adopted. */
bool oh_sentinel_is_certain(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *known);

/* True if more than half of all Sentinels name another address than the one in use. */
bool oh_sentinel_is_contradicted(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *now);

/*
 * Reads a port or an epoch. False if the text is not a number, or has too many digits for one of a
 * Sentinel.
 */
bool oh_sentinel_read_number(oh_text text, uint64_t *number);

/*
 * How many replicas `count` replies to REPLICAS can name at most. The replies are whole RESP
 * values.
 */
size_t oh_sentinel_count_replicas(const oh_values *replies, size_t count);

/*
 * Reads the replicas that may answer reads for this master: more than half of the replies name
 * them, and they do not have the adopted address. Returns how many. `replicas` has room for as many
 * as oh_sentinel_count_replicas returns.
 */
size_t oh_sentinel_read_replicas(const oh_values *replies, size_t count,
    const oh_sentinel_answer *adopted, uint16_t master, oh_sentinel_replica *replicas);

/*
 * Puts the replicas of all servers in order. Leaves out each replica whose name an earlier server's
 * replica has. Returns how many are left.
 */
size_t oh_sentinel_order_replicas(oh_sentinel_replica *replicas, size_t count);

#endif
