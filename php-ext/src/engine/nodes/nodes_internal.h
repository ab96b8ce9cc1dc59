/*
 * Internal to room nodes, the lower parts first: nodes_store (the published map of the host and
 * this process' copy), refresh_targets (the nodes to ask), sentinels_map (the map that follows from
 * what Sentinels say), ask_sentinels (what they are asked, and that map published), nodes_refresh
 * (asks), nodes_bootstrap (gets the first map), and nodes.
 */
#ifndef OH_ENGINE_NODES_INTERNAL_H
#define OH_ENGINE_NODES_INTERNAL_H

#include "core/cluster/sentinel.h"
#include "core/generated/timings.h"
#include "core/resp/value.h"

#include "engine/base/buffer.h"
#include "engine/nodes/nodes.h"

#define OH_ASKED_MAX 2     /* How many nodes are asked in parallel. */
#define OH_LOOK_AGAIN_MS 2 /* How often to check if another process is done. */

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

/* ---- Refresh targets ---- */

/* A list of nodes that may be asked, in memory of the call. NULL if there is no memory. */
uint32_t *oh_targets_list(const oh_snapshot *snapshot, uint32_t *count);

/* Moves a random node to the front. */
uint32_t oh_targets_draw(uint32_t *nodes, uint32_t count);

/* Moves a node to the front. False if it is not in the list. */
bool oh_targets_put_first(uint32_t *nodes, uint32_t count, uint32_t node);

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
    oh_sentinel_replica *replicas;  /* Of all masters. */
    size_t replicas_count;
    bool lacks_memory;         /* Not all replicas are there. */
    bool distrusts_known;      /* What most Sentinels contradict is not kept. */
    bool is_contradicted;      /* They contradict some address that is. */
    size_t named_count;        /* For how many names a Sentinel has named an address. */
    const oh_server *nameless; /* The first one without; NULL if all have one. */
    bool is_nameless_adopted;  /* Its address so far was adopted; otherwise it is configured. */
    const char *reason;        /* Why it has none. */
} oh_sentinels_map;

/*
 * Begins, from all zeros, with the masters of this pool; nothing is named, and all replicas stay.
 * False if there is no memory. It must be ended in both cases.
 */
bool oh_sentinels_map_begin(oh_sentinels_map *next, const oh_server_pool *known);
void oh_sentinels_map_end(oh_sentinels_map *next);

/* Takes the addresses of another map over. False if that has none for one of the names. */
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

/* ---- Sentinels ---- */

/* The Sentinels of this pool as a server pool. NULL if there is no memory. */
oh_snapshot *oh_sentinels_open(
    const oh_server_pool *pool, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/* Appends the commands that ask for all servers of this pool. */
void oh_sentinels_write_question(oh_buffer *question, const oh_server_pool *pool);

/*
 * Judges the replies of `count` Sentinels to the question about `asked`; of a silent one there are
 * none. Publishes and adopts the addresses. What is not named stays. `why` is for the log, if no
 * Sentinel names an address: the failure of one of them, or NULL. False if it was not adopted.
 */
bool oh_sentinels_adopt(oh_nodes *nodes, const oh_server_pool *asked, oh_values *replies,
    size_t count, const char *why);

/* The next answers come from other Sentinels, so their epochs cannot be compared. */
void oh_sentinels_doubt(oh_nodes *nodes);

/*
 * Applies a changed configuration to the map: the addresses stay. False if no address was adopted
 * yet for one of its names.
 */
bool oh_sentinels_reconfigure(oh_nodes *nodes);

/* ---- Refresh ---- */

/*
 * is_my_turn: true if this process may refresh now, because no process of the host has done so for
 * `every_ms`. The other function returns the time of the last refresh.
 */
bool oh_refresh_is_my_turn(oh_nodes *nodes, uint32_t every_ms);
uint64_t oh_refresh_asked_ms(const oh_nodes *nodes);

/*
 * begin: sends requests to two nodes of the map, without waiting. The other function advances the
 * refresh and waits at most `milliseconds`.
 */
void oh_refresh_begin(oh_nodes *nodes, uint64_t deadline_ns);
void oh_refresh_move(oh_nodes *nodes, uint32_t milliseconds);

/*
 * Concludes a question to Sentinels with the answers that have arrived, if there are any. It may go
 * on; then no answer counts any more, and it is to be ended.
 */
void oh_refresh_finish(oh_nodes *nodes);

/* Asks the Sentinels and waits. Afterwards this process has a map, unless there is no memory. */
void oh_refresh_ask_sentinels(oh_nodes *nodes, uint64_t deadline_ns);

/* Gives up the refresh. */
void oh_refresh_end(oh_nodes *nodes);

/* How long so many seeds may be silent until one more is asked. */
uint64_t oh_targets_step_ns(const oh_nodes *nodes, uint32_t count);

/*
 * Notes whether a known node has answered, or all were asked. Then: true if a map may be adopted. A
 * foreign one only if no known node answers, or if the configuration has just named its nodes.
 */
void oh_strangers_note(oh_nodes *nodes, bool has_known, bool asked_all);
bool oh_strangers_are_believed(oh_nodes *nodes, bool is_trusting, bool is_foreign);

/* Those whose refresh began last; NULL if no refresh is running. */
oh_nodes *oh_refresh_going_on(void);

/*
 * Asks the first of these seeds, at most OH_EXCHANGE_SET_MAX, in overlapping steps, until one has
 * answered. Returns how many were asked; each has a failure unless it `is_done`: this process has a
 * map now.
 */
uint32_t oh_refresh_ask_seeds(oh_nodes *nodes, const uint32_t *nodes, uint32_t count,
    uint64_t deadline_ns, oh_failure *failures, bool *is_done);

/* ---- Bootstrap ---- */

/* Gets the first map. True if there is one. Otherwise the failure lists the reason of each node. */
bool oh_nodes_bootstrap(oh_nodes *nodes, oh_failure *failure);

/* The deadline of the bootstrap, and of the first answer after a change of servers. */
uint64_t oh_bootstrap_deadline(const oh_nodes *nodes);

#endif
