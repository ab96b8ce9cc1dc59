/*
 * Command: what a command means to a client that places keys. This room finds the entry of a
 * command in the table by the words of the command.
 *
 * Pure: it sends nothing and knows no node. Words are those of the command as it is sent. Positions
 * count them: the name has position 0. The rows are generated; the reference is
 * spec/tools/reference/table.py.
 *
 * Implements spec/route: finding the entry, finding the keys, splitting.
 */
#ifndef OH_COMMAND_H
#define OH_COMMAND_H

#include "core/base/slice.h"

typedef enum oh_spread {
    /*
     * A container without its subcommand. In `without_keys`: there is no rule for calls without
     * keys.
     */
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
 * What a command changes on its connection, or asks of it. Commands whose state stands behind
 * OH_STATE_WRITES in this list may not be sent over a shared connection.
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
 * Where a blocking command has its timeout: at a position (negative: from the end), or after an
 * option.
 */
typedef struct oh_blocking {
    bool is_blocking, is_milliseconds;
    int8_t timeout;
    const char *option, *until;
    uint8_t from;
} oh_blocking;

/* Where keys begin. */
typedef enum oh_begin { OH_BEGIN_INDEX, OH_BEGIN_KEYWORD, OH_BEGIN_OPTION } oh_begin;

typedef struct oh_key_spec {
    oh_begin begin;
    const char *word; /* The keyword or the option. */
    uint8_t from;     /* The index, or where the search begins. */
    const char *skip; /* Other options and how many words follow each: "GET 1 LIMIT 2 ". */
    bool is_counted, is_unless_empty;
    uint8_t keynum, first;
    int8_t last;
    uint8_t step, limit;
    oh_key_kind kind;
} oh_key_spec;

typedef struct oh_command {
    const char *name; /* Lower case; a subcommand is container|subcommand. */
    oh_spread spread, without_keys;
    oh_merge merge;
    uint8_t merge_width; /* For OH_MERGE_IN_ORDER: elements per key; 0 means 1. */
    oh_access access;
    bool is_retryable, is_container;
    bool is_ssdb; /* Only SSDB has it. */
    /*
     * If one of these words follows the keys, all keys must be on one node. Each word ends with a
     * space.
     */
    const char *whole_with;
    bool brings; /* Keys that move are brought first, although the command only reads. */
    oh_state state;
    oh_blocking blocking;
    const oh_key_spec *keys;
    uint8_t keys_count;
    /* Why it is refused: the end of a message, without a capital or a full stop. */
    const char *reason;
    const char *without_keys_reason; /* Why it is refused without a key. */
} oh_command;

typedef struct oh_key_position {
    size_t position;
    oh_key_kind kind;
} oh_key_position;

/* Room for the longest name that a command may have, and for a NUL. */
#define OH_COMMAND_NAME_BYTES 65

/*
 * The name that these words have together, as the table spells names: in small letters, with a |
 * between the words. False if they are not a name: too long, or with a byte that no name has.
 */
bool oh_command_name(char name[OH_COMMAND_NAME_BYTES], const oh_bytes *words, size_t count);

/*
 * The entry of a command. If the command has a subcommand, the entry of that. NULL if the table
 * does not hold it.
 */
const oh_command *oh_command_find(const oh_bytes *words, size_t count);

/* Finds an entry by its name in the table: "config" (the container), or "config|get". */
const oh_command *oh_command_named(const char *name, size_t length);

/*
 * The positions of keys, channels and patterns, in the order of the command. `found` is how many
 * there are, even if there is no room for all. Returns NULL, or why the command is malformed.
 */
const char *oh_command_keys(const oh_command *command, const oh_bytes *words, size_t count,
    oh_key_position *positions, size_t room, size_t *found);

/*
 * The word with the timeout of a blocking command; NULL if the command does not block, or has no
 * timeout.
 */
const oh_bytes *oh_command_timeout(const oh_command *command, const oh_bytes *words, size_t count);

/*
 * The order of the words of a split command: some before its keys, `lists` lists of `keys` groups,
 * and some after them.
 */
typedef struct oh_command_shape {
    size_t first, keys, step, lists, beyond, words;
    size_t keynum; /* The position of the number of keys; 0 if there is none. */
} oh_command_shape;

/*
 * Only for a command with exactly one key specification. Returns NULL, or why the command is
 * malformed.
 */
const char *oh_command_shape_of(
    const oh_command *command, const oh_bytes *words, size_t count, oh_command_shape *shape);

/*
 * True if a word after the keys requires all of them to be on one node. Only for a command that is
 * split or sent to all nodes.
 */
bool oh_command_is_whole(const oh_command *command, const oh_bytes *words, size_t count);

#define OH_NUMBER_OF_KEYS_BYTES 24

/*
 * Writes the words that node `node` gets, and returns their number. `nodes` lists the node of each
 * key, by the key's position in the command. `part` has room for all words of the command. If a
 * word of the command is its number of keys, each part has such a word, too. `number` is the memory
 * for that word.
 */
size_t oh_command_part(const oh_command_shape *shape, const oh_bytes *words, const uint32_t *nodes,
    uint32_t node, oh_bytes *part, char number[OH_NUMBER_OF_KEYS_BYTES]);

/* ---- Keys that move from an old owner (spec/topology, moving, sections 2 and 3) ---- */

/*
 * True if the command goes to the owner of a key that moves and then, if the owner has nothing, to
 * the old owner. False if the key is brought first. `keys_count` is the number of all its keys; in
 * a split command each of them can be asked for by itself.
 */
bool oh_command_asks(
    const oh_command *command, const oh_bytes *words, size_t count, size_t keys_count);

/* True if a whole reply says more than that a key is not there. */
bool oh_reply_is_something(oh_bytes reply);

/*
 * ---- Notifications of keys (spec/route, section 6) ----
 *
 * Each node publishes them on itself only, so their channels and patterns must be subscribed on
 * every node.
 */

/* True if notifications of keys arrive on this channel. */
bool oh_notification_is_channel(oh_text channel);

/* True if the pattern may match such a channel. */
bool oh_notification_may_match(oh_text pattern);

#endif
