/*
 * Store: the piece of memory in which all workers of a host keep what they know: pictures of server
 * pools, who has which connection, the health of nodes, and what became of their calls.
 *
 * It is handed memory that several processes see (engine/shared/segment) and a promise that
 * publishers do not meet (a lock of the kernel's). Readers never wait. Whatever a dying process
 * leaves half done is either not visible yet or found by the next one that looks. It holds offsets
 * and no pointer, and no secret; what is read is checked before it is believed, because other
 * users' workers can write here.
 *
 * On the road it stands beside topology (off the data plane: one load tells whether a process' own
 * copy is still the current one) and beneath pool.
 *
 * Implements spec/topology/segment.md.
 */
#ifndef OH_STORE_H
#define OH_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host/meter.h"
#include "core/host/store_name.h"

#define OH_STORE_IDENTITY_BYTES 16
#define OH_STORE_LABEL_BYTES 256 /* Of a pool, NUL included. */
#define OH_STORE_POOLS_MAX 64
/* Of onehop.max_nodes: each costs two descriptors in every worker. */
#define OH_STORE_NODES_LIMIT 1024
#define OH_STORE_CONNECTIONS_MAX 512 /* Per node; a larger pool_size is kept per process. */
#define OH_STORE_LEFT_MS 2000u /* Left, and not wanted for so long: its entry may be given up. */
/* Not wanted for so long: nobody knows it or uses its connections. */
#define OH_STORE_QUIET_MS 45000u
#define OH_STORE_REASON_WORDS 12
#define OH_STORE_PROBLEM_WORDS 64
#define OH_STORE_NONE UINT32_MAX

typedef struct oh_store oh_store;

/*
 * Whether a node is worth asking: a state of health.h, when it last answered anybody, what the log
 * was told of it (health.h, too), and why it last rested: a text, cut or ended by a NUL.
 */
typedef struct oh_store_health {
    _Atomic uint64_t state;
    _Atomic uint64_t heard_ms;
    _Atomic uint64_t told;
    _Atomic uint64_t reason[OH_STORE_REASON_WORDS];
} oh_store_health;

/* What every entry of an area begins with. Private to store. */
typedef struct oh_store_key {
    _Atomic uint32_t tenure; /* How often it was opened or given up: odd while it is in use. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
} oh_store_key;

/* A node, as the host knows it. */
typedef struct oh_store_node {
    oh_store_key key;
    oh_store_health health;
    _Atomic uint64_t looked_ms; /* When somebody looked for owners that are gone. */
    /* Private to store: when it was wanted, times two; odd: left since. */
    _Atomic uint64_t wanted;
    _Atomic uint64_t owners[OH_STORE_CONNECTIONS_MAX]; /* Private to store. */
} oh_store_node;

/*
 * What became of the calls of one node of one server pool, and which nodes of the store its
 * connections are of.
 */
typedef struct oh_store_meter {
    oh_store_key key;
    _Atomic uint64_t nodes[OH_STORE_NODES_LIMIT / 64]; /* Private to store. */
    _Alignas(64) oh_meter meter;
} oh_store_meter;

/* ---- Making ---- */

/* Bytes that a store for so many nodes needs before it can hold one image. */
size_t oh_store_bytes_min(uint32_t nodes_max);

/*
 * Makes a store of zeroed memory that begins at a multiple of 64; NULL if it is too small. The
 * handle is of this process and of those that are forked from it later. Releasing it leaves the
 * memory alone.
 */
oh_store *oh_store_make(
    void *memory, size_t length, uint32_t nodes_max, const uint8_t salt[OH_STORE_IDENTITY_BYTES]);
void oh_store_release(oh_store *store);

uint32_t oh_store_nodes_max(const oh_store *store);
const uint8_t *oh_store_salt(const oh_store *store);

/* ---- Server pools ---- */

/* The index of a pool; OH_STORE_NONE if nobody has added it. */
uint32_t oh_store_find(const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/*
 * Adds it, or finds it. The label is for those who look at it: of a longer one the end is kept.
 * OH_STORE_NONE: there is no room. Under the writer's lock.
 */
uint32_t oh_store_add(
    oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES], const char *label);

/* How many have been added: their indexes count from 0. Of one its label, its identity. */
uint32_t oh_store_pools_count(const oh_store *store);
void oh_store_label(const oh_store *store, uint32_t pool, char label[OH_STORE_LABEL_BYTES]);
void oh_store_identity(
    const oh_store *store, uint32_t pool, uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/*
 * The generation of what is published, from 1; 0: nothing is. One load: a reader whose copy is of
 * it has all there is.
 */
uint64_t oh_store_generation(const oh_store *store, uint32_t pool);

/* Publishes an image. False: there is no room for it. Under the writer's lock. */
bool oh_store_publish(oh_store *store, uint32_t pool, const void *image, size_t length);

/*
 * Copies what is published, and tells its length and generation. If that is more than `room`, or 0,
 * nothing was copied: make room and try again, or there is nothing, or it cannot be read.
 */
size_t oh_store_copy(
    const oh_store *store, uint32_t pool, void *image, size_t room, uint64_t *generation);

/*
 * True for one caller of all processes per `every_ms`: for what must be looked at now and then by
 * somebody.
 */
bool oh_store_is_my_turn(oh_store *store, uint32_t pool, uint64_t now_ms, uint32_t every_ms);

/*
 * The same for a look during which the process may die. True: call oh_store_end_look when nothing
 * is left undone. If `is_alive` says that the process of the last look is gone, it is the turn of
 * the next caller at once.
 */
bool oh_store_begin_look(oh_store *store, uint32_t pool, uint32_t pid, uint64_t now_ms,
    uint32_t every_ms, bool (*is_alive)(uint32_t pid, uint64_t since_ms));
void oh_store_end_look(oh_store *store, uint32_t pool, uint32_t pid);

/* This process could not look: it is the turn of the next one at once. */
void oh_store_pass_look(oh_store *store, uint32_t pool, uint32_t pid);

/* When it was last somebody's turn. */
uint64_t oh_store_looked_ms(const oh_store *store, uint32_t pool);

/* A word about the version of the file that was last read, be it good or bad. */
_Atomic uint64_t *oh_store_version(oh_store *store, uint32_t pool);

/* Why it was last tried in vain to learn about it: a text of OH_STORE_PROBLEM_WORDS words. */
_Atomic uint64_t *oh_store_problem(oh_store *store, uint32_t pool);

/*
 * When its file was last read, in seconds since 1970, times two; plus one if it was refused: see
 * the problem.
 */
_Atomic uint64_t *oh_store_read_at(oh_store *store, uint32_t pool);

/*
 * Texts that anybody may write at any time, word by word: what is read may be of two writers, or
 * nonsense. `text` has room for a NUL behind so many words; a longer one is cut when it is written.
 */
void oh_store_write_text(_Atomic uint64_t *words, size_t count, const char *text);
void oh_store_read_text(const _Atomic uint64_t *words, size_t count, char *text);

/* ---- Names: see store_name.h ---- */

oh_store_names *oh_store_names_of(oh_store *store);

/* ---- Nodes ---- */

/* How often a node was ejected, or came back from that: for those who place keys by it. */
_Atomic uint64_t *oh_store_ejections(oh_store *store);

/* The number of a node, and its tenure; OH_STORE_NONE if nobody has added it. */
uint32_t oh_store_find_node(
    const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES], uint32_t *tenure);

/* Adds it, or finds it. OH_STORE_NONE: all entries are in use. Under the writer's lock. */
uint32_t oh_store_add_node(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES],
    uint64_t now_ms, uint32_t *tenure);

/* NULL if the number is none. */
oh_store_node *oh_store_node_at(const oh_store *store, uint32_t number);

/* Whether the entry is still that node's. */
bool oh_store_is_held(const oh_store_node *node, uint32_t tenure);

/* The node is wanted. False: the entry is not that node's any more. */
bool oh_store_want(oh_store_node *node, uint32_t tenure, uint64_t now_ms);

/* The node is left: a process has found that it is not configured any more. */
void oh_store_leave(oh_store_node *node, uint32_t tenure, uint64_t now_ms);

/*
 * FREE: the entry is nobody's. QUIET: close its idle connections; a node without an entry may have
 * it. RESTING: close them, too, but keep the entry. LEFT: give it up.
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
 * False: it is neither left nor quiet, or somebody has a connection. Otherwise empty its queue,
 * then clear it. All under the writer's lock.
 */
bool oh_store_give_up_node(oh_store_node *node, uint64_t now_ms);
void oh_store_clear_node(oh_store *store, uint32_t number);

/* True for one caller of all processes per second. */
bool oh_store_is_time_to_tidy(oh_store *store, uint64_t now_ms);

/* What is said once, and again after an hour. */
typedef enum oh_store_news {
    OH_STORE_NO_PLACE,
    OH_STORE_NO_PUSH,
    OH_STORE_FEW_DESCRIPTORS,
    OH_STORE_NEWS_COUNT
} oh_store_news;

bool oh_store_may_tell(oh_store *store, oh_store_news news, uint64_t now_ms);

/* ---- Meters: as nodes, and as many ---- */

uint32_t oh_store_find_meter(
    const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
uint32_t oh_store_add_meter(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
/*
 * Of a node that nobody knows any more. False: its nodes are used, or it is nobody's. Under the
 * writer's lock.
 */
bool oh_store_give_up_meter(oh_store *store, uint32_t number, uint64_t now_ms);

oh_store_meter *oh_store_meter_at(const oh_store *store, uint32_t number);

/* Connections of that node are used for what is counted here. And whether they are. */
void oh_store_tie(oh_store_meter *meter, uint32_t node);
bool oh_store_is_tied(const oh_store_meter *meter, uint32_t node);

/* ---- Owners of connections; `seat` counts from 0 ---- */

/* A seat below `limit` for a new connection of this process; OH_STORE_NONE: all are taken. */
uint32_t oh_store_claim(oh_store_node *node, uint32_t limit, uint32_t pid, uint64_t now_ms);

/* Before it is put into the queue. False: it is not this process' any more, close it. */
bool oh_store_park(oh_store_node *node, uint32_t seat, uint32_t pid, uint64_t now_ms);

/* After it came out of the queue. False: close it. */
bool oh_store_take(oh_store_node *node, uint32_t seat, uint32_t pid, uint64_t now_ms);

/* It is closed. */
void oh_store_free(oh_store_node *node, uint32_t seat, uint32_t pid);

/*
 * Frees the seats of processes that are gone, and idle seats whose connection was lost if the
 * queue has just been seen empty. Returns how many. One process of all looks, every 10 ms; for
 * others it is 0.
 */
uint32_t oh_store_reclaim(oh_store_node *node, bool (*is_alive)(uint32_t pid, uint64_t since_ms),
    bool is_queue_empty, uint64_t now_ms);

typedef struct oh_store_usage {
    uint32_t leased, idle;
} oh_store_usage;

/* Of the first `limit` seats. */
oh_store_usage oh_store_usage_of(const oh_store_node *node, uint32_t limit);

#endif
