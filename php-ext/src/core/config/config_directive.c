/*
 * The directives: the table that is made from spec/directives.json, and what each type accepts.
 *
 * Values are text. YAML's own types do not count, as in nutcracker: `yes` is not a boolean, `0x10`
 * is not a number, and `~` is a text of one byte.
 *
 * Implements spec/config, section 6.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config_reader.h"

const oh_config_row oh_config_directives[OH_CONFIG_DIRECTIVES_COUNT] = {OH_DIRECTIVES};
_Static_assert(OH_CONFIG_DIRECTIVES_COUNT <= 64, "`seen` has a bit for each directive.");

/* The types whose values are words of a list. */
static const struct {
    const char *complaint;
    const char *words[OH_WORDS_OF_TYPE_MAX + 1]; /* NULL ends them. */
} choices[] = {OH_CHOICES};

bool oh_config_takes_text(const char *name, size_t length)
{
    int directive = oh_config_directive((oh_text){name, length});
    oh_directive_type type = directive >= 0 ? oh_config_directives[directive].type : OH_TYPE_NUMBER;

    return type == OH_TYPE_TEXT || type == OH_TYPE_PATH || type == OH_TYPE_NAME;
}

/* One value on its way into a pool. */
typedef struct {
    oh_config_reader *reader;
    oh_server_pool *pool;
    const oh_config_row *directive;
    oh_text value;
    const oh_config_value *expanded;
    size_t line;
} setting;

/* Adds an error; `hint` ends it. */
static bool fail_with(const setting *it, const char *complaint, const char *hint)
{
    oh_config_ending about = {""};

    if (!it->directive->is_hidden) {
        about = oh_config_about(it->expanded->told);
    }
    oh_config_fail(it->reader, it->line, "directive \"%s\" %s%s%s", it->directive->name, complaint,
        about.text, hint);
    return false;
}

static bool fail(const setting *it, const char *complaint)
{
    return fail_with(it, complaint, "");
}

static void *place_of(const setting *it)
{
    return (char *)it->pool + it->directive->place;
}

int oh_config_directive(oh_text name)
{
    for (int i = 0; i < OH_CONFIG_DIRECTIVES_COUNT; i++) {
        if (oh_text_is(name, oh_config_directives[i].name)) {
            return i;
        }
    }
    return -1;
}

oh_config_ending oh_config_near_directive(const oh_config_reader *reader, size_t line, oh_text name)
{
    const char *names[OH_CONFIG_DIRECTIVES_COUNT];

    for (int i = 0; i < OH_CONFIG_DIRECTIVES_COUNT; i++) {
        names[i] = oh_config_directives[i].name;
    }
    return oh_config_near(reader, line, name, names, OH_CONFIG_DIRECTIVES_COUNT);
}

void oh_config_set_defaults(oh_server_pool *pool)
{
#define X(member, value) pool->member = value;
    OH_DEFAULTS(X)
#undef X
}

/* ---- One function for each type ---- */

static bool set_number(const setting *it)
{
    int64_t number = oh_config_number(it->value);
    int64_t least = (int64_t)it->directive->least;
    int64_t most = (int64_t)it->directive->most;

    if (number == OH_CONFIG_NOT_A_NUMBER) {
        return fail(it, "is not a number");
    }
    if (number == OH_CONFIG_TOO_LARGE) {
        return fail(it, "is larger than 2147483647");
    }
    if (most == OH_NUMBER_MAX && number < least) {
        return fail(it, "is 0");
    }
    if (number < least || number > most) {
        char complaint[64];

        snprintf(complaint, sizeof complaint, "is not %d to %d", (int)least, (int)most);
        return fail(it, complaint);
    }
    *(uint32_t *)place_of(it) = (uint32_t)number;
    return true;
}

/* Stores the word with that index in the list of words of its type. */
static void keep_word(const setting *it, size_t index)
{
    void *place = place_of(it);

    switch (it->directive->type) {
    case OH_TYPE_HASH: *(oh_hash *)place = (oh_hash)index; break;
    case OH_TYPE_DISTRIBUTION: *(oh_distribution *)place = (oh_distribution)index; break;
    case OH_TYPE_READ_FROM: *(oh_read_from *)place = (oh_read_from)index; break;
    case OH_TYPE_TLS_VERIFY: *(oh_tls_verify *)place = (oh_tls_verify)index; break;
    case OH_TYPE_ENGINE: *(bool *)place = index == 1; break;
    default: *(bool *)place = index == 0; /* "true" */
    }
}

/* The value is a word of a list, or else the error says which one was probably meant. */
static bool set_word(const setting *it)
{
    const char *const *words = choices[it->directive->type].words;
    size_t count = 0;
    oh_config_ending hint = {""};
    for (; words[count]; count++) {
        if (oh_text_is(it->value, words[count])) {
            keep_word(it, count);
            return true;
        }
    }
    if (!it->expanded->has_variables) {
        hint = oh_config_near(it->reader, it->line, it->value, words, count);
    }
    return fail_with(it, choices[it->directive->type].complaint, hint.text);
}

static bool keep_text(const setting *it)
{
    oh_text copy = oh_config_copy(it->reader->arena, it->value);

    *(oh_text *)place_of(it) = copy;
    if (!copy.bytes) {
        oh_config_fail_memory(it->reader);
    }
    return copy.bytes != NULL;
}

static bool set_text(const setting *it)
{
    it->pool->is_password_in_text |= it->directive->is_secret && !it->expanded->has_variables;
    if (it->value.length > OH_TEXT_BYTES_MAX) {
        return fail(it, "is longer than 4096 bytes");
    }
    if (it->value.length > it->directive->most) {
        char complaint[64];

        snprintf(complaint, sizeof complaint, "is longer than %zu bytes", it->directive->most);
        return fail(it, complaint);
    }
    return keep_text(it);
}

/*
 * The path must be absolute: a worker has another working directory than the person who wrote the
 * file.
 */
static bool set_path(const setting *it)
{
    return it->value.bytes[0] == '/' ? set_text(it) : fail(it, "is not an absolute path");
}

/* The text may have only the characters that CLIENT SETNAME accepts. */
static bool set_name(const setting *it)
{
    for (size_t i = 0; i < it->value.length; i++) {
        if (it->value.bytes[i] < '!' || it->value.bytes[i] > '~') {
            return fail(it, "has a blank, or a byte that is not printable ASCII");
        }
    }
    return set_text(it);
}

static bool set_tag(const setting *it)
{
    if (it->value.length != sizeof it->pool->hash_tag) {
        return fail(it, "is not two bytes");
    }
    memcpy(place_of(it), it->value.bytes, it->value.length);
    return true;
}

/* ---- listen ---- */

/* nutcracker uses strtol: there may be a sign, then octal digits, and then anything. */
static bool is_mode(const char *text, size_t length)
{
    bool is_negative = length > 0 && text[0] == '-';
    size_t i = length > 0 && (text[0] == '-' || text[0] == '+');
    unsigned mode = 0;

    for (; i < length && text[i] >= '0' && text[i] <= '7'; i++) {
        mode = mode > OH_FILE_MODE_MAX ? mode : mode * 8 + (unsigned)(text[i] - '0');
    }
    return is_negative ? mode == 0 : mode <= OH_FILE_MODE_MAX;
}

static bool check_listen_path(const setting *it)
{
    size_t end = it->value.length;

    while (end > 0 && it->value.bytes[end - 1] != ' ') {
        end--;
    }
    bool has_mode = end > 0;
    size_t path_length = has_mode ? end - 1 : it->value.length;
    if (path_length > OH_UNIX_PATH_BYTES_MAX) {
        return fail(it, "has a path longer than 107 bytes");
    }
    if (has_mode && !is_mode(it->value.bytes + end, it->value.length - end)) {
        return fail(it, "has an invalid mode");
    }
    return true;
}

static bool check_listen_host(const setting *it)
{
    size_t end = it->value.length;

    while (end > 0 && it->value.bytes[end - 1] != ':') {
        end--;
    }
    if (end < 2) {
        return fail(it, "is not \"host:port\" or \"/path mode\"");
    }
    int64_t port = oh_config_number((oh_text){it->value.bytes + end, it->value.length - end});
    return (port >= 1 && port <= OH_PORT_MAX) || fail(it, "has an invalid port");
}

static bool set_listen(const setting *it)
{
    if (!(it->value.bytes[0] == '/' ? check_listen_path(it) : check_listen_host(it))) {
        return false;
    }
    for (size_t i = 0; i < it->reader->pools_count; i++) {
        const oh_server_pool *other = it->reader->pools[i];

        if (other != it->pool && other->listen.bytes && oh_text_is_same(it->value, other->listen)) {
            char complaint[sizeof "is the same as in server pool \"\"" + sizeof(oh_config_shown)];

            snprintf(complaint, sizeof complaint, "is the same as in server pool \"%s\"",
                oh_config_show(other->name).text);
            return fail(it, complaint);
        }
    }
    return keep_text(it);
}

/* ---- All together ---- */

void oh_config_set(oh_config_reader *reader, oh_server_pool *pool, const oh_config_spelled *spelled)
{
    static bool (*const set[])(const setting *) = {
        [OH_TYPE_NUMBER] = set_number,
        [OH_TYPE_BOOLEAN] = set_word,
        [OH_TYPE_TEXT] = set_text,
        [OH_TYPE_PATH] = set_path,
        [OH_TYPE_NAME] = set_name,
        [OH_TYPE_LISTEN] = set_listen,
        [OH_TYPE_TAG] = set_tag,
        [OH_TYPE_HASH] = set_word,
        [OH_TYPE_DISTRIBUTION] = set_word,
        [OH_TYPE_ENGINE] = set_word,
        [OH_TYPE_READ_FROM] = set_word,
        [OH_TYPE_TLS_VERIFY] = set_word,
    };
    const oh_config_row *row = &oh_config_directives[spelled->directive];
    char subject[64];
    snprintf(subject, sizeof subject, "directive \"%s\"", row->name);
    oh_config_value value = oh_config_expand(reader, spelled, subject);
    if (value.text.bytes) {
        setting it = {reader, pool, row, value.text, &value, spelled->line};

        if (set[row->type](&it) && row->has != 0) {
            *(bool *)((char *)pool + row->has) = true;
        }
    }
}
