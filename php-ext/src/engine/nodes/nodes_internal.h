/*
 * Internal to room nodes. Each file uses only those above it in this list:
 *
 *     nodes_store      the published map of the host, and this process' copy
 *     nodes_refresh    one round of asking: chooses, asks, waits; it knows no protocol
 *     nodes_tick       when the map is refreshed, and by which process
 *     ask_cluster      a protocol: what nodes of a Redis Cluster are asked, and what answers mean
 *     sentinels_map    the map built from what Sentinels say
 *     ask_sentinels    the other protocol: what Sentinels are asked
 *     nodes            the first map, and the newest one for clients
 */
#ifndef OH_ENGINE_NODES_INTERNAL_H
#define OH_ENGINE_NODES_INTERNAL_H

#include "core/cluster/sentinel.h"
#include "core/generated/timings.h"
#include "core/resp/value.h"

#include "engine/base/buffer.h"
#include "engine/exchange/exchange.h"
#include "engine/nodes/nodes.h"

#define OH_ASKED_MAX 2      /* How many nodes of a Redis Cluster are asked in parallel. */
#define OH_CHECK_AGAIN_MS 2 /* How often to check if another process is done. */

/* ---- Map store ---- */

/* Replaces a snapshot by another one, which is already counted, or by NULL. */
void oh_map_set(oh_snapshot **place, oh_snapshot *snapshot);

/* True if the map has a node with this name. There must be a map. */
bool oh_map_has(const oh_nodes *nodes, oh_text name);

/*
 * Publishes and adopts the chosen map. False if it is not better than the present one, or there is
 * no memory.
 */
bool oh_map_adopt(oh_nodes *nodes, const oh_server_pool *pool);

/* The image of a pool. NULL if there is no memory. */
void *oh_map_write(const oh_server_pool *pool, size_t *length);

/* Copies the map that another process has published, if it is newer. */
void oh_map_catch_up(oh_nodes *nodes);

/* ---- Refresh ---- */

/* A round of asking, in memory of the call. */
typedef struct oh_refresh {
    oh_snapshot *snapshot; /* The snapshot with the asked nodes. */
    oh_snapshot *before;   /* The map when it began; the seeds if there was none. */
    oh_buffer question;
    uint64_t began_ns, deadline_ns;
    uint64_t answered_ns; /* When the first answer arrived; 0 before that. */
    uint32_t silent;      /* How many answers were still to come then. */
    uint32_t answers;     /* How many answers have arrived. */
    bool is_certain;      /* No further answer can change the result. */
    bool needs_all;       /* Waits for all answers until the deadline. */
    bool is_trusting;     /* The configuration has just named the asked nodes. */
    uint32_t count;
    uint32_t *asked; /* The three arrays have room for all nodes that are asked. */
    oh_failure *failures;
    oh_exchange *exchanges;
} oh_refresh;

/* How one protocol says where the nodes are. */
typedef struct oh_protocol {
    oh_map_kind kind;
    const char *name;   /* A part of the identity of its maps. */
    uint32_t soon_ms;   /* How soon a map that may be wrong is refreshed. */
    uint32_t anyway_ms; /* How soon every other map is refreshed. */
    /* The age of its map is checked after a number of calls, not after a time. */
    bool counts_calls;
    /*
     * Sentinels: all of them are asked, and decide together. If none answers, the configuration is
     * the map.
     */
    bool is_quorum;
    /* True if an image is a map: the pool as configured has neither slots nor ids. */
    bool (*is_map)(const oh_topology *topology);
    /* Who can be asked without a map, counted. NULL if there is no memory. */
    oh_snapshot *(*contacts)(oh_snapshot *seeds, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
    /*
     * Applies a changed configuration to the map. `before` is the configuration so far, at first
     * NULL.
     */
    void (*reconfigure)(oh_nodes *nodes, const oh_snapshot *before);
    /* Begins a refresh. Without memory there is none; a later call tries again. */
    void (*begin)(oh_nodes *nodes, uint64_t deadline_ns);
    void (*write_question)(const oh_nodes *nodes, oh_refresh *refresh);
    /* True if no further answer can change the result. NULL if a further answer always can. */
    bool (*is_certain)(const oh_refresh *refresh);
    /*
     * Adopts the map in the answers. If there is none, the failures of the refresh say why. Returns
     * the deadline of another refresh that must begin at once, or 0.
     */
    uint64_t (*judge)(oh_nodes *nodes);
} oh_protocol;

extern const oh_protocol oh_protocol_of_cluster, oh_protocol_of_sentinels;

/* The indexes of the nodes that may be asked, in memory of the call. NULL if memory is short. */
uint32_t *oh_refresh_targets(const oh_snapshot *snapshot, uint32_t *count);

/* Move one target to the front: the one at `at`, or a random one. */
void oh_refresh_put_first(uint32_t *targets, uint32_t at);
void oh_refresh_draw(uint32_t *targets, uint32_t count);

/*
 * Begins a refresh that sends the question to at most `most` of these targets, without waiting. The
 * first `in_order` targets are asked in this order, the others in a random order. A target that
 * fails immediately is replaced by a later one. NULL if there is no memory.
 */
oh_refresh *oh_refresh_ask(oh_nodes *nodes, oh_snapshot *snapshot, uint32_t *targets,
    uint32_t count, uint32_t in_order, uint32_t most, uint64_t deadline_ns);

/* The replies of one of the asked nodes; empty if not all have arrived. */
oh_bytes oh_refresh_answer(const oh_refresh *refresh, uint32_t index);

/* Advances the refresh, and waits at most `milliseconds`. */
void oh_refresh_move(oh_nodes *nodes, uint32_t milliseconds);

/*
 * Asks these contacts, the first OH_EXCHANGE_SET_MAX at most: Sentinels all at once, nodes of a
 * Redis Cluster in overlapping steps until one has answered. Returns how many were asked; each has
 * a failure unless there is a map now. Returns 0 if the same contacts must be asked once more.
 */
uint32_t oh_refresh_ask_contacts(oh_nodes *nodes, const uint32_t *targets, uint32_t count,
    uint64_t deadline_ns, oh_failure *failures);

/* ---- Turns ---- */

/*
 * oh_refresh_is_my_turn: true if this process may refresh now, because no process of the host has
 * done so for `every_ms`. oh_refresh_first_deadline: the deadline for the first map, and for the
 * first answer after a change of servers.
 */
bool oh_refresh_is_my_turn(oh_nodes *nodes, uint32_t every_ms);
uint64_t oh_refresh_first_deadline(const oh_nodes *nodes);

/* ---- The map of Sentinels ---- */

#define OH_EPOCH_BYTES 24

/*
 * The map built from the Sentinels' answers. Its strings belong to the replies, or to this struct.
 */
typedef struct oh_sentinels_map {
    oh_server_pool pool;
    size_t masters_count;
    oh_server *servers;             /* The masters; at the end also their replicas. */
    char (*epochs)[OH_EPOCH_BYTES]; /* The memory of the masters' ids. */
    oh_sentinel_replica *replicas;  /* The replicas of all masters. */
    size_t replicas_count;
    bool lacks_memory;         /* Some replicas are missing. */
    bool distrusts_known;      /* An address that most Sentinels contradict is not kept. */
    bool is_contradicted;      /* Most Sentinels contradict an address that is kept. */
    size_t named_count;        /* How many names have an address that a Sentinel has named. */
    const oh_server *nameless; /* The first name without an address; NULL if all have one. */
    /* The address of that name so far is not from the configuration, but from Sentinels. */
    bool is_nameless_adopted;
    const char *reason; /* Why the Sentinels named no address for it. */
} oh_sentinels_map;

/*
 * Begins with the masters of this pool; no address is named yet, and all replicas stay. The struct
 * must be all zeros. False if there is no memory. It must be ended in both cases.
 */
bool oh_sentinels_map_begin(oh_sentinels_map *next, const oh_server_pool *known);
void oh_sentinels_map_end(oh_sentinels_map *next);

/*
 * Takes over the addresses of another map. False if the other map has no address for one of the
 * names.
 */
bool oh_sentinels_map_keep_addresses(oh_sentinels_map *next, const oh_server_pool *known);

/* Judges the replies of `count` Sentinels to the question about `asked`. */
void oh_sentinels_map_judge(
    oh_sentinels_map *next, const oh_server_pool *asked, oh_values *replies, size_t count);

/* True if no further answer of the `count` Sentinels can change an address of `asked`. */
bool oh_sentinels_are_certain(const oh_server_pool *asked, oh_values *replies, size_t count);

/*
 * Puts the replicas behind the masters; `known` is the map so far. Then the pool is complete. False
 * if there is no memory.
 */
bool oh_sentinels_map_add_replicas(oh_sentinels_map *next, const oh_server_pool *known);

#endif
