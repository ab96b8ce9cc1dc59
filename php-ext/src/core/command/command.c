/*
 * Finds a command's entry and its keys. It is written like spec/tools/reference/table.py, so that
 * both can be compared. A command's words are not trusted: every position is compared with their
 * count before it is read.
 */
#include "core/command/command.h"

#include <stdio.h>
#include <string.h>

#include "core/generated/commands.h"

#define COMMANDS_COUNT (sizeof commands / sizeof *commands)
#define NAME_BYTES_MAX (OH_COMMAND_NAME_BYTES - 1)

static const char beyond_the_end[] = "it has fewer arguments than its keys need";
static const char not_a_number[] = "its key count is not a number";
static const char uneven[] = "each key needs its value (or id); one is missing";

/* ---- Words ---- */

static char lower(uint8_t byte)
{
    return (char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
}

static char upper(uint8_t byte)
{
    return (char)(byte >= 'a' && byte <= 'z' ? byte - ('a' - 'A') : byte);
}

/* True if the word is this word of the table, in any case. The table has capitals. */
static bool is_word(const oh_bytes *word, const char *capitals, size_t length)
{
    if (word->length != length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (upper(word->bytes[i]) != capitals[i]) {
            return false;
        }
    }
    return true;
}

/*
 * A number of keys: digits and nothing else. If the number does not fit into a size_t, its last
 * digits are ignored: no command has so many words.
 */
static bool count_of(const oh_bytes *word, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < word->length; i++) {
        if (word->bytes[i] < '0' || word->bytes[i] > '9') {
            return false;
        }
        *count = *count > SIZE_MAX / 64 ? *count : *count * 10 + (size_t)(word->bytes[i] - '0');
    }
    return word->length > 0;
}

/* ---- The entry ---- */

/*
 * Like strcmp, but the name has a length and may have any bytes. A name with a NUL equals no entry.
 */
static int compare(const char *entry, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (entry[i] != name[i] || entry[i] == '\0') {
            return (uint8_t)entry[i] <= (uint8_t)name[i] ? -1 : 1;
        }
    }
    return entry[length] != '\0';
}

const oh_command *oh_command_named(const char *name, size_t length)
{
    size_t low = 0, high = COMMANDS_COUNT;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(commands[middle].name, name, length);

        if (order == 0) {
            return &commands[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/*
 * Appends a word in small letters. False if it is longer than any name, or has a byte that no name
 * has.
 */
static bool append_lower(char *name, size_t *length, const oh_bytes *word)
{
    if (word->length == 0 || word->length > NAME_BYTES_MAX - *length) {
        return false;
    }
    for (size_t i = 0; i < word->length; i++) {
        if (word->bytes[i] <= ' ' || word->bytes[i] >= '|') {
            return false;
        }
        name[(*length)++] = lower(word->bytes[i]);
    }
    return true;
}

bool oh_command_name(char name[OH_COMMAND_NAME_BYTES], const oh_bytes *words, size_t count)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && length < NAME_BYTES_MAX) {
            name[length++] = '|';
        }
        if (!append_lower(name, &length, &words[i])) {
            return false;
        }
    }
    name[length] = '\0';
    return length > 0;
}

const oh_command *oh_command_find(const oh_bytes *words, size_t count)
{
    char name[NAME_BYTES_MAX + 1];
    size_t length = 0;

    if (count == 0 || !append_lower(name, &length, &words[0])) {
        return NULL;
    }
    const oh_command *command = oh_command_named(name, length);
    if (command && command->is_container && count > 1) {
        name[length++] = '|';
        command = append_lower(name, &length, &words[1]) ? oh_command_named(name, length) : NULL;
    }
    return command && command->spread != OH_SPREAD_NONE ? command : NULL;
}

/* ---- Where the keys are ---- */

/* The positions found so far. `count` also counts those for which there was no room. */
typedef struct found_positions {
    oh_key_position *positions;
    size_t room, count;
} found_positions;

static void add_position(found_positions *found, size_t position, oh_key_kind kind)
{
    size_t at = found->count < found->room ? found->count : found->room;

    /* The keys of several specifications interleave. They are sorted as the command has them. */
    while (at > 0 && found->positions[at - 1].position > position) {
        if (at < found->room) {
            found->positions[at] = found->positions[at - 1];
        }
        at--;
    }
    if (at < found->room) {
        found->positions[at] = (oh_key_position){position, kind};
    }
    found->count++;
}

static bool is_key(const oh_key_spec *spec, const oh_bytes *word)
{
    if (spec->kind == OH_KEY_PATTERN) {
        return word->length > 0 && memchr(word->bytes, '*', word->length);
    }
    return !(spec->is_unless_empty && word->length == 0);
}

/*
 * The position of the last key of a range that begins at `first`; the result may lie before `first`
 * or beyond the end.
 */
static ptrdiff_t last_of(const oh_key_spec *spec, size_t count, size_t first)
{
    ptrdiff_t begin = (ptrdiff_t)first, words = (ptrdiff_t)count;

    if (spec->last >= 0) {
        return begin + spec->last;
    }
    return begin + (words - begin) / spec->limit + spec->last;
}

/*
 * The first and the last key that begin here. If there are none, `last` is before `first`, and this
 * is not an error.
 */
static const char *span_of(const oh_key_spec *spec, const oh_bytes *words, size_t count,
    size_t begin, size_t *first, size_t *last)
{
    ptrdiff_t end;

    *first = begin + 1;
    *last = begin;
    if (spec->is_counted) {
        size_t number;

        if (begin + spec->keynum >= count || !count_of(&words[begin + spec->keynum], &number)) {
            return not_a_number;
        }
        if (number == 0) {
            return NULL;
        }
        if (number > count) {
            return beyond_the_end;
        }
        *first = begin + spec->first;
        end = (ptrdiff_t)(*first + (number - 1) * spec->step);
    } else {
        if (begin == count && spec->last == -1) {
            return NULL;
        }
        *first = begin;
        end = last_of(spec, count, begin);
    }
    if (end < (ptrdiff_t)*first || end >= (ptrdiff_t)count) {
        return beyond_the_end;
    }
    *last = (size_t)end;
    return NULL;
}

static const char *find_span(const oh_key_spec *spec, const oh_bytes *words, size_t count,
    size_t begin, found_positions *found)
{
    size_t first, last;
    const char *malformed = span_of(spec, words, count, begin, &first, &last);

    if (!malformed) {
        for (size_t at = first; at <= last; at += spec->step) {
            if (is_key(spec, &words[at])) {
                add_position(found, at, spec->kind);
            }
        }
    }
    return malformed;
}

/* How many words after this one belong to it, if it is an option of `skip`; otherwise 0. */
static size_t skipped(const oh_key_spec *spec, const oh_bytes *word)
{
    const char *name = spec->skip;

    while (name && *name) {
        const char *end = strchr(name, ' ');

        if (is_word(word, name, (size_t)(end - name))) {
            return (size_t)(end[1] - '0');
        }
        name = end + 3;
    }
    return 0;
}

static const char *find_options(
    const oh_key_spec *spec, const oh_bytes *words, size_t count, found_positions *found)
{
    const char *malformed = NULL;

    for (size_t at = spec->from; at < count && !malformed; at++) {
        if (is_word(&words[at], spec->word, strlen(spec->word))) {
            malformed = find_span(spec, words, count, at + 1, found);
            ptrdiff_t last = last_of(spec, count, at + 1);
            at = last > (ptrdiff_t)at ? (size_t)last : at;
        } else {
            at += skipped(spec, &words[at]);
        }
    }
    return malformed;
}

/*
 * The position after the keyword; 0 if it is missing. The last word cannot be the keyword: servers
 * do not compare it either.
 */
static size_t begin_of(const oh_key_spec *spec, const oh_bytes *words, size_t count)
{
    if (spec->begin == OH_BEGIN_INDEX) {
        return spec->from;
    }
    for (size_t at = spec->from; at + 1 < count; at++) {
        if (is_word(&words[at], spec->word, strlen(spec->word))) {
            return at + 1;
        }
    }
    return 0;
}

const char *oh_command_keys(const oh_command *command, const oh_bytes *words, size_t count,
    oh_key_position *positions, size_t room, size_t *found)
{
    found_positions here = {positions, room, 0};
    const char *malformed = NULL;

    for (uint8_t i = 0; i < command->keys_count && !malformed; i++) {
        const oh_key_spec *spec = &command->keys[i];
        size_t begin;

        if (spec->begin == OH_BEGIN_OPTION) {
            malformed = find_options(spec, words, count, &here);
        } else if ((begin = begin_of(spec, words, count)) != 0) {
            malformed = find_span(spec, words, count, begin, &here);
        }
    }
    *found = here.count;
    return malformed;
}

/* ---- Waiting ---- */

const oh_bytes *oh_command_timeout(const oh_command *command, const oh_bytes *words, size_t count)
{
    const oh_blocking *blocking = &command->blocking;

    if (!blocking->is_blocking) {
        return NULL;
    }
    if (!blocking->option) {
        ptrdiff_t position =
            blocking->timeout < 0 ? (ptrdiff_t)count + blocking->timeout : blocking->timeout;

        return position > 0 && position < (ptrdiff_t)count ? &words[position] : NULL;
    }
    for (size_t at = blocking->from; at + 1 < count; at++) {
        if (is_word(&words[at], blocking->until, strlen(blocking->until))) {
            break;
        }
        if (is_word(&words[at], blocking->option, strlen(blocking->option))) {
            return &words[at + 1];
        }
    }
    return NULL;
}

/* ---- Parts for several nodes ---- */

const char *oh_command_shape_of(
    const oh_command *command, const oh_bytes *words, size_t count, oh_command_shape *shape)
{
    const oh_key_spec *spec = &command->keys[0];
    size_t begin = begin_of(spec, words, count), first, last;
    const char *malformed =
        begin == 0 ? beyond_the_end : span_of(spec, words, count, begin, &first, &last);

    if (malformed) {
        return malformed;
    }
    shape->first = last < first ? begin : first;
    shape->keys = last < first ? 0 : (last - first) / spec->step + 1;
    shape->step = spec->step;
    shape->lists = spec->limit;
    shape->beyond = shape->first + shape->keys * shape->step * shape->lists;
    shape->words = count;
    shape->keynum = spec->is_counted ? begin + spec->keynum : 0;
    ptrdiff_t end = (ptrdiff_t)count + 1 + spec->last; /* Where a range of keys ends. */
    bool is_even = spec->is_counted ? shape->beyond <= count : (ptrdiff_t)shape->beyond == end;
    return is_even ? NULL : uneven;
}

/* True if a list of words, each of which ends with a space, has this word. */
static bool has_word(const char *list, const oh_bytes *word)
{
    for (const char *end; (end = strchr(list, ' ')); list = end + 1) {
        if (is_word(word, list, (size_t)(end - list))) {
            return true;
        }
    }
    return false;
}

bool oh_command_is_whole(const oh_command *command, const oh_bytes *words, size_t count)
{
    oh_command_shape shape = {.beyond = 1};

    if (!command->whole_with ||
        (command->keys_count > 0 && oh_command_shape_of(command, words, count, &shape))) {
        return false;
    }
    for (size_t at = shape.beyond; at < count; at++) {
        if (has_word(command->whole_with, &words[at])) {
            return true;
        }
    }
    return false;
}

size_t oh_command_part(const oh_command_shape *shape, const oh_bytes *words, const uint32_t *nodes,
    uint32_t node, oh_bytes *part, char number[OH_NUMBER_OF_KEYS_BYTES])
{
    size_t length = shape->first, keys = 0;

    memcpy(part, words, length * sizeof *part);
    for (size_t key = 0; key < shape->keys; key++) {
        keys += nodes[key] == node;
    }
    for (size_t list = 0; list < shape->lists; list++) {
        for (size_t key = 0; key < shape->keys; key++) {
            if (nodes[key] == node) {
                size_t group = shape->first + (list * shape->keys + key) * shape->step;

                memcpy(part + length, words + group, shape->step * sizeof *part);
                length += shape->step;
            }
        }
    }
    if (shape->keynum > 0) {
        int digits = snprintf(number, OH_NUMBER_OF_KEYS_BYTES, "%zu", keys);

        part[shape->keynum] = (oh_bytes){(const uint8_t *)number, (size_t)digits};
    }
    memcpy(part + length, words + shape->beyond, (shape->words - shape->beyond) * sizeof *part);
    return length + shape->words - shape->beyond;
}
