/*
 * Reads descriptions of commands. A description is a list, longer with each version of the servers:
 *
 *     name, arity, flags, first key, last key, step      before redis 6
 *     ... ACL categories                                  redis 6
 *     ... tips, key specifications, subcommands           redis 7
 */
#include "core/command/learnt.h"

#include <string.h>

#include "core/resp/value.h"

typedef enum told_field {
    TOLD_NAME,
    TOLD_ARITY,
    TOLD_FLAGS,
    TOLD_FIRST,
    TOLD_LAST,
    TOLD_STEP,
    TOLD_CATEGORIES,
    TOLD_TIPS,
    TOLD_SPECS,
    TOLD_CHILDREN,
    TOLD_FIELDS
} told_field;

/* Where the fields of a description are. */
typedef struct description {
    oh_values fields[TOLD_FIELDS];
    size_t count; /* How many fields it has, without those that this file does not know. */
} description;

/* ---- Lists and maps ---- */

static bool is_list_of_texts(oh_values values)
{
    size_t count;
    oh_text text;

    if (!oh_value_take_list(&values, &count)) {
        return false;
    }
    while (count > 0 && oh_value_take_text(&values, &text)) {
        count--;
    }
    return count == 0;
}

/* The first text of a list that begins with `beginning`; without bytes if there is none. */
static oh_text text_of(oh_values values, const char *beginning)
{
    size_t count;
    oh_text text;

    for (oh_value_take_list(&values, &count); count > 0; count--) {
        if (oh_value_take_text(&values, &text) && oh_text_begins(text, beginning)) {
            return text;
        }
    }
    return (oh_text){NULL, 0};
}

static bool has_text(oh_values values, const char *wanted)
{
    size_t count;
    oh_text text;

    for (oh_value_take_list(&values, &count); count > 0; count--) {
        if (oh_value_take_text(&values, &text) && oh_text_is(text, wanted)) {
            return true;
        }
    }
    return false;
}

/* Finds a value in a map by its name. A map is a flat list. False if there is none. */
static bool find_in_map(oh_values values, const char *name, oh_values *value)
{
    size_t count;
    oh_text text;

    for (oh_value_take_list(&values, &count); count > 1; count -= 2) {
        if (!oh_value_take_text(&values, &text)) {
            return false;
        }
        if (oh_text_is(text, name)) {
            *value = values;
            return true;
        }
        if (!oh_value_skip(&values)) {
            return false;
        }
    }
    return false;
}

/* Finds the number that a map has under this name. False if it is not within these bounds. */
static bool number_in_map(
    oh_values map, const char *name, int64_t least, int64_t most, int64_t *number)
{
    oh_values values;
    oh_value value;

    if (!find_in_map(map, name, &values) || !oh_value_take(&values, &value) ||
        value.kind != OH_VALUE_NUMBER || value.number < least || value.number > most) {
        return false;
    }
    *number = value.number;
    return true;
}

static bool text_in_map(oh_values map, const char *name, oh_text *text)
{
    oh_values values;

    return find_in_map(map, name, &values) && oh_value_take_text(&values, text);
}

/* ---- The fields ---- */

static bool is_number(oh_values values)
{
    return oh_value_is_number_next(&values);
}

static int64_t number_of(oh_values values)
{
    oh_value value;

    return oh_value_take(&values, &value) && value.kind == OH_VALUE_NUMBER ? value.number : 0;
}

/* Takes a description. False if it has another form. */
static bool take_told(oh_values *values, description *told)
{
    size_t count;
    oh_text name;

    memset(told, 0, sizeof *told);
    if (!oh_value_take_list(values, &count) || count <= TOLD_STEP) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (i < TOLD_FIELDS) {
            told->fields[told->count++] = *values;
        }
        if (!oh_value_skip(values)) {
            return false;
        }
    }
    oh_values named = told->fields[TOLD_NAME];
    return oh_value_take_text(&named, &name) && is_list_of_texts(told->fields[TOLD_FLAGS]) &&
           is_number(told->fields[TOLD_FIRST]) && is_number(told->fields[TOLD_LAST]) &&
           is_number(told->fields[TOLD_STEP]) &&
           (told->count <= TOLD_CATEGORIES || is_list_of_texts(told->fields[TOLD_CATEGORIES])) &&
           (told->count <= TOLD_TIPS || is_list_of_texts(told->fields[TOLD_TIPS]));
}

/* The name in small letters. False if no command can have it. */
static bool name_of(const description *told, char name[OH_COMMAND_NAME_BYTES])
{
    oh_values values = told->fields[TOLD_NAME];
    oh_text text = {NULL, 0};
    oh_bytes words[2];

    oh_value_take_text(&values, &text);
    const char *bar = text.length ? memchr(text.bytes, '|', text.length) : NULL;
    if (!bar) {
        words[0] = oh_text_bytes(text);
        return oh_command_name(name, words, 1);
    }
    words[0] = oh_text_bytes((oh_text){text.bytes, (size_t)(bar - text.bytes)});
    words[1] = oh_text_bytes((oh_text){bar + 1, text.length - words[0].length - 1});
    return oh_command_name(name, words, 2);
}

static size_t children_of(const description *told, oh_values *children)
{
    size_t count = 0;

    if (told->count > TOLD_CHILDREN) {
        *children = told->fields[TOLD_CHILDREN];
        oh_value_take_list(children, &count);
    }
    return count;
}

/* ---- Keys ---- */

/* The begin_search of a specification. False if only the node understands it. */
static bool read_begin(oh_values map, oh_learnt_spec *spec)
{
    oh_values search, details;
    oh_text type, word;
    int64_t number;

    if (!find_in_map(map, "begin_search", &search) || !text_in_map(search, "type", &type) ||
        !find_in_map(search, "spec", &details)) {
        return false;
    }
    if (oh_text_is(type, "index") && number_in_map(details, "index", 1, UINT8_MAX, &number)) {
        spec->begin = OH_BEGIN_INDEX;
        spec->from = (uint8_t)number;
        return true;
    }
    if (!oh_text_is(type, "keyword") || !text_in_map(details, "keyword", &word) ||
        word.length == 0 || word.length >= sizeof spec->word ||
        !number_in_map(details, "startfrom", 1, UINT8_MAX, &number)) {
        return false;
    }
    for (size_t i = 0; i < word.length; i++) {
        char byte = word.bytes[i];

        spec->word[i] = (char)(byte >= 'a' && byte <= 'z' ? byte - ('a' - 'A') : byte);
    }
    spec->begin = OH_BEGIN_KEYWORD;
    spec->from = (uint8_t)number;
    return true;
}

/* The find_keys of a specification. False if only the node understands it. */
static bool read_span(oh_values map, oh_learnt_spec *spec)
{
    oh_values find, details;
    oh_text type;
    int64_t one, step, other;

    if (!find_in_map(map, "find_keys", &find) || !text_in_map(find, "type", &type) ||
        !find_in_map(find, "spec", &details) ||
        !number_in_map(details, "keystep", 1, UINT8_MAX, &step)) {
        return false;
    }
    spec->step = (uint8_t)step;
    spec->limit = 1;
    if (oh_text_is(type, "range") && number_in_map(details, "lastkey", INT8_MIN, INT8_MAX, &one) &&
        number_in_map(details, "limit", 0, UINT8_MAX, &other)) {
        spec->last = (int8_t)one;
        spec->limit = (uint8_t)(other > 1 ? other : 1);
        return true;
    }
    if (!oh_text_is(type, "keynum") || !number_in_map(details, "keynumidx", 0, UINT8_MAX, &one) ||
        !number_in_map(details, "firstkey", 0, UINT8_MAX, &other)) {
        return false;
    }
    spec->is_counted = true;
    spec->keynum = (uint8_t)one;
    spec->first = (uint8_t)other;
    return true;
}

static bool read_spec(oh_values map, oh_learnt_spec *spec)
{
    oh_values flags;
    bool has_flags = find_in_map(map, "flags", &flags);

    if (has_flags && has_text(flags, "incomplete")) {
        return false;
    }
    spec->kind = has_flags && has_text(flags, "not_key") ? OH_KEY_CHANNEL : OH_KEY_PLAIN;
    return read_begin(map, spec) && read_span(map, spec);
}

/* First, last and step, as servers before 7 have them; `last` counts from the command's name. */
static bool read_range(const description *told, oh_learnt *learnt)
{
    int64_t first = number_of(told->fields[TOLD_FIRST]), last = number_of(told->fields[TOLD_LAST]),
            step = number_of(told->fields[TOLD_STEP]), span = last < 0 ? last : last - first;

    if (first == 0) {
        return true;
    }
    if (first < 0 || first > UINT8_MAX || step < 1 || step > UINT8_MAX || span < INT8_MIN ||
        span > INT8_MAX || (last >= 0 && span < 0)) {
        return false;
    }
    learnt->specs_count = 1;
    learnt->specs[0] = (oh_learnt_spec){.begin = OH_BEGIN_INDEX,
        .from = (uint8_t)first,
        .last = (int8_t)span,
        .step = (uint8_t)step,
        .limit = 1};
    return true;
}

/*
 * False if a specification is not understood. `is_explained`: a specification says why the keys are
 * at different positions in different calls.
 */
static bool read_specs(oh_values values, oh_learnt *learnt, bool *is_explained)
{
    size_t count;

    if (!oh_value_take_list(&values, &count) || count > OH_LEARNT_SPECS_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        oh_learnt_spec *spec = &learnt->specs[i];

        if (!read_spec(values, spec) || !oh_value_skip(&values)) {
            return false;
        }
        *is_explained |= spec->begin != OH_BEGIN_INDEX || spec->is_counted;
    }
    learnt->specs_count = (uint8_t)count;
    return true;
}

static void read_keys(const description *told, oh_learnt *learnt)
{
    bool is_explained = false,
         is_read = told->count > TOLD_SPECS
                       ? read_specs(told->fields[TOLD_SPECS], learnt, &is_explained)
                       : read_range(told, learnt);

    learnt->asks_keys =
        !is_read || (!is_explained && has_text(told->fields[TOLD_FLAGS], "movablekeys"));
    if (learnt->asks_keys) {
        learnt->specs_count = 0;
        memset(learnt->specs, 0, sizeof learnt->specs);
    }
}

/* ---- The row ---- */

static oh_merge merge_of(const description *told)
{
    static const struct {
        const char *policy;
        oh_merge merge;
    } merges[] = {{"response_policy:agg_sum", OH_MERGE_SUM},
        {"response_policy:agg_min", OH_MERGE_MIN}, {"response_policy:agg_max", OH_MERGE_MAX},
        {"response_policy:agg_logical_and", OH_MERGE_AND},
        {"response_policy:all_succeeded", OH_MERGE_ALL_OK},
        {"response_policy:one_succeeded", OH_MERGE_ONE_OK}};
    oh_text policy = text_of(told->fields[TOLD_TIPS], "response_policy:");

    for (size_t i = 0; i < sizeof merges / sizeof *merges; i++) {
        if (policy.length && oh_text_is(policy, merges[i].policy)) {
            return merges[i].merge;
        }
    }
    return OH_MERGE_PER_NODE;
}

static bool is_for_all_nodes(const description *told)
{
    return told->count > TOLD_TIPS &&
           (has_text(told->fields[TOLD_TIPS], "request_policy:all_nodes") ||
               has_text(told->fields[TOLD_TIPS], "request_policy:all_shards"));
}

/* True if the flags or the ACL categories have one of these. */
static bool has_any(
    const description *told, const char *const *flags, const char *const *categories)
{
    for (; *flags; flags++) {
        if (has_text(told->fields[TOLD_FLAGS], *flags)) {
            return true;
        }
    }
    for (; told->count > TOLD_CATEGORIES && *categories; categories++) {
        if (has_text(told->fields[TOLD_CATEGORIES], *categories)) {
            return true;
        }
    }
    return false;
}

static oh_learnt_refusal refusal_of(const description *told, const oh_learnt *learnt)
{
    static const char *const of_connection[] = {"pubsub", NULL}, *const of_connections[] = {
                                                                     "@connection", "@transaction",
                                                                     "@pubsub", NULL};
    static const char *const blocking[] = {"blocking", NULL}, *const waiting[] = {
                                                                  "@blocking", NULL};

    if (has_any(told, of_connection, of_connections)) {
        return OH_LEARNT_OF_CONNECTION;
    }
    if (has_any(told, blocking, waiting)) {
        return OH_LEARNT_BLOCKING;
    }
    return learnt->specs_count || learnt->asks_keys || is_for_all_nodes(told)
               ? OH_LEARNT_SERVED
               : OH_LEARNT_WITHOUT_KEY;
}

static bool has_categories(const description *told)
{
    oh_values categories = told->fields[TOLD_CATEGORIES];
    size_t count = 0;

    if (told->count > TOLD_CATEGORIES) {
        oh_value_take_list(&categories, &count);
    }
    return count > 0;
}

static void make_row(const description *told, oh_learnt *learnt)
{
    bool reads = has_text(told->fields[TOLD_FLAGS], "readonly"),
         is_about_data = reads || has_text(told->fields[TOLD_FLAGS], "write");

    read_keys(told, learnt);
    bool has_keys = learnt->specs_count || learnt->asks_keys;
    learnt->kind = OH_LEARNT_ROW;
    learnt->refusal = (uint8_t)refusal_of(told, learnt);
    learnt->access = reads ? OH_ACCESS_READ : OH_ACCESS_WRITE;
    learnt->is_retryable = reads;
    learnt->is_unshared = !is_about_data && !has_categories(told);
    if (learnt->refusal != OH_LEARNT_SERVED) {
        learnt->spread = OH_SPREAD_REFUSED;
        learnt->is_retryable = false;
    } else if (has_keys) {
        learnt->spread = OH_SPREAD_ONE_NODE;
    } else {
        learnt->spread = OH_SPREAD_ALL_NODES;
        learnt->merge = (uint8_t)merge_of(told);
    }
}

static void make_container(oh_learnt *learnt)
{
    learnt->kind = OH_LEARNT_CONTAINER;
    learnt->spread = OH_SPREAD_REFUSED;
    learnt->refusal = OH_LEARNT_WITHOUT_KEY;
}

/* ---- The answer ---- */

/* Looks for this subcommand. If it is missing, the node does not have the command. */
static bool read_child(const description *told, const oh_bytes *words, oh_learnt *learnt)
{
    char own[OH_COMMAND_NAME_BYTES], wanted[OH_COMMAND_NAME_BYTES], name[OH_COMMAND_NAME_BYTES];
    description child;
    oh_values children;
    size_t count = children_of(told, &children);

    if (!name_of(told, own)) {
        return false;
    }
    const oh_bytes both[2] = {{(const uint8_t *)own, strlen(own)}, words[1]};
    bool can_be = oh_command_name(wanted, both, 2);
    for (; count > 0; count--) {
        if (!take_told(&children, &child)) {
            return false;
        }
        if (can_be && name_of(&child, name) && strcmp(name, wanted) == 0) {
            make_row(&child, learnt);
            return true;
        }
    }
    learnt->kind = OH_LEARNT_UNKNOWN;
    return true;
}

oh_learnt_answer oh_learnt_read(
    oh_bytes reply, const oh_bytes *words, size_t count, oh_learnt *learnt)
{
    oh_values values = oh_values_of(reply.bytes, reply.length), children;
    char asked[OH_COMMAND_NAME_BYTES];
    size_t elements;
    oh_value head;
    description told;

    memset(learnt, 0, sizeof *learnt);
    if (oh_value_begins_error(reply.bytes, reply.length)) {
        return OH_LEARNT_ERROR;
    }
    if (!oh_command_name(learnt->name, words, count) || !oh_command_name(asked, words, 1) ||
        !oh_value_take_list(&values, &elements) || elements != 1) {
        return OH_LEARNT_UNREADABLE;
    }
    oh_values first = values;
    if (oh_value_take(&first, &head) && head.kind == OH_VALUE_NIL) {
        return OH_LEARNT_READ;
    }
    if (!take_told(&values, &told) || !name_of(&told, learnt->known_as)) {
        return OH_LEARNT_UNREADABLE;
    }
    const oh_command *known = oh_command_named(learnt->known_as, strlen(learnt->known_as));
    if (strcmp(asked, learnt->known_as) != 0 && known && !known->is_ssdb) {
        learnt->kind = OH_LEARNT_RENAMED;
        return OH_LEARNT_READ;
    }
    memset(learnt->known_as, 0, sizeof learnt->known_as);
    if (count > 1) {
        return read_child(&told, words, learnt) ? OH_LEARNT_READ : OH_LEARNT_UNREADABLE;
    }
    if (children_of(&told, &children) > 0) {
        make_container(learnt);
    } else {
        make_row(&told, learnt);
    }
    return OH_LEARNT_READ;
}

bool oh_learnt_is_refused(const char *name, oh_learnt *learnt)
{
    if (strncmp(name, "ft.", 3) != 0 || strncmp(name, "ft.sug", 6) == 0) {
        return false;
    }
    memset(learnt, 0, sizeof *learnt);
    memcpy(learnt->name, name, strlen(name));
    learnt->kind = OH_LEARNT_ROW;
    learnt->spread = OH_SPREAD_REFUSED;
    learnt->refusal = OH_LEARNT_OF_INDEX;
    return true;
}
