/*
 * The walk through the document: pools, their directives, their servers, in the order of the text.
 *
 * The text is parsed twice. The first pass only checks that all of it is YAML: nutcracker, too,
 * reads a file to its end before it interprets it. The second pass takes each node in order, and
 * the first offence ends it.
 *
 * Implements spec/config, sections 1 and 5.
 */
#include "core/config/config.h"

#include <string.h>

#include "core/config/config_reader.h"

/* ---- Directives ---- */

static bool read_servers(oh_config_reader *reader, oh_server_pool *pool, size_t line)
{
    if (reader->event.type != YAML_SEQUENCE_START_EVENT) {
        return oh_config_fail(reader->error, line, "directive \"servers\" is not a sequence");
    }
    reader->servers_count = 0;
    reader->weights_sum = 0;
    while (oh_config_next(reader) && reader->event.type != YAML_SEQUENCE_END_EVENT) {
        line = oh_config_line(reader);
        if (!oh_config_check_node(reader, line)) {
            return false;
        }
        if (reader->servers_count == OH_POOL_SERVERS_MAX) {
            return oh_config_fail(
                reader->error, line, "there are more than %d servers", OH_POOL_SERVERS_MAX);
        }
        if (reader->event.type != YAML_SCALAR_EVENT) {
            return oh_config_fail(reader->error, line, "the server is not a scalar");
        }
        if (!oh_config_add_server(reader, oh_config_scalar(reader), line)) {
            return false;
        }
    }
    if (!reader->has_event) {
        return false;
    }
    pool->servers = oh_arena_take(reader->arena, reader->servers_count * sizeof *pool->servers);
    if (pool->servers == NULL) {
        return oh_config_fail_memory(reader->error);
    }
    for (size_t i = 0; i < reader->servers_count; i++) {
        pool->servers[i] = *reader->servers[i];
    }
    pool->servers_count = reader->servers_count;
    return true;
}

/* The event is a directive's name. Returns its number, or -1 with the error written. */
static int read_directive_name(oh_config_reader *reader, uint32_t *seen)
{
    size_t line = oh_config_line(reader);
    if (!oh_config_check_node(reader, line)) {
        return -1;
    }
    if (reader->event.type != YAML_SCALAR_EVENT) {
        oh_config_fail(reader->error, line, "the name of a directive is not a scalar");
        return -1;
    }
    oh_text name = oh_config_scalar(reader);
    int directive = oh_config_directive(name);
    if (directive < 0) {
        oh_config_fail(
            reader->error, line, "directive \"%s\" is unknown", oh_config_show(name).text);
        return -1;
    }
    if (*seen >> directive & 1) {
        oh_config_fail(
            reader->error, line, "directive \"%s\" is a duplicate", oh_config_show(name).text);
        return -1;
    }
    *seen |= UINT32_C(1) << directive;
    return directive;
}

static bool read_directive(oh_config_reader *reader, oh_server_pool *pool, uint32_t *seen)
{
    size_t line = oh_config_line(reader);
    int directive = read_directive_name(reader, seen);
    if (directive < 0 || !oh_config_next(reader) || !oh_config_check_node(reader, line)) {
        return false;
    }
    const char *name = oh_config_directive_name(directive);
    bool is_scalar = reader->event.type == YAML_SCALAR_EVENT;
    if (is_scalar && oh_config_scalar(reader).length == 0) {
        return oh_config_fail(reader->error, line, "directive \"%s\" has no value", name);
    }
    if (directive == OH_CONFIG_SERVERS) {
        return read_servers(reader, pool, line);
    }
    if (!is_scalar) {
        return oh_config_fail(reader->error, line, "directive \"%s\" is not a scalar", name);
    }
    return oh_config_set(reader, pool, directive, oh_config_scalar(reader), line);
}

/* ---- Pools ---- */

static bool check_pool_name(oh_config_reader *reader, size_t line)
{
    if (!oh_config_check_node(reader, line)) {
        return false;
    }
    if (reader->event.type != YAML_SCALAR_EVENT) {
        return oh_config_fail(reader->error, line, "the name of a server pool is not a scalar");
    }
    oh_text name = oh_config_scalar(reader);
    if (name.length == 0) {
        return oh_config_fail(reader->error, line, "the name of a server pool is empty");
    }
    if (name.length > OH_POOL_NAME_BYTES_MAX) {
        return oh_config_fail(reader->error, line,
            "the name of a server pool is longer than %d bytes", OH_POOL_NAME_BYTES_MAX);
    }
    for (size_t i = 0; i < reader->pools_count; i++) {
        oh_text other = reader->pools[i]->name;
        if (oh_text_is_same(other, name)) {
            return oh_config_fail(reader->error, line, "server pool \"%s\" is a duplicate",
                oh_config_show(name).text);
        }
    }
    if (reader->pools_count == OH_CONFIG_POOLS_MAX) {
        return oh_config_fail(
            reader->error, line, "there are more than %d server pools", OH_CONFIG_POOLS_MAX);
    }
    return true;
}

/* The event is the pool's name. Returns NULL with the error written. */
static oh_server_pool *add_pool(oh_config_reader *reader)
{
    size_t line = oh_config_line(reader);
    if (!check_pool_name(reader, line)) {
        return NULL;
    }
    oh_server_pool *pool = oh_arena_take(reader->arena, sizeof *pool);
    oh_text name = oh_config_copy(reader->arena, oh_config_scalar(reader));
    if (pool == NULL || name.bytes == NULL) {
        oh_config_fail_memory(reader->error);
        return NULL;
    }
    oh_config_set_defaults(pool);
    pool->name = name;
    pool->line = (uint32_t)line;
    reader->pools[reader->pools_count++] = pool;
    return pool;
}

static bool read_pool(oh_config_reader *reader)
{
    oh_server_pool *pool = add_pool(reader);
    if (pool == NULL || !oh_config_next(reader) || !oh_config_check_node(reader, pool->line)) {
        return false;
    }
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        return oh_config_fail(reader->error, pool->line,
            "server pool \"%s\" is not a mapping of directives", oh_config_show(pool->name).text);
    }
    uint32_t seen = 0;
    while (oh_config_next(reader) && reader->event.type != YAML_MAPPING_END_EVENT) {
        if (!read_directive(reader, pool, &seen)) {
            return false;
        }
    }
    if (!reader->has_event || !oh_config_check_pool(reader, pool, seen)) {
        return false;
    }
    if (pool->is_cluster) {
        oh_config_be_cluster(pool);
    }
    return true;
}

/* ---- The document ---- */

static bool fail_marker(oh_config_reader *reader)
{
    return oh_config_fail(
        reader->error, oh_config_line(reader), "document markers and %% lines are not allowed");
}

static bool read_document(oh_config_reader *reader)
{
    /* The first event is the begin of the stream. */
    for (int event = 0; event < 2; event++) {
        if (!oh_config_next(reader)) {
            return false;
        }
    }
    if (reader->event.type == YAML_STREAM_END_EVENT) {
        return oh_config_fail(reader->error, 1, "there is no server pool");
    }
    if (!reader->event.data.document_start.implicit) {
        return fail_marker(reader);
    }
    if (!oh_config_next(reader) || !oh_config_check_node(reader, oh_config_line(reader))) {
        return false;
    }
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        return oh_config_fail(
            reader->error, oh_config_line(reader), "the document is not a mapping of server pools");
    }
    while (oh_config_next(reader) && reader->event.type != YAML_MAPPING_END_EVENT) {
        if (!read_pool(reader)) {
            return false;
        }
    }
    if (!reader->has_event || !oh_config_next(reader)) {
        return false;
    }
    if (!reader->event.data.document_end.implicit) {
        return fail_marker(reader);
    }
    return oh_config_next(reader) &&
           (reader->event.type == YAML_STREAM_END_EVENT || fail_marker(reader));
}

/* ---- The configuration ---- */

static void skip_byte_order_mark(oh_config_reader *reader)
{
    static const char mark[3] = {'\xef', '\xbb', '\xbf'};
    if (reader->length >= sizeof mark && memcmp(reader->text, mark, sizeof mark) == 0) {
        reader->text += sizeof mark;
        reader->length -= sizeof mark;
    }
}

static bool read_meaning(oh_config_reader *reader)
{
    if (!oh_config_begin(reader)) {
        return false;
    }
    bool is_read = read_document(reader);
    oh_config_end(reader);
    return is_read;
}

static bool read_config(oh_config_reader *reader, oh_config *config)
{
    if (reader->length > OH_CONFIG_BYTES_MAX) {
        return oh_config_fail(
            reader->error, 1, "the file is larger than %d bytes", OH_CONFIG_BYTES_MAX);
    }
    skip_byte_order_mark(reader);
    if (!oh_config_check_text(reader->text, reader->length, reader->error) ||
        !oh_config_check_yaml(reader) || !read_meaning(reader)) {
        return false;
    }
    config->pools = oh_arena_take(&config->arena, reader->pools_count * sizeof *config->pools);
    if (config->pools == NULL) {
        return oh_config_fail_memory(reader->error);
    }
    for (size_t i = 0; i < reader->pools_count; i++) {
        config->pools[i] = *reader->pools[i];
    }
    config->pools_count = reader->pools_count;
    return true;
}

/* A configuration lives in its own arena. Until it is complete, it is on the stack. */
bool oh_config_parse(const char *text, size_t length, oh_config **out, oh_config_error *error)
{
    oh_config config = {.pools = NULL};
    oh_arena scratch = {NULL};
    oh_config_reader *reader = oh_arena_take(&scratch, sizeof *reader);
    *out = oh_arena_take(&config.arena, sizeof **out);
    bool is_read = false;
    if (reader == NULL || *out == NULL) {
        oh_config_fail_memory(error);
    } else {
        reader->text = length > 0 ? text : "";
        reader->length = length;
        reader->error = error;
        reader->arena = &config.arena;
        is_read = read_config(reader, &config);
    }
    oh_arena_release(&scratch);
    if (is_read) {
        **out = config;
    } else {
        oh_arena_release(&config.arena);
        *out = NULL;
    }
    return is_read;
}

void oh_config_free(oh_config *config)
{
    if (config != NULL) {
        oh_arena arena = config->arena;
        oh_arena_release(&arena);
    }
}

const oh_server_pool *oh_config_pool(const oh_config *config, const char *name, size_t length)
{
    for (size_t i = 0; i < config->pools_count; i++) {
        const oh_server_pool *pool = &config->pools[i];
        if (oh_text_is_same(pool->name, (oh_text){name, length})) {
            return pool;
        }
    }
    return NULL;
}
