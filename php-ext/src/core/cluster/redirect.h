/*
 * Redirect: decides what to do if a node of a Redis Cluster has refused a command.
 *
 * A pure function of the error, the map and the tries so far. It sends nothing, waits for nothing
 * and has no clock: the caller has the command, the deadline and the connections. All of these
 * errors say that the command was not executed, so writes are treated like reads.
 *
 * For a plain server pool it only says which errors are refusals. Room resend then decides where
 * such a command goes.
 *
 * In a call this room comes after the reply. Implements spec/route/route.md, section 10.
 */
#ifndef OH_REDIRECT_H
#define OH_REDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/topology/topology.h"

typedef enum oh_redirect_action {
    OH_REDIRECT_NONE,   /* No redirect: the error is the answer. */
    OH_REDIRECT_FOLLOW, /* Send it to `node`. */
    OH_REDIRECT_ASK,    /* Send ASKING and the command to `node`, in one write; the map stays. */
    /*
     * Wait, then look the command's key up in the map as it is then, and send the command to that
     * node.
     */
    OH_REDIRECT_AGAIN,
    /* The map does not know the node: wait for a refresh, then decide again, with is_fresh. */
    OH_REDIRECT_REFRESH,
    OH_REDIRECT_GIVE_UP /* The call fails, not executed; `reason` says why. */
} oh_redirect_action;

typedef struct oh_redirect_case {
    oh_text error;   /* As the node sent it, without the `-` and CR LF; need not end with a NUL. */
    uint32_t asked;  /* The node that sent it. */
    uint32_t hops;   /* How often the command was forwarded already: FOLLOW and ASK. */
    uint32_t tries;  /* How often it has waited already: AGAIN. */
    int64_t left_ms; /* Until the deadline; negative if there is none. */
    bool is_held;    /* The connection belongs to one caller: MULTI, WATCH. */
    bool is_fresh;   /* The map was refreshed, or could not be, after this error came. */
    uint32_t chance; /* A random number, a new one each time. */
} oh_redirect_case;

typedef struct oh_redirect {
    oh_redirect_action action;
    uint32_t node;
    uint32_t slot;
    /* `slot` belongs to `node` from now on: call oh_topology_move_slot, and publish it. */
    bool has_moved;
    bool wants_refresh; /* The map is out of date: request a refresh, and do not wait for it. */
    uint32_t wait_ms;
    const char *reason; /* Why a call is given up; a constant string. */
} oh_redirect;

oh_redirect oh_redirect_decide(const oh_topology *map, const oh_redirect_case *it);

/*
 * True if a node of a plain server pool has refused a command that may be sent to another node.
 * is_watched: Sentinels name its address. has_fallback: another node may answer these reads in its
 * place. The second function is true if the node says that it has become a replica.
 */
bool oh_redirect_is_refusal(oh_text error, bool is_watched, bool has_fallback);
bool oh_redirect_is_readonly(oh_text error);
/*
 * True if the node became a replica and so ended a blocking command. The node then closes the
 * connection.
 */
bool oh_redirect_ends_wait(oh_text error);

/*
 * Leaving: decides whether a call that waits for its node goes to another one.
 *
 * A pure function of what was sent and what the client knows. Implements spec/wire, section 5,
 * "While a call waits", and spec/topology/cluster.md, section 7, "The fallback".
 */
typedef enum oh_leaving {
    OH_LEAVING_STAY,
    OH_LEAVING_FOR_SUCCESSOR,
    OH_LEAVING_FOR_FALLBACK
} oh_leaving;

typedef struct oh_leaving_case {
    bool is_sent;        /* A byte of the request was sent. */
    bool has_heard;      /* A byte of an answer has come. */
    bool may_repeat;     /* The whole request only reads, and may be sent again. */
    bool is_blocking;    /* It is a blocking command. */
    bool is_bound;       /* It needs this node: a transaction, or a node that the caller chose. */
    bool has_successor;  /* The client knows a node that has taken over. */
    bool has_fallback;   /* The node has a fallback: another one that may answer reads. */
    uint64_t left_ns;    /* Until the deadline. */
    uint32_t timeout_ms; /* Of the call; 0 if there is none. */
} oh_leaving_case;

oh_leaving oh_leaving_decide(const oh_leaving_case *it);

#endif
