/*
 * The inside of room config: what its files share while a text is read.
 *
 * config_text.c looks at the bytes before anything is parsed; config_event.c parses; config.c walks
 * the document and collects what each pool says. At the end of a pool config_pool.c takes its
 * values and items: config_directive.c knows the directives, config_server.c the spelling of
 * servers, config_address.c that of Sentinels, replicas and zones, config_item.c what all of these
 * have in common, and config_variable.c the environment. config_error.c keeps the errors.
 *
 * An error does not end the walk, so that all errors are found. If the walk cannot go on, `is_over`
 * is set: then there are no more events, and every loop ends.
 *
 * Implements spec/config.
 */
#ifndef OH_CONFIG_READER_H
#define OH_CONFIG_READER_H

#include <string.h>
#include <yaml.h>

#include "core/config/config.h"
#include "core/generated/directives.h"
#include "core/generated/limits.h"

/* An error that counts only if the text is, or is not, a OneHop text. Line 0: there is none. */
typedef struct oh_config_later {
    size_t line;
    uint32_t order;
    const char *reason;
} oh_config_later;

/* A value, or an item of a sequence, as the text spells it. */
typedef struct oh_config_spelled {
    oh_text text;
    size_t line;   /* The line of its errors. */
    int directive; /* The directive that it belongs to. */
} oh_config_spelled;

/* One directive: a row of spec/directives.json. */
typedef struct oh_config_row {
    const char *name;
    oh_directive_type type;
    const char *item;   /* What one item of a sequence is called. */
    size_t place;       /* The offset of its value in oh_server_pool; 0 for a sequence. */
    size_t has;         /* The offset of the flag that says that it is set; 0 if there is none. */
    size_t least, most; /* Bounds of a number, of a text's bytes, of a sequence's items. */
    bool is_own;        /* OneHop's: nutcracker does not know it. */
    bool is_hidden;     /* Its value is never shown. */
    bool is_secret;     /* It is a password. */
} oh_config_row;
extern const oh_config_row oh_config_directives[OH_CONFIG_DIRECTIVES_COUNT];

/*
 * A directive whose value is a list, in the pool being read: of servers, sentinels, replicas. Both
 * arrays are in scratch, and stay for the next pool.
 */
typedef struct oh_config_sequence {
    oh_config_spelled *spelled;
    size_t spelled_count;
    oh_server **items; /* The items without an error, in order. */
    size_t items_count;
    size_t room; /* How many each array can hold. */
} oh_config_sequence;

typedef struct oh_config_reader {
    const char *text; /* Without a byte order mark. */
    size_t length;
    oh_variable variable;
    oh_arena *arena;   /* Has the configuration that is being made. */
    oh_arena *scratch; /* Has what only the walk needs. */

    oh_config_errors *errors;
    uint32_t order; /* The order of the next error. */
    bool is_over;

    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;

    /* How far the text has been walked: in bytes, and in characters, which libyaml counts. */
    size_t byte;
    size_t character;

    bool is_own;                    /* A OneHop text: one of its pools is a OneHop pool. */
    oh_config_later for_nutcracker; /* The first document marker or flow style. */
    oh_config_later percent, second_document; /* In a OneHop text these count instead. */

    oh_server_pool *pools[OH_CONFIG_POOLS_MAX];
    size_t pools_count;

    /* Of the pool that is being read. */
    bool is_own_pool;
    uint64_t seen;                            /* A bit for each directive whose name was read. */
    size_t lines[OH_CONFIG_DIRECTIVES_COUNT]; /* The lines of these names. */
    size_t errors_before;                     /* How many errors there were when it began. */
    oh_config_spelled values[OH_CONFIG_DIRECTIVES_COUNT];
    size_t values_count;
    oh_config_sequence sequences[OH_CONFIG_SEQUENCES_COUNT];
    uint32_t weights_sum;     /* Of the servers of this list up to now. */
    uint32_t new_weights_sum; /* The sum for `servers`, while the old ring is read. */
    bool has_slots;           /* The servers of this list have slots instead of weights. */
    /* Servers without a name are named by their address, always with the port. */
    bool has_long_names;
    /* Names of the variables that were used, each after a blank; in scratch. */
    oh_text variables;
} oh_config_reader;

/* ---- Errors ---- */

/* Adds an error. */
void oh_config_fail(oh_config_reader *reader, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Call one of them if there is no memory: that is the only error then. The second one also ends the
 * walk.
 */
void oh_config_be_out_of_memory(oh_config_errors *errors);
void oh_config_fail_memory(oh_config_reader *reader);

/* Notes an error for later, if it is the first of its kind. */
void oh_config_defer(
    oh_config_reader *reader, oh_config_later *later, size_t line, const char *reason);

/* Adds the noted error now, if there is one. */
void oh_config_fail_later(oh_config_reader *reader, const oh_config_later *later);

size_t oh_config_errors_count(const oh_config_reader *reader);

/* A name as an error shows it: short, printable, on one line. */
typedef struct oh_config_shown {
    char text[(size_t)4 * OH_SHOWN_BYTES_MAX + sizeof "..."];
} oh_config_shown;
oh_config_shown oh_config_show(oh_text name);

/* The end of a reason: the value it is about. Empty if a password may be in the value. */
typedef struct oh_config_ending {
    char text[sizeof(oh_config_shown) + sizeof ": \"\""];
} oh_config_ending;
oh_config_ending oh_config_about(oh_text value);

/*
 * The end of a reason: the one of these words that was probably meant, or nothing. Also nothing if
 * the error will not be kept.
 */
oh_config_ending oh_config_near(const oh_config_reader *reader, size_t line, oh_text word,
    const char *const *words, size_t words_count);

/* ---- Values ---- */

/* Copies into the arena. The copy is absent if there is no memory. */
oh_text oh_config_copy(oh_arena *arena, oh_text text);

/* The number that decimal digits mean, or one of the two complaints. */
enum { OH_CONFIG_NOT_A_NUMBER = -1, OH_CONFIG_TOO_LARGE = -2 };
int64_t oh_config_number(oh_text text);

/* A value with its variables replaced. */
typedef struct oh_config_value {
    oh_text text; /* Absent if it has an error, or if there is no memory. */
    oh_text told; /* As an error may show it. */
    bool has_variables;
} oh_config_value;

/* Adds an error that begins with `subject` if a variable is missing or strange. */
oh_config_value oh_config_expand(
    oh_config_reader *reader, const oh_config_spelled *spelled, const char *subject);

/* ---- Text ---- */

/*
 * Checks encoding, characters and indentation. If something is wrong, adds an error and returns
 * false.
 */
bool oh_config_check_text(oh_config_reader *reader);

/* The first character of UTF-8 that a configuration may not have, or -1. */
int32_t oh_config_strange_character(oh_text utf8);

/* True if bytes are not UTF-8, or have a character that a variable may not have. */
bool oh_config_is_strange(const char *bytes, size_t length);

/* ---- Events ---- */

/* True if the whole text is YAML and not nested too deeply. */
bool oh_config_check_yaml(oh_config_reader *reader);

/* Between begin and end, next puts the next event of the document into reader->event. */
bool oh_config_begin(oh_config_reader *reader);
bool oh_config_next(oh_config_reader *reader);
void oh_config_end(oh_config_reader *reader);

/* Goes to the end of the node that the event begins. */
void oh_config_skip(oh_config_reader *reader);
void oh_config_skip_next(oh_config_reader *reader);

size_t oh_config_line(const oh_config_reader *reader);
oh_text oh_config_scalar(const oh_config_reader *reader); /* The text lives as long as the event. */

/*
 * Checks the rules that hold for every node. Call it before the rules for the place of the node are
 * checked. If the node breaks a rule, adds an error at `line`, skips the node, and returns false.
 */
bool oh_config_check_node(oh_config_reader *reader, size_t line);

/* ---- Directives ---- */

/* The number of the directive of that name, or -1. */
int oh_config_directive(oh_text name);

/* The directive that was probably meant, as the end of a reason. */
oh_config_ending oh_config_near_directive(
    const oh_config_reader *reader, size_t line, oh_text name);

/* Sets a directive with a scalar value. */
void oh_config_set(
    oh_config_reader *reader, oh_server_pool *pool, const oh_config_spelled *spelled);

/* A pool as it is before its first directive. */
void oh_config_set_defaults(oh_server_pool *pool);

/* ---- Pools ---- */

/*
 * Called when all of the pool has been read: takes its values and servers, and checks whether they
 * go together.
 */
void oh_config_finish_pool(oh_config_reader *reader, oh_server_pool *pool);

/* ---- Servers and what is like one ---- */

/*
 * Takes one more item of that sequence into the pool that is being read. Replicas come after the
 * servers.
 */
void oh_config_add_server(oh_config_reader *reader, const oh_config_spelled *spelled);
void oh_config_add_sentinel(oh_config_reader *reader, const oh_config_spelled *spelled);
void oh_config_add_replica(oh_config_reader *reader, const oh_config_spelled *spelled);
/* Keeps the host as a server without a port; the zone is its id. */
void oh_config_add_zone(oh_config_reader *reader, const oh_config_spelled *spelled);

/* ---- Items: servers, Sentinels, replicas and zones, each with a place among the others ---- */

/* What the text of an item says. Texts that the form of the item does not have are absent. */
typedef struct oh_config_parts {
    bool is_unix;
    bool is_named; /* The text has a name. */
    oh_text address;
    oh_text port; /* Only for TCP. */
    oh_text weight;
    oh_text name; /* The name for placement. Until that is made: the given name, or absent. */
    uint32_t port_number;
    uint32_t weight_number;
    oh_text slots; /* Bits, in the caller's memory, if the text has slots instead of a weight. */
} oh_config_parts;

/* An item that is being taken into the pool. */
typedef struct oh_config_item {
    oh_config_reader *reader;
    oh_config_sequence *sequence;
    const char *name; /* What an error calls it: "server". */
    size_t line;
    oh_config_value value;
} oh_config_item;

/*
 * Begins an item with its value. If the value is empty or cannot be used, adds an error and returns
 * false.
 */
bool oh_config_begin_item(
    oh_config_item *item, oh_config_reader *reader, const oh_config_spelled *spelled);

/* Adds an error about its value: the item, the fault, and the value. */
void oh_config_fail_item(const oh_config_item *item, const char *fault);
void oh_config_fail_duplicate(const oh_config_item *item, oh_text name);

/* The place in a sequence where a name is, or where it belongs. */
size_t oh_config_find(const oh_config_sequence *sequence, oh_text name, bool *is_there);

/*
 * Puts the item at its place. Returns the server, or NULL if there is no memory; the error has been
 * added then.
 */
oh_server *oh_config_insert(const oh_config_item *item, size_t place, const oh_config_parts *it);

/* ---- Their spellings: parts, brackets, and how an address is checked ---- */

/*
 * Cuts what follows the last `separator` off *rest. If there is none, the result is absent and
 * *rest unchanged.
 */
oh_text oh_config_cut_last(oh_text *rest, char separator);

/* The host in brackets of "[host]:..."; absent if there is none. */
oh_text oh_config_host_in_brackets(oh_text front);

/* What follows the host in brackets. If there are no brackets, the whole text. */
oh_text oh_config_after_brackets(oh_text front, oh_text host);

/* How many ":" follow the host in brackets. If there are no brackets, how many are in the text. */
size_t oh_config_count_colons(oh_text front);

/* Copies the text to that place. Returns where it ends. */
static inline char *oh_config_append(char *to, oh_text text)
{
    if (text.length > 0) {
        memcpy(to, text.bytes, text.length);
    }
    return to + text.length;
}

#define OH_CONFIG_LONG_ADDRESS "has an address longer than 255 bytes"

/* What is wrong with address and port, or NULL. Sets the port's number. */
const char *oh_config_check_address(oh_config_parts *it);

#endif
