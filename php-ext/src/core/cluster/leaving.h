/*
 * Leaving: decides whether a call that waits for its node goes to another one.
 *
 * A pure function of what was sent and what the client knows. Implements spec/wire, section 5,
 * "While a call waits", and spec/topology/cluster.md, section 7, "The fallback".
 */
#ifndef OH_LEAVING_H
#define OH_LEAVING_H

#include <stdbool.h>
#include <stdint.h>

typedef enum oh_leaving {
    OH_LEAVING_STAY,
    OH_LEAVING_FOR_SUCCESSOR,
    OH_LEAVING_FOR_FALLBACK
} oh_leaving;

typedef struct oh_leaving_case {
    bool is_sent;        /* A byte of the request was sent. */
    bool has_heard;      /* A byte of an answer has come. */
    bool may_repeat;     /* All of it only reads, and may be sent again. */
    bool is_blocking;    /* It is a blocking command. */
    bool is_bound;       /* It needs this node: a transaction, or a node that the caller chose. */
    bool has_successor;  /* The client knows a node that has taken over. */
    bool has_fallback;   /* The node has a fallback: another one that may answer reads. */
    uint64_t left_ns;    /* Until the deadline. */
    uint32_t timeout_ms; /* 0 is none. */
} oh_leaving_case;

oh_leaving oh_leaving_decide(const oh_leaving_case *it);

#endif
