/*
 * Health: is it worth asking this node?
 *
 * The state of a node is one u64, to be kept in an atomic word: the functions take a state and an
 * event and give the next state, and the caller compares and swaps. A state of 0 is a node nobody
 * has complained about. Time and chance are given: nothing here sees a clock, a socket or a lock,
 * so it can be run by several processes on shared memory and by a test on a list of events.
 *
 * On the road: asked between placement and lease, told by the verdict of each exchange.
 *
 * Implements spec/health.
 */
#ifndef OH_HEALTH_H
#define OH_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct oh_health_rules {
    /* auto_eject_hosts: a node that fails leaves placement instead of resting. */
    bool ejects;
    uint32_t failure_limit; /* server_failure_limit. */
    uint32_t retry_ms;      /* server_retry_timeout; only where nodes are ejected. */
} oh_health_rules;

typedef enum oh_health_answer {
    OH_HEALTH_GO,
    OH_HEALTH_PROBE, /* Go, and everybody else waits for what becomes of it. */
    OH_HEALTH_REFUSE /* It rests: fail at once, nothing was sent. */
} oh_health_answer;

typedef enum oh_health_cause { OH_HEALTH_CONNECT, OH_HEALTH_EXCHANGE } oh_health_cause;

/* ---- The fields of a state ---- */

/* The instant, in milliseconds, until which the node is down; 0: it is up. */
static inline uint64_t oh_health_until(uint64_t state)
{
    return state & ((UINT64_C(1) << 40) - 1);
}

static inline uint32_t oh_health_failures(uint64_t state)
{
    return (uint32_t)(state >> 40) & 0x3fff;
}

static inline uint32_t oh_health_step(uint64_t state)
{
    return (uint32_t)(state >> 54) & 0xf;
}

static inline uint32_t oh_health_generation(uint64_t state)
{
    return (uint32_t)(state >> 58);
}

/*
 * What an attempt must remember when it begins, and give back as `born` if it fails: the
 * generation, and when the node last answered anybody.
 */
static inline uint64_t oh_health_birth(uint64_t state, uint64_t heard_ms)
{
    return heard_ms << 6 | oh_health_generation(state);
}

static inline bool oh_health_is_of_one_generation(uint64_t born, uint64_t other)
{
    return born % 64 == other % 64;
}

/* ---- Events: each gives the next state, which may be the same ---- */

/* Somebody wants to go there and has `patience_ms` for it (0: no end). */
uint64_t oh_health_asked(uint64_t state, const oh_health_rules *rules, uint64_t now_ms,
    uint32_t patience_ms, oh_health_answer *answer);

/*
 * An attempt failed for a reason that is the node's. `heard_ms`: when it last answered. `chance` is
 * any number.
 */
uint64_t oh_health_failed(uint64_t state, uint64_t heard_ms, const oh_health_rules *rules,
    oh_health_cause cause, uint64_t born, uint64_t now_ms, uint32_t chance);

/*
 * A reply arrived, which the caller notes as heard. The usual call: nothing changes, and nothing
 * has to be written.
 */
uint64_t oh_health_answered(uint64_t state, const oh_health_rules *rules);

/* ---- What the log is told ---- */

typedef enum oh_health_edge {
    OH_HEALTH_NO_EDGE,
    OH_HEALTH_DOWN,
    OH_HEALTH_DOWN_STILL, /* It was tried again, in vain. */
    OH_HEALTH_BACK
} oh_health_edge;

/* The kind of a change of state. Only the caller that made the change writes it to the log. */
oh_health_edge oh_health_edge_of(uint64_t before, uint64_t after);

typedef struct oh_health_line {
    bool is_due;
    uint32_t times; /* How often it went down besides, since the last line "down". */
    uint64_t ms;    /* Of a node that is back: since that line. */
} oh_health_line;

/*
 * The next word about what the log was told, after an edge; 0 at first. Write the line if it is
 * due.
 */
uint64_t oh_health_told(uint64_t told, oh_health_edge edge, uint64_t now_ms, oh_health_line *line);

/* ---- Where nodes are ejected ---- */

/* Whether the node belongs into the ring that is built now. */
static inline bool oh_health_is_live(uint64_t state, uint64_t now_ms)
{
    return oh_health_until(state) <= now_ms;
}

/* The state of a node after such a building. */
uint64_t oh_health_rebuilt(uint64_t state, uint64_t now_ms);

/*
 * Whether placement must be built anew, `due_ms` being the smallest `until` of the nodes that are
 * out, 0 for none.
 */
static inline bool oh_health_is_rebuild_due(uint64_t due_ms, uint64_t now_ms)
{
    return due_ms != 0 && now_ms > due_ms;
}

#endif
