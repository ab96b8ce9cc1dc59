/*
 * The walk through the document: pools, their directives, their servers, in the order of the text.
 *
 * The text is parsed twice. The first pass only checks that all of it is YAML: nutcracker also
 * reads a file to its end before it interprets it. The second pass takes each node in order. It
 * skips a node with an error and goes on, so that all errors are found. A pool's values are only
 * collected: whether it is a OneHop pool is known at its end.
 *
 * Implements spec/config, sections 1 and 5.
 */
#include "core/config/config.h"

#include <string.h>

#include "core/config/config_reader.h"

static bool is_scalar(const oh_config_reader *reader)
{
    return reader->event.type == YAML_SCALAR_EVENT;
}

/* Keeps what the event says until the pool's end. */
static oh_config_spelled keep(oh_config_reader *reader, size_t line, int directive)
{
    oh_config_spelled spelled = {
        oh_config_copy(reader->scratch, oh_config_scalar(reader)), line, directive};

    if (!spelled.text.bytes) {
        oh_config_fail_memory(reader);
    }
    return spelled;
}

/* ---- Directives ---- */

static bool is_sequence(int directive)
{
    return directive < OH_CONFIG_SEQUENCES_COUNT;
}

#define FIRST_ROOM 16

/* Makes room for one more item. Most sequences are empty, and few are long. */
static bool grow(oh_config_reader *reader, oh_config_sequence *sequence)
{
    if (sequence->spelled_count < sequence->room) {
        return true;
    }
    oh_config_sequence old = *sequence;
    size_t room = old.room > 0 ? 2 * old.room : FIRST_ROOM;
    sequence->spelled = oh_arena_take(reader->scratch, room * sizeof *old.spelled);
    sequence->items = oh_arena_take(reader->scratch, room * sizeof(oh_server *));
    if (!sequence->spelled || !sequence->items) {
        *sequence = old;
        oh_config_fail_memory(reader);
        return false;
    }
    /* There are no items yet: they are made at the pool's end. */
    if (old.room > 0) {
        memcpy(sequence->spelled, old.spelled, old.spelled_count * sizeof *old.spelled);
    }
    sequence->room = room;
    return true;
}

static void read_item(oh_config_reader *reader, int directive)
{
    size_t line = oh_config_line(reader);

    if (!oh_config_check_node(reader, line)) {
        return;
    }
    if (!is_scalar(reader)) {
        oh_config_fail(reader, line, "the %s is not a scalar: write it as one text",
            oh_config_directives[directive].item);
        oh_config_skip(reader);
        return;
    }
    oh_config_sequence *sequence = &reader->sequences[directive];
    if (grow(reader, sequence)) {
        sequence->spelled[sequence->spelled_count++] = keep(reader, line, directive);
    }
}

/* Adds an error for one item more than allowed, and skips the rest. */
static void refuse_more_items(oh_config_reader *reader, int directive)
{
    size_t line = oh_config_line(reader);

    if (!oh_config_check_node(reader, line)) {
        return;
    }
    oh_config_fail(reader, line, "there are more than %zu %ss",
        oh_config_directives[directive].most, oh_config_directives[directive].item);
    do {
        oh_config_skip(reader);
    } while (oh_config_next(reader) && reader->event.type != YAML_SEQUENCE_END_EVENT);
}

static void read_sequence(oh_config_reader *reader, int directive, size_t line)
{
    bool is_empty = true;

    while (oh_config_next(reader) && reader->event.type != YAML_SEQUENCE_END_EVENT) {
        is_empty = false;
        if (reader->sequences[directive].spelled_count < oh_config_directives[directive].most) {
            read_item(reader, directive);
            continue;
        }
        refuse_more_items(reader, directive);
        if (!reader->has_event || reader->event.type == YAML_SEQUENCE_END_EVENT) {
            return;
        }
    }
    if (is_empty) {
        oh_config_fail(
            reader, line, "directive \"%s\" has no value", oh_config_directives[directive].name);
    }
}

/* The event is a directive's name. Returns its number, or -1 with an error. */
static int read_directive_name(oh_config_reader *reader, size_t line)
{
    if (!oh_config_check_node(reader, line)) {
        return -1;
    }
    if (!is_scalar(reader)) {
        oh_config_fail(reader, line, "the name of a directive is not a scalar");
        oh_config_skip(reader);
        return -1;
    }
    oh_text name = oh_config_scalar(reader);
    int directive = oh_config_directive(name);
    if (directive < 0) {
        oh_config_fail(reader, line, "directive \"%s\" is unknown%s", oh_config_show(name).text,
            oh_config_near_directive(reader, line, name).text);
        return -1;
    }
    if (reader->seen >> directive & 1) {
        oh_config_fail(
            reader, line, "directive \"%s\" is a duplicate", oh_config_directives[directive].name);
        return -1;
    }
    return directive;
}

static void read_value(oh_config_reader *reader, int directive, size_t line)
{
    const char *name = oh_config_directives[directive].name;

    if (!oh_config_check_node(reader, line)) {
        return;
    }
    if (is_scalar(reader) && oh_config_scalar(reader).length == 0) {
        oh_config_fail(reader, line, "directive \"%s\" has no value", name);
    } else if (is_sequence(directive) && reader->event.type == YAML_SEQUENCE_START_EVENT) {
        read_sequence(reader, directive, line);
    } else if (is_sequence(directive) || !is_scalar(reader)) {
        oh_config_fail(reader, line, "directive \"%s\" is not a %s", name,
            is_sequence(directive) ? "sequence: begin each item with \"- \""
                                   : "scalar: put its value in quotes");
        oh_config_skip(reader);
    } else {
        reader->values[reader->values_count++] = keep(reader, line, directive);
    }
}

static void read_directive(oh_config_reader *reader)
{
    size_t line = oh_config_line(reader);
    int directive = read_directive_name(reader, line);

    if (directive < 0) {
        oh_config_skip_next(reader);
        return;
    }
    reader->seen |= UINT64_C(1) << directive;
    reader->lines[directive] = line;
    reader->is_own_pool |= oh_config_directives[directive].is_own;
    if (oh_config_next(reader)) {
        read_value(reader, directive, line);
    }
}

/* ---- Pools ---- */

static bool is_pool(const oh_config_reader *reader, oh_text name)
{
    for (size_t i = 0; i < reader->pools_count; i++) {
        if (oh_text_is_same(reader->pools[i]->name, name)) {
            return true;
        }
    }
    return false;
}

static bool check_pool_name(oh_config_reader *reader, size_t line)
{
    if (!oh_config_check_node(reader, line)) {
        return false;
    }
    oh_text name = is_scalar(reader) ? oh_config_scalar(reader) : (oh_text){NULL, 0};
    if (!is_scalar(reader)) {
        oh_config_fail(reader, line, "the name of a server pool is not a scalar");
        oh_config_skip(reader);
    } else if (name.length == 0) {
        oh_config_fail(reader, line, "the name of a server pool is empty");
    } else if (name.length > OH_POOL_NAME_BYTES_MAX) {
        oh_config_fail(reader, line, "the name of a server pool is longer than %d bytes",
            OH_POOL_NAME_BYTES_MAX);
    } else if (is_pool(reader, name)) {
        oh_config_fail(
            reader, line, "server pool \"%s\" is a duplicate", oh_config_show(name).text);
    } else {
        return true;
    }
    return false;
}

/* The event is the pool's name, which has been checked. NULL if the walk is over. */
static oh_server_pool *add_pool(oh_config_reader *reader, size_t line)
{
    if (reader->pools_count == OH_CONFIG_POOLS_MAX) {
        oh_config_fail(reader, line, "there are more than %d server pools", OH_CONFIG_POOLS_MAX);
        reader->is_over = true;
        return NULL;
    }
    oh_server_pool *pool = oh_arena_take(reader->arena, sizeof *pool);
    oh_text name = oh_config_copy(reader->arena, oh_config_scalar(reader));
    if (!pool || !name.bytes) {
        oh_config_fail_memory(reader);
        return NULL;
    }
    oh_config_set_defaults(pool);
    pool->name = name;
    pool->line = (uint32_t)line;
    reader->pools[reader->pools_count++] = pool;
    return pool;
}

static void read_directives(oh_config_reader *reader, oh_server_pool *pool)
{
    reader->is_own_pool = false;
    reader->seen = 0;
    reader->errors_before = oh_config_errors_count(reader);
    reader->values_count = 0;
    for (int i = 0; i < OH_CONFIG_SEQUENCES_COUNT; i++) {
        reader->sequences[i].spelled_count = 0;
        reader->sequences[i].items_count = 0;
    }
    reader->weights_sum = 0;
    while (oh_config_next(reader) && reader->event.type != YAML_MAPPING_END_EVENT) {
        read_directive(reader);
    }
    reader->is_own |= reader->is_own_pool;
    if (!reader->is_over) {
        oh_config_finish_pool(reader, pool);
    }
}

static void read_pool(oh_config_reader *reader)
{
    size_t line = oh_config_line(reader);

    if (!check_pool_name(reader, line)) {
        oh_config_skip_next(reader);
        return;
    }
    oh_server_pool *pool = add_pool(reader, line);
    if (!pool || !oh_config_next(reader) || !oh_config_check_node(reader, line)) {
        return;
    }
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        oh_config_fail(reader, line, "server pool \"%s\" is not a mapping of directives",
            oh_config_show(pool->name).text);
        oh_config_skip(reader);
        return;
    }
    read_directives(reader, pool);
}

/* ---- The document ---- */

static void refuse_marker(oh_config_reader *reader, bool is_implicit)
{
    if (!is_implicit) {
        oh_config_defer(reader, &reader->for_nutcracker, oh_config_line(reader),
            "document markers and % lines are not allowed");
    }
}

static void read_begin(oh_config_reader *reader)
{
    refuse_marker(reader, reader->event.data.document_start.implicit);
    if (reader->event.data.document_start.version_directive ||
        reader->event.data.document_start.tag_directives.start !=
            reader->event.data.document_start.tag_directives.end) {
        oh_config_defer(
            reader, &reader->percent, oh_config_line(reader), "% lines are not allowed");
    }
}

static void read_root(oh_config_reader *reader)
{
    size_t line = oh_config_line(reader);

    if (!oh_config_check_node(reader, line)) {
        return;
    }
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        oh_config_fail(reader, line, "the document is not a mapping of server pools");
        oh_config_skip(reader);
        return;
    }
    while (oh_config_next(reader) && reader->event.type != YAML_MAPPING_END_EVENT) {
        read_pool(reader);
    }
}

static void read_end(oh_config_reader *reader)
{
    refuse_marker(reader, reader->event.data.document_end.implicit);
    if (oh_config_next(reader) && reader->event.type != YAML_STREAM_END_EVENT) {
        refuse_marker(reader, reader->event.data.document_start.implicit);
        oh_config_defer(reader, &reader->second_document, oh_config_line(reader),
            "there is more than one document");
    }
}

static void read_document(oh_config_reader *reader)
{
    if (!oh_config_next(reader)) { /* The beginning of the stream. */
        return;
    }
    if (!oh_config_next(reader)) {
        return;
    }
    if (reader->event.type == YAML_STREAM_END_EVENT) {
        oh_config_fail(reader, 1, "there is no server pool");
        return;
    }
    read_begin(reader);
    if (oh_config_next(reader)) {
        read_root(reader);
    }
    if (oh_config_next(reader)) {
        read_end(reader);
    }
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

static void read_meaning(oh_config_reader *reader)
{
    if (!oh_config_begin(reader)) {
        return;
    }
    read_document(reader);
    oh_config_end(reader);
    if (reader->errors->is_out_of_memory) {
        return;
    }
    if (reader->is_own) {
        oh_config_fail_later(reader, &reader->percent);
        oh_config_fail_later(reader, &reader->second_document);
    } else {
        oh_config_fail_later(reader, &reader->for_nutcracker);
    }
}

static void read_text(oh_config_reader *reader)
{
    if (reader->length > OH_CONFIG_BYTES_MAX) {
        oh_config_fail(reader, 1, "the file is larger than %d bytes", OH_CONFIG_BYTES_MAX);
        return;
    }
    skip_byte_order_mark(reader);
    if (oh_config_check_text(reader) && oh_config_check_yaml(reader)) {
        read_meaning(reader);
    }
}

/* False with an error. */
static bool read_config(oh_config_reader *reader, oh_config *config)
{
    read_text(reader);
    if (oh_config_errors_count(reader) > 0) {
        return false;
    }
    config->pools = oh_arena_take(&config->arena, reader->pools_count * sizeof *config->pools);
    if (!config->pools) {
        oh_config_fail_memory(reader);
        return false;
    }
    for (size_t i = 0; i < reader->pools_count; i++) {
        config->pools[i] = *reader->pools[i];
    }
    config->pools_count = reader->pools_count;
    return true;
}

/* A configuration lives in its own arena. Until it is complete, it is on the stack. */
bool oh_config_parse(const char *text, size_t length, oh_variable variable, oh_config **out,
    oh_config_errors *errors)
{
    oh_config config = {.pools = NULL};
    oh_arena scratch = {NULL};
    oh_config_reader *reader = oh_arena_take(&scratch, sizeof *reader);

    *out = oh_arena_take(&config.arena, sizeof **out);
    bool is_read = false;
    memset(errors, 0, sizeof *errors);
    if (!reader || !*out) {
        oh_config_be_out_of_memory(errors);
    } else {
        reader->text = length > 0 ? text : "";
        reader->length = length;
        reader->variable = variable;
        reader->errors = errors;
        reader->arena = &config.arena;
        reader->scratch = &scratch;
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
    if (config) {
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
