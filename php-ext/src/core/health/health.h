/*
 * Health: is it worth asking this node?
 *
 * The state of a node is one u64 in an atomic word. The functions take a state and an event and
 * return the next state; the caller compares and swaps. State 0 is a node without failures. Time
 * and chance are arguments: the room uses no clock, socket or lock. So several processes can use
 * these functions on shared memory, and a test can use them on a list of events.
 *
 * A call asks this room between placement and lease, and each exchange reports its outcome to this
 * room.
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
    OH_HEALTH_PROBE, /* Go; all other callers are refused until the result is known. */
    OH_HEALTH_REFUSE /* The node rests: fail immediately, nothing was sent. */
} oh_health_answer;

typedef enum oh_health_cause {
    OH_HEALTH_REFUSED, /* The connection was refused, or the host cannot be reached. */
    OH_HEALTH_EXCHANGE /* Any other failure. */
} oh_health_cause;

/* ---- The fields of a state ---- */

/* The instant, in milliseconds, until which the node is down; 0 if it is in use. */
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

/* False also for a node whose ejection is over and that has not answered since. */
static inline bool oh_health_is_up(uint64_t state)
{
    return oh_health_until(state) == 0 && oh_health_step(state) == 0;
}

/*
 * The generation, and when the node last answered any caller. An attempt reads this value when it
 * begins, and passes it as `born` if it fails.
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

/* A caller wants to use the node and has `patience_ms` for it (0: no end). */
uint64_t oh_health_asked(uint64_t state, const oh_health_rules *rules, uint64_t now_ms,
    uint32_t patience_ms, oh_health_answer *answer);

/*
 * An attempt failed, and the node is the cause. `heard_ms` is when the node last answered, `chance`
 * is any number.
 */
uint64_t oh_health_failed(uint64_t state, uint64_t heard_ms, const oh_health_rules *rules,
    oh_health_cause cause, uint64_t born, uint64_t now_ms, uint32_t chance);

/*
 * A reply arrived. The caller itself notes when the node was heard. Usually the state stays the
 * same, and nothing has to be written.
 */
uint64_t oh_health_answered(uint64_t state, const oh_health_rules *rules);

/* ---- Late together ---- */

/* A passed deadline, and what is known of all nodes of the process. Add each node, then ask. */
typedef struct oh_health_lateness {
    uint64_t began_ms, now_ms; /* When the call began; the time now. */
    uint64_t heard_ms;         /* The last answer of any node; 0 at first. */
    bool is_other_late;
} oh_health_lateness;

/* Adds a node: when it last answered, and when a deadline last passed for it. */
void oh_health_add_late(
    oh_health_lateness *lateness, uint64_t heard_ms, uint64_t late_ms, bool is_other);

/* True if the deadline says nothing about the node, because several nodes were late together. */
bool oh_health_is_late_together(const oh_health_lateness *lateness);

/* ---- What the log is told ---- */

typedef enum oh_health_edge {
    OH_HEALTH_NO_EDGE,
    OH_HEALTH_DOWN,
    OH_HEALTH_DOWN_STILL, /* A further try failed. */
    OH_HEALTH_BACK
} oh_health_edge;

/* The kind of a change of state. Only the caller that made the change writes it to the log. */
oh_health_edge oh_health_edge_of(uint64_t before, uint64_t after);

typedef struct oh_health_line {
    bool is_due;
    uint32_t times; /* How often the node went down between the last line "down" and this one. */
    uint64_t ms;    /* For a node that is back: the time since that line. */
} oh_health_line;

/*
 * Returns what is known of the log's lines after this edge; pass it as `told` next time, and 0 the
 * first time. If `line` is due, write it.
 */
uint64_t oh_health_told(uint64_t told, oh_health_edge edge, uint64_t now_ms, oh_health_line *line);

/* ---- Where nodes are ejected ---- */

/* True if the node belongs in the ring that is built now. */
static inline bool oh_health_is_live(uint64_t state, uint64_t now_ms)
{
    return oh_health_until(state) <= now_ms;
}

/* The state of a node after the ring was built. */
uint64_t oh_health_rebuilt(uint64_t state, uint64_t now_ms);

/*
 * True if placement must be built again. `due_ms` is the smallest `until` of the ejected nodes, 0
 * for none.
 */
static inline bool oh_health_is_rebuild_due(uint64_t due_ms, uint64_t now_ms)
{
    return due_ms != 0 && now_ms > due_ms;
}

#endif
