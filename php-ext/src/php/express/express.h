/*
 * Express: hot methods that OneHop writes and reads itself, in phpredis' terms.
 *
 * Elsewhere phpredis speaks the protocol; this room is the only exception. A row of the table is
 * one form of a method: which bytes such a call sends, and what value a usual reply becomes. A call
 * with other arguments is not taken, and an unusual reply (an error, a value of another type) is
 * not read. Both are left to phpredis, so that no caller can see who did the work.
 *
 *     arguments ─► oh_express_write ─► bytes of the request      not taken ─► phpredis
 *     bytes of a reply ─► oh_express_read ─► value              not read ─► phpredis
 *
 * The room runs none of the script's code and sends nothing.
 *
 * Implements spec/route, "The express lane".
 */
#ifndef OH_PHP_EXPRESS_H
#define OH_PHP_EXPRESS_H

#include "php/base/zend.h"

#include "core/generated/limits.h"
#include "core/resp/value.h"

typedef enum oh_express_reply {
    OH_EXPRESS_STRING,  /* A bulk, or nil, which is false. */
    OH_EXPRESS_INTEGER, /* An integer, or nil, which is false. */
    OH_EXPRESS_ONE,     /* 1 is true and 0 is false. */
    OH_EXPRESS_OK,      /* OK is true. */
    OH_EXPRESS_DOUBLE,  /* A bulk that is a number, or nil, which is false. */
    OH_EXPRESS_LIST,    /* A list of bulks, or of nils, which are false. */
    OH_EXPRESS_MAP,     /* A list of names and values. */
    OH_EXPRESS_FIELDS   /* A list of values; the names are in the request. */
} oh_express_reply;

typedef struct oh_express_row {
    const char *method;    /* Lower case. */
    const char *arguments; /* A letter for each argument: spec/route. */
    uint32_t arguments_count;
    bool is_fixed;    /* Each argument is one word. */
    bool swaps_last;  /* The last argument is sent before the one in front of it. */
    const char *head; /* The bytes before the arguments. `*count` precedes them if not fixed. */
    uint32_t head_length;
    oh_express_reply reply;
} oh_express_row;

/* The forms of a method: rows that follow each other. */
typedef struct oh_express_forms {
    const oh_express_row *rows;
    uint32_t count; /* 0 if the method never takes the express lane. */
} oh_express_forms;

#define OH_EXPRESS_END UINT32_MAX /* Ends a list of groups. */

/* Some keys of a call, sent in one command: those of one node, or of one slot of a node. */
typedef struct oh_express_group {
    uint32_t first, last; /* Its first and last key, by their position in the call. */
    uint32_t count;
    uint32_t next; /* The next group of the same node, or OH_EXPRESS_END. */
} oh_express_group;

/* The keys of a call that is split into groups, and its values. All arrays are the caller's. */
typedef struct oh_express_split {
    zend_string **keys;
    uint32_t *next; /* By key: the next key of its group. Undefined for the last. */
    oh_express_group *groups;
    /*
     * For lists, the value of each key. For integers, the value of each group, at the group's first
     * key. UNDEF if not read.
     */
    zval *values;
} oh_express_split;

/* The groups of one node. */
typedef struct oh_express_node_groups {
    const oh_express_split *split;
    uint32_t first, last; /* Its first and last group, in the order of the commands. */
    bool is_read;         /* All replies have been read into `values`. */
    /*
     * True if no node has several groups, so that phpredis would make one call for each node,
     * without a pipeline.
     */
    bool is_alone;
} oh_express_node_groups;

/* The commands written for one node. The memory is kept for the next use. */
typedef struct oh_express {
    char *bytes;
    size_t length, capacity;
    const oh_express_row **rows; /* The row of each command. */
    uint32_t count, rows_capacity;
    /* Set if each command is the command of a group, otherwise NULL. Not owned. */
    oh_express_node_groups *node_groups;
} oh_express;

/* A call of the script. */
typedef struct oh_express_call {
    oh_express_forms forms;
    const zval *arguments;
    uint32_t arguments_count;
    bool is_strict;            /* The caller declares strict_types. */
    const zend_string *prefix; /* Put before each key; NULL if none. */
} oh_express_call;

/* True if it is proven that the express lane does the same as this version of phpredis. */
bool oh_express_knows(const char *phpredis_version);

/* `name` is in lower case. */
oh_express_forms oh_express_find(const char *name);

/* Adds a command. Returns false, and adds nothing, if the call is left to phpredis. */
bool oh_express_write(oh_express *express, const oh_express_call *call);

/* Adds the command of a group, whose keys are within the limit of oh_express_may_write. */
void oh_express_write_group(oh_express *express, const oh_express_row *row,
    const zend_string *prefix, const oh_express_split *split, const oh_express_group *group);

/* True if a text is short enough for the express lane. */
static zend_always_inline bool oh_express_may_write(const zend_string *text)
{
    return EXPECTED(ZSTR_LEN(text) <= OH_WIRE_BULK_BYTES_MAX / 2);
}

/* Removes all commands. The second function also frees the memory. */
void oh_express_clear(oh_express *express);
void oh_express_free(oh_express *express);

/* All commands, as they were written. */
static inline oh_values oh_express_commands(const oh_express *express)
{
    return oh_values_of(express->bytes, express->length);
}

/*
 * Reads one reply from `at`, as the value that phpredis would return. Returns the place after it,
 * or NULL if the reply is not complete or is left to phpredis. `command` begins with the command
 * that it answers; only OH_EXPRESS_FIELDS needs it.
 */
const char *oh_express_read(
    const oh_express_row *row, oh_values command, const char *at, const char *end, zval *value);

/*
 * Like oh_express_read, for the command of a group: reads a list with one value for each key, or an
 * integer, into the values of the split.
 */
const char *oh_express_read_group(const oh_express_row *row, const oh_express_split *split,
    const oh_express_group *group, const char *at, const char *end);

/*
 * True if a reply that was not read is a list of another length than the group. phpredis must not
 * read it either: its values would get wrong keys.
 */
bool oh_express_is_misfit(const oh_express_group *group, const char *at, const char *end);

/* Moves the values of a group out of the split, as the reply of the group's command. */
void oh_express_take_group(const oh_express_row *row, const oh_express_split *split,
    const oh_express_group *group, zval *reply);

/*
 * Takes the next command, and returns its arguments as they were before it was written: the
 * opposite of oh_express_write, with numbers as text. The caller frees the list with
 * oh_express_free_arguments.
 */
zval *oh_express_arguments(
    const oh_express_row *row, oh_values *commands, size_t prefix_length, uint32_t *count);
void oh_express_free_arguments(zval *arguments, uint32_t count);

#endif
