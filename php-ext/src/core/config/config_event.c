/*
 * A configuration as YAML: libyaml's events one by one, and the rules that every node of the
 * document must obey.
 *
 * libyaml gives events, not typed values, so a scalar is exactly the text of the file.
 *
 * Implements spec/config, sections 3 and 5.
 */
#include "core/config/config_reader.h"

/* ---- Events ---- */

bool oh_config_begin(oh_config_reader *reader)
{
    if (!yaml_parser_initialize(&reader->parser)) {
        oh_config_fail_memory(reader);
        return false;
    }
    yaml_parser_set_input_string(
        &reader->parser, (const unsigned char *)reader->text, reader->length);
    yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
    return true;
}

static void end_event(oh_config_reader *reader)
{
    if (reader->has_event) {
        yaml_event_delete(&reader->event);
        reader->has_event = false;
    }
}

void oh_config_end(oh_config_reader *reader)
{
    end_event(reader);
    yaml_parser_delete(&reader->parser);
}

bool oh_config_next(oh_config_reader *reader)
{
    end_event(reader);
    if (reader->is_over) {
        return false;
    }
    reader->has_event = yaml_parser_parse(&reader->parser, &reader->event);
    if (reader->has_event) {
        return true;
    }
    reader->is_over = true;
    if (reader->parser.error == YAML_MEMORY_ERROR) {
        oh_config_fail_memory(reader);
    } else {
        oh_config_fail(reader, reader->parser.problem_mark.line + 1, "the text is not valid YAML");
    }
    return false;
}

/* How many levels deeper the event leads: 1, 0 or -1. */
static int step_of(const oh_config_reader *reader)
{
    switch (reader->event.type) {
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: return 1;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return -1;
    default: return 0;
    }
}

void oh_config_skip(oh_config_reader *reader)
{
    int depth = reader->has_event ? step_of(reader) : 0;

    while (depth > 0 && oh_config_next(reader)) {
        depth += step_of(reader);
    }
}

void oh_config_skip_next(oh_config_reader *reader)
{
    if (oh_config_next(reader)) {
        oh_config_skip(reader);
    }
}

size_t oh_config_line(const oh_config_reader *reader)
{
    return reader->event.start_mark.line + 1;
}

bool oh_config_check_yaml(oh_config_reader *reader)
{
    if (!oh_config_begin(reader)) {
        return false;
    }
    bool is_valid;
    int depth = 0;
    do {
        is_valid = oh_config_next(reader);
        depth += is_valid ? step_of(reader) : 0;
        if (is_valid && depth > OH_YAML_DEPTH_MAX) {
            oh_config_fail(
                reader, oh_config_line(reader), "there are more than %d levels", OH_YAML_DEPTH_MAX);
            is_valid = false;
        }
    } while (is_valid && reader->event.type != YAML_STREAM_END_EVENT);
    oh_config_end(reader);
    return is_valid;
}

/* ---- What no node may be ---- */

oh_text oh_config_scalar(const oh_config_reader *reader)
{
    return (oh_text){
        (const char *)reader->event.data.scalar.value, reader->event.data.scalar.length};
}

/*
 * The text from where the event begins. The marks of an event count characters, not bytes. Empty if
 * the node is absent, because the text at its place belongs to the next node.
 */
static oh_text text_of_event(oh_config_reader *reader)
{
    if (reader->event.start_mark.index == reader->event.end_mark.index) {
        return (oh_text){NULL, 0};
    }
    while (reader->character < reader->event.start_mark.index && reader->byte < reader->length) {
        do {
            reader->byte++;
        } while (reader->byte < reader->length && (reader->text[reader->byte] & 0xc0) == 0x80);
        reader->character++;
    }
    return (oh_text){reader->text + reader->byte, reader->length - reader->byte};
}

/* libyaml forgets the tag `!` of a scalar, but the event begins where the tag did. */
static bool begins_with_tag(oh_config_reader *reader)
{
    oh_text text = text_of_event(reader);

    return text.length > 0 && text.bytes[0] == '!';
}

/* YAML readers disagree about `{?a: b}`. */
static bool is_after_question_mark(oh_config_reader *reader)
{
    oh_text text = text_of_event(reader);

    return text.length > 0 && text.bytes > reader->text && text.bytes[-1] == '?';
}

static bool has_property(oh_config_reader *reader)
{
    const yaml_event_t *event = &reader->event;

    switch (event->type) {
    case YAML_ALIAS_EVENT: return true;
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag || begins_with_tag(reader);
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    default: return false;
    }
}

static bool is_flow(const yaml_event_t *event)
{
    return (event->type == YAML_SEQUENCE_START_EVENT &&
               event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE) ||
           (event->type == YAML_MAPPING_START_EVENT &&
               event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
}

static bool is_block_scalar(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT &&
           (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
               event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
}

/* The rules for every node are checked before those for its place. Flow style is only noted. */
bool oh_config_check_node(oh_config_reader *reader, size_t line)
{
    int32_t character = -1;

    if (has_property(reader)) {
        oh_config_fail(reader, line, "anchors, aliases and tags are not allowed");
    } else if (is_after_question_mark(reader)) {
        oh_config_fail(reader, line, "\"?\" needs a space after it");
    } else if (is_block_scalar(&reader->event)) {
        oh_config_fail(reader, line, "block scalars are not allowed");
    } else {
        if (is_flow(&reader->event)) {
            oh_config_defer(reader, &reader->for_nutcracker, line, "flow style is not allowed");
        }
        if (reader->event.type == YAML_SCALAR_EVENT) {
            character = oh_config_strange_character(oh_config_scalar(reader));
        }
        if (character < 0) {
            return true;
        }
        oh_config_fail(reader, line, "character U+%04X is not allowed", (unsigned)character);
    }
    oh_config_skip(reader);
    return false;
}
