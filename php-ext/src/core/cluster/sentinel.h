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

#include "core/base/slice.h"
#include "core/generated/limits.h"
#include "core/resp/value.h"

/* What one Sentinel says about one name. */
typedef struct oh_sentinel_answer {
    const char *reason; /* Why it has no address, a constant string; otherwise NULL. */
    oh_text host;       /* Not ended by a NUL. */
    uint16_t port;
    uint64_t epoch; /* Of the Sentinel's configuration. */
} oh_sentinel_answer;

/* The address of a name so far. */
typedef struct oh_sentinel_known {
    bool is_adopted; /* False: it is only the first guess, and the epoch has no meaning. */
    oh_text host;
    uint16_t port;
    uint64_t epoch;
} oh_sentinel_known;

/* A replica that a Sentinel names. */
typedef struct oh_sentinel_replica {
    oh_text host; /* Not ended by a NUL. */
    uint16_t port;
    uint16_t master; /* Which of the pool's servers it follows. */
} oh_sentinel_replica;

#define OH_REPLICA_NAME_BYTES (OH_SERVER_ADDRESS_BYTES_MAX + sizeof ":65535")

/* The answer of a Sentinel that has not answered. */
oh_sentinel_answer oh_sentinel_silent(void);

/*
 * Takes the two replies for one name, to GET-MASTER-ADDR-BY-NAME and MASTER. Returns false if these
 * are not two RESP values; then no more can be taken.
 */
bool oh_sentinel_read(oh_values *values, oh_sentinel_answer *answer);

/*
 * Judges the answers of all Sentinels of the pool, silent ones included. Returns the index of an
 * answer with the address to adopt and its epoch, or -1 if what is known stays.
 */
int oh_sentinel_judge(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *known);

/* True if host and port are valid. Writes them into the answer, and nothing else. */
bool oh_sentinel_is_address(oh_text host, oh_text port, oh_sentinel_answer *address);

/* Writes "host:port" with a NUL. Returns the length without it. */
size_t oh_sentinel_replica_name(
    const oh_sentinel_replica *replica, char name[OH_REPLICA_NAME_BYTES]);

/* The most replicas that a reply to REPLICAS, which is a whole RESP value, can name. */
size_t oh_sentinel_count_replicas(oh_values reply);

/*
 * Reads the replicas that may answer reads for this master, without the adopted address. Returns
 * how many. `replicas` has room for as many as the other function says.
 */
size_t oh_sentinel_read_replicas(oh_values reply, const oh_sentinel_answer *adopted,
    uint16_t master, oh_sentinel_replica *replicas);

/*
 * Puts replicas of all servers in order, and leaves out those whose name one of an earlier server
 * has. Returns how many are left.
 */
size_t oh_sentinel_order_replicas(oh_sentinel_replica *replicas, size_t count);

#endif
