/*
 * Store: the memory that all workers of a host share. It holds the images of server pools, the
 * owners of connections, the health of nodes, and the counters of their calls.
 *
 * engine/shared/segment provides memory that several processes see, and a kernel lock so that only
 * one process publishes at a time. Readers never wait. If a process dies half-way, its work is
 * either not visible yet, or the next process that checks finds it. The store holds offsets and no
 * pointers, and no secrets. All that is read is checked first, because workers of other users can
 * write here.
 *
 * In a call, room pool uses the store. Topologies are read from a process' own copy; one load
 * shows if that copy is still the current one.
 *
 * Implements spec/topology/segment.md.
 */
#ifndef OH_STORE_H
#define OH_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/health/meter.h"
#include "core/store/store_name.h"

#define OH_STORE_IDENTITY_BYTES 16
#define OH_STORE_LABEL_BYTES 256 /* Of a pool, NUL included. */
#define OH_STORE_POOLS_MAX 64
/* The maximum of onehop.max_nodes: each node costs two descriptors in every worker. */
#define OH_STORE_NODES_LIMIT 1024
/* Per node. With a larger pool_size each process has its own connections. */
#define OH_STORE_CONNECTIONS_MAX 512
/* An entry may be given up if its node was left this long ago, and was not wanted after that. */
#define OH_STORE_LEFT_MS 2000u
/* If a node was not wanted for this time, no process knows it or uses its connections. */
#define OH_STORE_QUIET_MS 45000u
#define OH_STORE_REASON_WORDS 12
#define OH_STORE_PROBLEM_WORDS 64
#define OH_STORE_NONE UINT32_MAX
/* In `heirless_ms`, instead of an instant. */
#define OH_STORE_HAS_HEIR UINT64_MAX

typedef struct oh_store oh_store;

/* The health of a node. */
typedef struct oh_store_health {
    _Atomic uint64_t state;        /* See health.h. */
    _Atomic uint64_t heard_ms;     /* When the node last answered any caller. */
    _Atomic uint64_t condemned_ms; /* How recent the last reply of a usable connection must be. */
    _Atomic uint64_t told;         /* What was logged about the node: see health.h. */
    _Atomic uint64_t late_ms;      /* When a deadline last passed for it. */
    _Atomic uint64_t failing_ms;   /* Since when calls have failed without an answer between. */
    /*
     * Since when no replica may be promoted in its place. 0: no such replica was ever seen.
     * OH_STORE_HAS_HEIR: there is one.
     */
    _Atomic uint64_t heirless_ms;
    /* Why it last rested: text, truncated to fit. */
    _Atomic uint64_t reason[OH_STORE_REASON_WORDS];
} oh_store_health;

/* The beginning of every entry of an area. Private to store. */
typedef struct oh_store_key {
    _Atomic uint32_t tenure; /* How often it was opened or given up: odd while it is in use. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
} oh_store_key;

/* A node, as the host knows it. */
typedef struct oh_store_node {
    oh_store_key key;
    oh_store_health health;
    _Atomic uint64_t checked_ms; /* When a process last searched for owners that are gone. */
    /* Private to store: when the node was last wanted, times two; odd if it was left since. */
    _Atomic uint64_t wanted;
    _Atomic uint64_t owners[OH_STORE_CONNECTIONS_MAX]; /* Private to store. */
} oh_store_node;

/*
 * The counters of one node of one server pool. `nodes` says to which nodes of the store the
 * connections belong that were used for its calls.
 */
typedef struct oh_store_meter {
    oh_store_key key;
    _Atomic uint64_t nodes[OH_STORE_NODES_LIMIT / 64]; /* Private to store. */
    _Alignas(64) oh_meter meter;
} oh_store_meter;

/* ---- Making ---- */

/* How many bytes a store for this many nodes needs before it can hold one image. */
size_t oh_store_bytes_min(uint32_t nodes_max);

/*
 * Makes a store of zeroed memory that begins at a multiple of 64; NULL if it is too small. The
 * handle belongs to this process and to those that are forked from it later. Releasing it leaves
 * the memory alone.
 */
oh_store *oh_store_make(
    void *memory, size_t length, uint32_t nodes_max, const uint8_t salt[OH_STORE_IDENTITY_BYTES]);
void oh_store_release(oh_store *store);

uint32_t oh_store_nodes_max(const oh_store *store);
const uint8_t *oh_store_salt(const oh_store *store);

/* ---- Server pools ---- */

/* The index of a pool; OH_STORE_NONE if it was not added. */
uint32_t oh_store_find(const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/*
 * Adds a pool, or finds it if it was added before. The label is for display; if it is too long, its
 * end is kept. OH_STORE_NONE if there is no room. Under the writer's lock.
 */
uint32_t oh_store_add(
    oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES], const char *label);

/* How many pools were added; their indexes count from 0. The label and the identity of a pool. */
uint32_t oh_store_pools_count(const oh_store *store);
void oh_store_label(const oh_store *store, uint32_t pool, char label[OH_STORE_LABEL_BYTES]);
void oh_store_identity(
    const oh_store *store, uint32_t pool, uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/*
 * The generation of the published image, from 1; 0 if there is none. One load: a reader whose copy
 * has this generation is up to date.
 */
uint64_t oh_store_generation(const oh_store *store, uint32_t pool);

/* Publishes an image. False if there is no room for it. Under the writer's lock. */
bool oh_store_publish(oh_store *store, uint32_t pool, const void *image, size_t length);

/*
 * Copies the published image, and returns its length and generation. If the length is more than
 * `room`, nothing was copied: make room and try again. If the length is 0, there is no image, or it
 * cannot be read.
 */
size_t oh_store_copy(
    const oh_store *store, uint32_t pool, void *image, size_t room, uint64_t *generation);

/*
 * For what one process of the host must check from time to time: in each `every_ms` it is true for
 * only one caller.
 */
bool oh_store_is_my_turn(oh_store *store, uint32_t pool, uint64_t now_ms, uint32_t every_ms);

/*
 * Like oh_store_is_my_turn, for a check during which the process may die. If true, call
 * oh_store_end_check when the check is done. If `is_alive` says that the process of the last check
 * is gone, the next caller has its turn immediately.
 */
bool oh_store_begin_check(oh_store *store, uint32_t pool, uint32_t pid, uint64_t now_ms,
    uint32_t every_ms, bool (*is_alive)(uint32_t pid, uint64_t since_ms));
void oh_store_end_check(oh_store *store, uint32_t pool, uint32_t pid);

/* This process could not check: it is immediately the turn of the next one. */
void oh_store_pass_check(oh_store *store, uint32_t pool, uint32_t pid);

/* True if a check has begun and not ended; its process may have died. */
bool oh_store_is_checking(const oh_store *store, uint32_t pool);

/* When a process last had its turn. */
uint64_t oh_store_checked_ms(const oh_store *store, uint32_t pool);

/* The version of the file that was last read, whether the file was good or bad. */
_Atomic uint64_t *oh_store_version(oh_store *store, uint32_t pool);

/* Why the last try to read the file failed: a text of OH_STORE_PROBLEM_WORDS words. */
_Atomic uint64_t *oh_store_problem(oh_store *store, uint32_t pool);

/*
 * When the file of the pool was last read, in seconds since 1970, times two. One is added if the
 * file was refused; oh_store_problem says why.
 */
_Atomic uint64_t *oh_store_read_at(oh_store *store, uint32_t pool);

/*
 * Texts that any process may write at any time, word by word. So a text that is read may mix those
 * of two writers, or be nonsense. `text` has room for `count` words and a NUL; a longer one is cut
 * when it is written.
 */
void oh_store_write_text(_Atomic uint64_t *words, size_t count, const char *text);
void oh_store_read_text(const _Atomic uint64_t *words, size_t count, char *text);

/* ---- Names: see store_name.h ---- */

oh_store_names *oh_store_names_of(oh_store *store);

/* ---- Nodes ---- */

/* How often any node was ejected or came back: placement depends on it. */
_Atomic uint64_t *oh_store_ejections(oh_store *store);

/* The number of a node, and its tenure; OH_STORE_NONE if it was not added. */
uint32_t oh_store_find_node(
    const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES], uint32_t *tenure);

/*
 * Adds a node, or finds it if it was added before. OH_STORE_NONE if all entries are in use. Under
 * the writer's lock.
 */
uint32_t oh_store_add_node(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES],
    uint64_t now_ms, uint32_t *tenure);

/* NULL if there is no such number. */
oh_store_node *oh_store_node_at(const oh_store *store, uint32_t number);

/* True if the entry still belongs to the node that it had in this tenure. */
bool oh_store_is_held(const oh_store_node *node, uint32_t tenure);

/*
 * Notes that the node is wanted. False if the entry no longer belongs to the node of this tenure.
 */
bool oh_store_want(oh_store_node *node, uint32_t tenure, uint64_t now_ms);

/* Notes that the node is left: a process has found that it is not configured any more. */
void oh_store_leave(oh_store_node *node, uint32_t tenure, uint64_t now_ms);

/* True if no process has wanted the node since one has left it. */
bool oh_store_is_left(const oh_store_node *node);

/*
 * FREE: the entry is not in use. QUIET: close its idle connections; the entry may be given to
 * another node. RESTING: close them, too, but keep the entry. LEFT: give it up.
 */
typedef enum oh_store_use {
    OH_STORE_FREE,
    OH_STORE_USED,
    OH_STORE_QUIET,
    OH_STORE_RESTING,
    OH_STORE_LEFT
} oh_store_use;

oh_store_use oh_store_use_of(const oh_store_node *node, uint64_t now_ms);

/*
 * Gives up the entry of a node. False if the node is neither left nor quiet, or if a process has a
 * connection to it. If true, empty the queue of the node, then clear the entry. All under the
 * writer's lock.
 */
bool oh_store_give_up_node(oh_store_node *node, uint64_t now_ms);
void oh_store_clear_node(oh_store *store, uint32_t number);

/* True for one caller of all processes per second. */
bool oh_store_is_time_to_tidy(oh_store *store, uint64_t now_ms);

/* Lines of the log. A process of the host writes each of them at most once an hour. */
typedef enum oh_store_news {
    OH_STORE_NO_PLACE,
    OH_STORE_NO_PUSH,
    OH_STORE_FEW_DESCRIPTORS,
    OH_STORE_NEWS_COUNT
} oh_store_news;

bool oh_store_may_tell(oh_store *store, oh_store_news news, uint64_t now_ms);

/* ---- Meters: entries like those of nodes, and as many of them ---- */

uint32_t oh_store_find_meter(
    const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
uint32_t oh_store_add_meter(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
/*
 * Gives up the meter of a node that no configuration has any more. False if its nodes are in use,
 * or it is free already. Under the writer's lock.
 */
bool oh_store_give_up_meter(oh_store *store, uint32_t number, uint64_t now_ms);

oh_store_meter *oh_store_meter_at(const oh_store *store, uint32_t number);

/*
 * Notes that connections of that node of the store are used for the calls counted here. The other
 * function is true if that was noted.
 */
void oh_store_tie(oh_store_meter *meter, uint32_t node);
bool oh_store_is_tied(const oh_store_meter *meter, uint32_t node);

/* ---- Owners of connections; `seat` counts from 0 ---- */

/* A seat below `limit` for a new connection of this process; OH_STORE_NONE if all are taken. */
uint32_t oh_store_claim(oh_store_node *node, uint32_t limit, uint32_t pid, uint64_t now_ms);

/*
 * Call it before the connection is put into the queue. False if the seat is not this process' any
 * more: then close the connection.
 */
bool oh_store_park(oh_store_node *node, uint32_t seat, uint32_t pid, uint64_t now_ms);

/* Call it after the connection came out of the queue. If false, close it. */
bool oh_store_take(oh_store_node *node, uint32_t seat, uint32_t pid, uint64_t now_ms);

/* The connection is closed. */
void oh_store_free(oh_store_node *node, uint32_t seat, uint32_t pid);

/*
 * Frees the seats of processes that are gone. If the queue has just been seen empty, it also frees
 * idle seats whose connection was lost. Returns how many. One process checks every 10 ms; for the
 * others it returns 0.
 */
uint32_t oh_store_reclaim(oh_store_node *node, bool (*is_alive)(uint32_t pid, uint64_t since_ms),
    bool is_queue_empty, uint64_t now_ms);

typedef struct oh_store_usage {
    uint32_t leased, idle;
} oh_store_usage;

/* Counts the first `limit` seats. */
oh_store_usage oh_store_usage_of(const oh_store_node *node, uint32_t limit);

#endif
