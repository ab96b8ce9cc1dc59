/*
 * From a learnt command to its row, and the other answers of nodes: keys that they find, and
 * commands that they deny.
 */
#include "core/command/learnt.h"

#include <string.h>

#include "core/generated/messages.h"
#include "core/resp/value.h"

/* ---- Out of shared memory ---- */

static bool is_name(const char *name)
{
    return memchr(name, '\0', OH_COMMAND_NAME_BYTES) != NULL;
}

static bool is_valid_spec(const oh_learnt_spec *spec)
{
    bool has_word = spec->word[0] != '\0';

    return spec->begin <= OH_BEGIN_KEYWORD && has_word == (spec->begin == OH_BEGIN_KEYWORD) &&
           memchr(spec->word, '\0', sizeof spec->word) && spec->kind <= OH_KEY_CHANNEL &&
           spec->from > 0 && spec->is_counted <= 1 && spec->step > 0 && spec->limit > 0;
}

bool oh_learnt_is_valid(const oh_learnt *learnt)
{
    bool is_refused = learnt->refusal != OH_LEARNT_SERVED,
         has_keys = learnt->specs_count > 0 || learnt->asks_keys;

    if (learnt->kind > OH_LEARNT_ROW || learnt->refusal > OH_LEARNT_OF_INDEX ||
        learnt->access > OH_ACCESS_WRITE || learnt->merge > OH_MERGE_PER_NODE ||
        learnt->is_retryable > 1 || learnt->asks_keys > 1 || learnt->is_unshared > 1 ||
        learnt->specs_count > OH_LEARNT_SPECS_MAX || !is_name(learnt->name) ||
        !is_name(learnt->known_as)) {
        return false;
    }
    for (uint8_t i = 0; i < learnt->specs_count; i++) {
        if (!is_valid_spec(&learnt->specs[i])) {
            return false;
        }
    }
    if (learnt->kind == OH_LEARNT_RENAMED) {
        return oh_command_named(learnt->known_as, strlen(learnt->known_as)) != NULL;
    }
    return learnt->kind == OH_LEARNT_UNKNOWN ||
           (is_refused ? learnt->spread == OH_SPREAD_REFUSED
                       : learnt->spread == (has_keys ? OH_SPREAD_ONE_NODE : OH_SPREAD_ALL_NODES));
}

/* ---- Its row ---- */

static const char *reason_of(uint8_t refusal)
{
    switch (refusal) {
    case OH_LEARNT_OF_CONNECTION: return OH_REASON_LEARNT_CONNECTION;
    case OH_LEARNT_BLOCKING: return OH_REASON_LEARNT_BLOCKING;
    case OH_LEARNT_WITHOUT_KEY: return OH_REASON_LEARNT_WITHOUT_KEY;
    case OH_LEARNT_OF_INDEX: return OH_REASON_LEARNT_INDEX;
    default: return NULL;
    }
}

static oh_key_spec open_spec(const oh_learnt_spec *spec)
{
    return (oh_key_spec){.begin = (oh_begin)spec->begin,
        .word = spec->word,
        .from = spec->from,
        .is_counted = spec->is_counted,
        .keynum = spec->keynum,
        .first = spec->first,
        .last = spec->last,
        .step = spec->step,
        .limit = spec->limit,
        .kind = (oh_key_kind)spec->kind};
}

void oh_learnt_open(oh_learnt_row *row, const oh_learnt *learnt)
{
    row->learnt = *learnt;
    for (uint8_t i = 0; i < learnt->specs_count; i++) {
        row->specs[i] = open_spec(&row->learnt.specs[i]);
    }
    row->command = (oh_command){.name = row->learnt.name,
        .spread = (oh_spread)learnt->spread,
        .merge = (oh_merge)learnt->merge,
        .access = (oh_access)learnt->access,
        .is_retryable = learnt->is_retryable,
        .keys = row->specs,
        .keys_count = learnt->specs_count,
        .reason = reason_of(learnt->refusal)};
}

const oh_command *oh_learnt_known_as(const oh_learnt *learnt, const oh_bytes *words, size_t count)
{
    const oh_bytes known[2] = {{(const uint8_t *)learnt->known_as, strlen(learnt->known_as)},
        count > 1 ? words[1] : (oh_bytes){NULL, 0}};

    return oh_command_find(known, count > 1 ? 2 : 1);
}

/* ---- Keys that the node finds ---- */

static bool is_same(const oh_bytes *word, oh_text key)
{
    return oh_text_is_same(oh_bytes_text(*word), key);
}

/*
 * The position of this key: the first one behind `after`, else the first one; 0 if there is none.
 */
static size_t find_word(const oh_bytes *words, size_t count, size_t after, oh_text key)
{
    for (size_t at = after + 1; at < count; at++) {
        if (is_same(&words[at], key)) {
            return at;
        }
    }
    for (size_t at = 1; at <= after; at++) {
        if (is_same(&words[at], key)) {
            return at;
        }
    }
    return 0;
}

oh_learnt_answer oh_learnt_find_keys(
    oh_bytes reply, const oh_bytes *words, size_t count, oh_key_position *positions, size_t *found)
{
    oh_values values = oh_values_of(reply.bytes, reply.length);
    size_t keys_count, at = 0;
    oh_text key;

    *found = 0;
    if (oh_value_begins_error(reply.bytes, reply.length)) {
        return OH_LEARNT_ERROR;
    }
    if (!oh_value_take_list(&values, &keys_count) || keys_count > count) {
        return OH_LEARNT_UNREADABLE;
    }
    while (*found < keys_count) {
        if (!oh_value_take_text(&values, &key) || (at = find_word(words, count, at, key)) == 0) {
            return OH_LEARNT_UNREADABLE;
        }
        positions[(*found)++] = (oh_key_position){at, OH_KEY_PLAIN};
    }
    return OH_LEARNT_READ;
}

/* ---- Denials ---- */

/* Servers quote the name by ' or, before redis 7, by `. A name that they cut cannot be found. */
bool oh_learnt_is_denied(oh_text error, char name[OH_COMMAND_NAME_BYTES])
{
    static const char beginning[] = "ERR unknown command ";
    size_t from = sizeof beginning;

    if (!oh_text_begins(error, beginning) || error.length <= from) {
        return false;
    }
    const char *end = memchr(error.bytes + from, error.bytes[from - 1], error.length - from);
    const oh_bytes word = {
        (const uint8_t *)error.bytes + from, end ? (size_t)(end - error.bytes) - from : 0};

    return oh_command_name(name, &word, 1);
}
