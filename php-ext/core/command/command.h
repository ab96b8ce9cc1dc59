/*
 * Command: what a command means to a client that places keys by itself. The table, asked by words.
 *
 * Pure: it sends nothing and knows no node. Words are the command as it would go over the wire,
 * positions count from its name, 0. The rows are generated; the reference is
 * spec/tools/reference/table.py.
 *
 * Implements spec/route: finding the entry, finding the keys, splitting.
 */
#ifndef OH_COMMAND_H
#define OH_COMMAND_H

#include "core/base/slice.h"

typedef enum oh_spread {
    /* A container without its subcommand; or, for `without_keys`: nothing special. */
    OH_SPREAD_NONE,
    OH_SPREAD_ONE_NODE,
    OH_SPREAD_SPLIT,
    OH_SPREAD_ALL_NODES,
    OH_SPREAD_ANY_NODE,
    OH_SPREAD_BOUND,
    OH_SPREAD_REFUSED
} oh_spread;

typedef enum oh_merge {
    OH_MERGE_NONE,
    OH_MERGE_IN_ORDER,
    OH_MERGE_SUM,
    OH_MERGE_MIN,
    OH_MERGE_MAX,
    OH_MERGE_AND,
    OH_MERGE_ALL_OK,
    OH_MERGE_ONE_OK,
    OH_MERGE_EQUAL,
    OH_MERGE_CONCAT,
    OH_MERGE_UNION,
    OH_MERGE_FIRST_NOT_NIL,
    OH_MERGE_STREAMS,
    OH_MERGE_PER_NODE,
    OH_MERGE_INFO,
    OH_MERGE_SCAN,
    OH_MERGE_SUBSCRIPTION
} oh_merge;

typedef enum oh_access { OH_ACCESS_NONE, OH_ACCESS_READ, OH_ACCESS_WRITE } oh_access;

/*
 * What a command changes on, or asks of, its connection. Beyond WRITES: what no shared connection
 * may be sent.
 */
typedef enum oh_state {
    OH_STATE_NONE,
    OH_STATE_TRANSACTION,
    OH_STATE_WATCH,
    OH_STATE_SUBSCRIPTION,
    OH_STATE_WRITES,
    OH_STATE_DATABASE,
    OH_STATE_IDENTITY,
    OH_STATE_PROTOCOL,
    OH_STATE_NAME,
    OH_STATE_REPLIES,
    OH_STATE_TRACKING,
    OH_STATE_MODE,
    OH_STATE_STREAM,
    OH_STATE_CLOSED
} oh_state;

typedef enum oh_key_kind { OH_KEY_PLAIN, OH_KEY_CHANNEL, OH_KEY_PATTERN } oh_key_kind;

/*
 * Where the timeout of a command that waits stands: at a position (negative: from the end), or
 * behind an option.
 */
typedef struct oh_blocking {
    bool is_blocking, is_milliseconds;
    int8_t timeout;
    const char *option, *until;
    uint8_t from;
} oh_blocking;

typedef struct oh_key_spec oh_key_spec;

typedef struct oh_command {
    const char *name; /* Lower case; a subcommand is container|subcommand. */
    oh_spread spread, without_keys;
    oh_merge merge;
    uint8_t merge_width; /* Elements per key, for IN_ORDER; 0 is 1. */
    oh_access access;
    bool is_retryable, is_container;
    bool is_ssdb; /* Of SSDB alone: no other server has it. */
    oh_state state;
    oh_blocking blocking;
    const oh_key_spec *keys;
    uint8_t keys_count;
    /* Why it is refused, as the end of a message: no capital, no full stop. */
    const char *reason;
    const char *without_keys_reason; /* Why it is refused without a key. */
} oh_command;

typedef struct oh_key_position {
    size_t position;
    oh_key_kind kind;
} oh_key_position;

/* The entry of a command, container and subcommand resolved. NULL: the table does not hold it. */
const oh_command *oh_command_find(const oh_bytes *words, size_t count);

/*
 * The same by a name of the table: "config", or "config|get". Containers are found by themselves,
 * too.
 */
const oh_command *oh_command_named(const char *name, size_t length);

/*
 * Where keys, channels and patterns stand, in the order of the command. `found` says how many there
 * are; as many as there is room for are written. NULL, or why the command is malformed.
 */
const char *oh_command_keys(const oh_command *command, const oh_bytes *words, size_t count,
    oh_key_position *positions, size_t room, size_t *found);

/* The word with the timeout of a command that waits; NULL if it does not, or has none. */
const oh_bytes *oh_command_timeout(const oh_command *command, const oh_bytes *words, size_t count);

/*
 * How the words of a split command lie: what stands before its keys, `lists` lists of `keys`
 * groups, what follows.
 */
typedef struct oh_command_shape {
    size_t first, keys, step, lists, beyond, words;
} oh_command_shape;

/* NULL, or why the command is malformed. For a command that has exactly one key specification. */
const char *oh_command_shape_of(
    const oh_command *command, const oh_bytes *words, size_t count, oh_command_shape *shape);

/*
 * The words that node `node` gets; `nodes` has the node of each key, by the key's position in the
 * command. `part` has room for as many words as the command has. How many they are.
 */
size_t oh_command_part(const oh_command_shape *shape, const oh_bytes *words, const uint32_t *nodes,
    uint32_t node, oh_bytes *part);

#endif
