/*
 * The inside of room config: what its files share while a text is read.
 *
 * config_text.c looks at the bytes before anything is parsed; config_event.c parses; config.c walks
 * the document; config_directive.c knows the directives, config_pool.c how they go together, and
 * config_server.c the spelling of servers. A function that returns false has written the error; its
 * caller then returns false, too.
 */
#ifndef OH_CONFIG_READER_H
#define OH_CONFIG_READER_H

#include <yaml.h>

#include "core/config/config.h"
#include "core/generated/limits.h"

typedef struct oh_config_reader {
    const char *text; /* After a byte order mark. */
    size_t length;
    oh_config_error *error;
    oh_arena *arena; /* Of the configuration that is being made. */

    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;

    /* How far the text has been walked: in bytes, and in characters, which libyaml counts. */
    size_t byte;
    size_t character;

    oh_server_pool *pools[OH_CONFIG_POOLS_MAX];
    size_t pools_count;
    oh_server *servers[OH_POOL_SERVERS_MAX]; /* Of the pool that is being read, kept in order. */
    size_t servers_count;
    uint32_t weights_sum;
} oh_config_reader;

/* Writes the error, and returns false. */
bool oh_config_fail(oh_config_error *error, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool oh_config_fail_memory(oh_config_error *error);

/* Ends the reason with the value it is about, unless a password may stand in it; returns false. */
bool oh_config_add_value(oh_config_error *error, oh_text value);

/* A name as an error shows it: short, printable, on one line. */
typedef struct oh_config_shown {
    char text[(size_t)4 * OH_SHOWN_BYTES_MAX + sizeof "..."];
} oh_config_shown;
oh_config_shown oh_config_show(oh_text name);

/* Copies into the arena. The copy is absent if there is no memory. */
oh_text oh_config_copy(oh_arena *arena, oh_text text);

/* The number that decimal digits mean, or one of the two complaints. */
enum { OH_CONFIG_NOT_A_NUMBER = -1, OH_CONFIG_TOO_LARGE = -2 };
int64_t oh_config_number(oh_text text);

/* ---- Text ---- */

bool oh_config_check_text(const char *text, size_t length, oh_config_error *error);

/* The first character of UTF-8 that a configuration may not have, or -1. */
int32_t oh_config_strange_character(oh_text utf8);

/* ---- Events ---- */

/* True if the whole text is YAML and not nested too deeply. */
bool oh_config_check_yaml(oh_config_reader *reader);

/* Between begin and end, next puts the next event of the document into reader->event. */
bool oh_config_begin(oh_config_reader *reader);
bool oh_config_next(oh_config_reader *reader);
void oh_config_end(oh_config_reader *reader);

size_t oh_config_line(const oh_config_reader *reader);
oh_text oh_config_scalar(const oh_config_reader *reader); /* The text lives as long as the event. */

/* Checks the rules for every node, which come before those for its place. An error has `line`. */
bool oh_config_check_node(oh_config_reader *reader, size_t line);

/* ---- Directives ---- */

/* The number of the directive of that name, or -1. */
int oh_config_directive(oh_text name);
const char *oh_config_directive_name(int number);

/* Directives that have rules beyond their type. */
enum {
    OH_CONFIG_SERVERS, /* The one directive that is a sequence. */
    OH_CONFIG_LISTEN,
    OH_CONFIG_REDIS_AUTH,
    OH_CONFIG_USERNAME,
    OH_CONFIG_REDIS_DB,
    OH_CONFIG_DATABASE,
    OH_CONFIG_HASH,
    OH_CONFIG_HASH_TAG,
    OH_CONFIG_DISTRIBUTION,
    OH_CONFIG_READ_FROM,
    OH_CONFIG_ZONE
};

/* Sets a directive with a scalar value. `line` is the line of the directive's name. */
bool oh_config_set(
    oh_config_reader *reader, oh_server_pool *pool, int directive, oh_text value, size_t line);

/* A pool as it is before its first directive. */
void oh_config_set_defaults(oh_server_pool *pool);

/* ---- Pools ---- */

/* Checks the rules for the whole pool. `seen` has a bit for each of its directives. */
bool oh_config_check_pool(oh_config_reader *reader, const oh_server_pool *pool, uint32_t seen);

/* Sets how the keys of a Redis Cluster are placed. No file says that. */
void oh_config_be_cluster(oh_server_pool *pool);

/* ---- Servers ---- */

/* Takes one more server, as spelled, into the pool that is being read. */
bool oh_config_add_server(oh_config_reader *reader, oh_text spelled, size_t line);

#endif
