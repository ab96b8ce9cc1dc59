/*
 * Sentinel: what Sentinels say about the master of a name, and which address is adopted.
 *
 * The names of a pool's servers are Sentinel's names of masters, and only their addresses change.
 * Nothing here sends, waits or allocates. The texts of an answer point into the replies.
 *
 * Implements spec/topology/sentinel.md, sections 1 and 2.
 */
#ifndef OH_SENTINEL_H
#define OH_SENTINEL_H

#include "core/base/slice.h"
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

#endif
