/*
 * Learnt: a command that the table does not hold, as a node has described it.
 *
 * A node is asked with COMMAND INFO. Its answer becomes a value without pointers, which processes
 * can share (kept_commands.h). That value becomes a row like those of the table. Answers and shared
 * memory are not trusted: both are checked before anything is made of them.
 *
 * No I/O. Implements spec/route, "Commands that only the nodes know"; the reference is
 * spec/tools/reference/learnt.py.
 */
#ifndef OH_LEARNT_H
#define OH_LEARNT_H

#include "core/command/command.h"
#include "core/generated/limits.h"

#define OH_LEARNT_WORD_BYTES 16 /* Of a keyword before keys, NUL included. */

typedef enum oh_learnt_kind {
    OH_LEARNT_UNKNOWN,   /* The node does not have it. */
    OH_LEARNT_RENAMED,   /* The table has it, under the name in `known_as`. */
    OH_LEARNT_CONTAINER, /* It has subcommands, each a command of its own. */
    OH_LEARNT_ROW
} oh_learnt_kind;

/* Why a learnt command is refused; OH_LEARNT_SERVED: it is not refused. */
typedef enum oh_learnt_refusal {
    OH_LEARNT_SERVED,
    OH_LEARNT_OF_CONNECTION, /* It changes its connection, or needs one of its own. */
    OH_LEARNT_BLOCKING,      /* Nothing says where its timeout is. */
    OH_LEARNT_WITHOUT_KEY,
    OH_LEARNT_OF_INDEX /* It is about an index, and each node has its own. */
} oh_learnt_refusal;

/* A key specification. The numbers are those of oh_key_spec. */
typedef struct oh_learnt_spec {
    uint8_t begin, kind, from, is_counted, keynum, first, step, limit;
    int8_t last;
    char word[OH_LEARNT_WORD_BYTES];
} oh_learnt_spec;

/* Bytes only, so there are no gaps between the fields. */
typedef struct oh_learnt {
    uint8_t kind, refusal;
    uint8_t spread, merge, access;
    uint8_t is_retryable;
    uint8_t asks_keys;   /* Only the node can find its keys, by COMMAND GETKEYS. */
    uint8_t is_unshared; /* Nothing says what it does to its connection. */
    uint8_t specs_count;
    char name[OH_COMMAND_NAME_BYTES], known_as[OH_COMMAND_NAME_BYTES];
    oh_learnt_spec specs[OH_LEARNT_SPECS_MAX];
} oh_learnt;

/* What an answer to COMMAND INFO is. */
typedef enum oh_learnt_answer {
    OH_LEARNT_READ,
    OH_LEARNT_ERROR,     /* An error: the node does not answer this question. */
    OH_LEARNT_UNREADABLE /* Not the description of one command. */
} oh_learnt_answer;

/*
 * Reads the answer to COMMAND INFO about the first of these words. If there is only one word, the
 * command is that word. If there are two, it is the subcommand that the second word names.
 */
oh_learnt_answer oh_learnt_read(
    oh_bytes reply, const oh_bytes *words, size_t count, oh_learnt *learnt);

/* True if the command is refused for its name alone, whatever a node says of it. */
bool oh_learnt_is_refused(const char *name, oh_learnt *learnt);

/* True if a value from shared memory can be used. */
bool oh_learnt_is_valid(const oh_learnt *learnt);

/*
 * The table's row for the command of these words, which is an OH_LEARNT_RENAMED. NULL if the table
 * has none.
 */
const oh_command *oh_learnt_known_as(const oh_learnt *learnt, const oh_bytes *words, size_t count);

/* A row that is made of a learnt command. Its pointers lead into itself: it must not be moved. */
typedef struct oh_learnt_row {
    oh_learnt learnt;
    oh_command command;
    oh_key_spec specs[OH_LEARNT_SPECS_MAX];
} oh_learnt_row;

/* Makes the row of a valid OH_LEARNT_ROW or OH_LEARNT_CONTAINER. */
void oh_learnt_open(oh_learnt_row *row, const oh_learnt *learnt);

/*
 * Reads the keys from the answer to COMMAND GETKEYS, and finds each of them among the words. There
 * is room for `count` positions. If the answer is not a list of words of the command, it is
 * unreadable.
 */
oh_learnt_answer oh_learnt_find_keys(
    oh_bytes reply, const oh_bytes *words, size_t count, oh_key_position *positions, size_t *found);

/*
 * True if this error reply says that the node does not have a command. Then `name` is the name of
 * that command, as the table spells names.
 */
bool oh_learnt_is_denied(oh_text error, char name[OH_COMMAND_NAME_BYTES]);

#endif
