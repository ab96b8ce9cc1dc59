/*
 * Reads spec/ with jansson. The Makefile defines SPEC, the path of that directory. A pool is built
 * as config would: names in order, and weights that do not overflow.
 */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void *give_up(const char *what, const char *which)
{
    printf("Cannot go on: %s: %s\n", what, which);
    exit(2);
}

static void *take(size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);
    return memory ? memory : give_up("no memory", "");
}

/* ---- Pages ---- */

json_t *vectors_load(const char *path)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s/%s", SPEC, path);
    json_error_t error;
    json_t *page = json_load_file(whole, JSON_ALLOW_NUL, &error);
    return page ? page : give_up(whole, error.text);
}

const char *vectors_string(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    return text ? text : give_up("no such text", field);
}

uint32_t vectors_number(const json_t *object, const char *field)
{
    const json_t *number = json_object_get(object, field);
    if (!json_is_integer(number)) {
        give_up("no such number", field);
    }
    return (uint32_t)json_integer_value(number);
}

bool vectors_is(const json_t *group, const char *type)
{
    return strcmp(vectors_string(group, "type"), type) == 0;
}

void vectors_begin(const char *kind, const json_t *test)
{
    const char *comment = json_string_value(json_object_get(test, "comment"));
    test_begin("%s %u: %s", kind, vectors_number(test, "tcId"), comment ? comment : "");
}

void vectors_run(const char *path, const char *type, void (*run)(const json_t *test))
{
    json_t *page = vectors_load(path);
    json_t *group;
    json_t *test;
    bool has_one = false;
    EACH_GROUP(page, group)
    {
        if (!vectors_is(group, type)) {
            continue;
        }
        EACH_TEST(group, test)
        {
            vectors_begin(type, test);
            run(test);
            has_one = true;
        }
    }
    if (!has_one) {
        give_up(path, type);
    }
    json_decref(page);
}

/* ---- Bytes ---- */

static uint8_t digit_of(char digit)
{
    const char *place = digit != '\0' ? strchr("0123456789abcdef", digit) : NULL;
    return (uint8_t)(place ? place - "0123456789abcdef" : 0);
}

bytes bytes_of_hex(const char *hex)
{
    bytes it = {take(strlen(hex) / 2), strlen(hex) / 2};
    for (size_t i = 0; i < it.length; i++) {
        it.bytes[i] = (uint8_t)(digit_of(hex[2 * i]) << 4 | digit_of(hex[2 * i + 1]));
    }
    return it;
}

bytes bytes_of_field(const json_t *object, const char *field)
{
    return bytes_of_hex(vectors_string(object, field));
}

bytes bytes_of_text(const char *text, size_t length)
{
    bytes it = {take(length), length};
    if (length > 0) {
        memcpy(it.bytes, text, length);
    }
    return it;
}

/* A growing array of bytes. */
typedef struct {
    uint8_t *bytes;
    size_t length;
    size_t room;
} pile;

static void append(pile *to, const void *from, size_t length)
{
    if (to->room - to->length < length) {
        to->room = 2 * to->room + length;
        to->bytes = realloc(to->bytes, to->room);
    }
    if (!to->bytes) {
        give_up("no memory", "");
    }
    memcpy(to->bytes + to->length, from, length);
    to->length += length;
}

static bytes fitted(pile loose)
{
    bytes it = bytes_of_text((const char *)loose.bytes, loose.length);
    free(loose.bytes);
    return it;
}

bytes bytes_of_hex_parts(const json_t *parts)
{
    pile it = {NULL, 0, 0};
    size_t place;
    json_t *part;
    json_array_foreach(parts, place, part)
    {
        bytes unit = bytes_of_hex(json_string_value(json_array_get(part, 0)));
        for (json_int_t i = 0; i < json_integer_value(json_array_get(part, 1)); i++) {
            append(&it, unit.bytes, unit.length);
        }
        free(unit.bytes);
    }
    return fitted(it);
}

static void append_counted(pile *to, const char *text, json_int_t number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, number);
    for (const char *mark = strstr(text, "{n}"); mark != NULL; mark = strstr(text, "{n}")) {
        append(to, text, (size_t)(mark - text));
        append(to, digits, (size_t)length);
        text = mark + strlen("{n}");
    }
    append(to, text, strlen(text));
}

static bytes bytes_of_text_parts(const json_t *parts)
{
    pile it = {NULL, 0, 0};
    size_t place;
    json_t *part;
    json_array_foreach(parts, place, part)
    {
        for (json_int_t i = 0; i < json_integer_value(json_array_get(part, 1)); i++) {
            append_counted(&it, json_string_value(json_array_get(part, 0)), i);
        }
    }
    return fitted(it);
}

/* ---- The cases of chapter config ---- */

/* The whole file, which has no NUL, as a string. The caller frees it. */
static char *text_of_file(const char *path)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s/%s", SPEC, path);
    FILE *file = fopen(whole, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        give_up("no such file", whole);
    }
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = take(length + 1);
    if (fread(text, 1, length, file) != length) {
        give_up("cannot read", whole);
    }
    fclose(file);
    text[length] = '\0';
    return text;
}

/* Adds the case that reaches from its name to `end`, as its head with the field "text". */
static void add_case(json_t *cases, char *from, const char *end)
{
    char *head = strchr(from, '\n');
    char *text = strstr(from, "\n\n");
    if (!head || !text || text >= end) {
        give_up("no head and empty line", from);
    }
    *head++ = '\0';
    json_t *it = json_loadb(head, (size_t)(text - head), 0, NULL);
    text += strlen("\n\n");
    if (json_object_set_new(it, "text", json_stringn(text, (size_t)(end - text))) != 0 ||
        json_object_set_new(cases, from, it) != 0) {
        give_up("no JSON in the head of", from);
    }
}

json_t *vectors_cases(const char *path)
{
    static const char beginning[] = "\n=== ";
    char *file = text_of_file(path);
    json_t *cases = json_object();
    char *next = strstr(file, beginning);
    while (next) {
        char *from = next + strlen(beginning);
        next = strstr(from, beginning);
        add_case(cases, from, next ? next + 1 : from + strlen(from));
    }
    free(file);
    return json_object_size(cases) > 0 ? cases : give_up("no cases", path);
}

/* Replaces each stand-in in the text by its bytes. */
static bytes put_in(bytes text, const char *stand_in, const char *hex)
{
    pile it = {NULL, 0, 0};
    size_t length = strlen(stand_in);
    bytes unit = bytes_of_hex(hex);
    for (size_t i = 0; i < text.length;) {
        bool is_there = text.length - i >= length && memcmp(text.bytes + i, stand_in, length) == 0;
        append(&it, is_there ? unit.bytes : text.bytes + i, is_there ? unit.length : 1);
        i += is_there ? length : 1;
    }
    free(unit.bytes);
    free(text.bytes);
    return fitted(it);
}

bytes bytes_of_case(const json_t *it)
{
    const json_t *built = json_object_get(it, "built");
    if (built) {
        return bytes_of_text_parts(built);
    }
    const json_t *text = json_object_get(it, "text");
    bytes result = bytes_of_text(json_string_value(text), json_string_length(text));
    const char *stand_in;
    json_t *hex;
    json_object_foreach(json_object_get(it, "bytes"), stand_in, hex)
    {
        result = put_in(result, stand_in, json_string_value(hex));
    }
    return result;
}

bool bytes_equal(bytes a, const void *b, size_t length)
{
    return a.length == length && (length == 0 || memcmp(a.bytes, b, length) == 0);
}

/* ---- Configurations, topologies, random numbers ---- */

oh_config *config_of(const char *text)
{
    oh_config *config;
    oh_config_errors errors;
    if (!oh_config_parse(text, strlen(text), getenv, &config, &errors)) {
        give_up(text, errors.list[0].reason);
    }
    return config;
}

oh_topology *topology_of(const oh_server_pool *pool, const bool *ejected)
{
    size_t size = oh_topology_size(pool);
    void *memory = take(size);
    if (!oh_topology_build(pool, ejected, memory, size)) {
        give_up("no topology of", pool->name.bytes);
    }
    return memory;
}

#define NAME_BYTES 24

oh_server_pool pool_of(size_t count)
{
    oh_server_pool pool = {
        .name = {"made", 4}, .hash = OH_HASH_FNV1A_64, .distribution = OH_KETAMA};
    pool.servers = calloc(count, sizeof *pool.servers);
    pool.servers_count = count;
    for (size_t i = 0; i < count; i++) {
        char *name = malloc(NAME_BYTES);
        int length = snprintf(name, NAME_BYTES, "n%zu", i);
        oh_text text = {name, (size_t)length};
        pool.servers[i] = (oh_server){.name = text, .host = text, .port = 6379, .weight = 1};
    }
    return pool;
}

void pool_free(oh_server_pool *pool)
{
    for (size_t i = 0; i < pool->servers_count; i++) {
        free((char *)(uintptr_t)pool->servers[i].name.bytes);
    }
    free(pool->servers);
}

uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

bytes bytes_of_latin(const json_t *text)
{
    const unsigned char *at = (const unsigned char *)json_string_value(text);
    const unsigned char *end = at + json_string_length(text);
    bytes it = {malloc(json_string_length(text) + 1), 0};
    while (at < end) {
        unsigned wide = *at++;
        if (wide >= 0x80) {
            wide = (wide & 0x1f) << 6 | (*at++ & 0x3f);
        }
        it.bytes[it.length++] = (uint8_t)wide;
    }
    it.bytes = realloc(it.bytes, it.length > 0 ? it.length : 1);
    return it;
}
