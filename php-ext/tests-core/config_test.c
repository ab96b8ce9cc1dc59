/*
 * Configurations: every case of spec/config, every good file cut at every byte, and texts that
 * could take very long to parse.
 */
#include "core/config/config_reader.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/generated/limits.h"
#include "vectors.h"

/* ---- Cases ---- */

/* The variables of the case that is being tested, or NULL. */
static const json_t *environment;

static char *variable(const char *name)
{
    return (char *)json_string_value(json_object_get(environment, name));
}

static bool parse(bytes text, oh_config **config, oh_config_errors *errors)
{
    return oh_config_parse((const char *)text.bytes, text.length, variable, config, errors);
}

static bool equals(oh_text text, const json_t *expected)
{
    return text.length == json_string_length(expected) &&
           memcmp(text.bytes, json_string_value(expected), text.length) == 0;
}

static const char *text_of(const json_t *directives, const char *name)
{
    const json_t *value = json_object_get(directives, name);
    return value ? json_string_value(value) : "";
}

static bool same_text(oh_text text, const json_t *value)
{
    return value ? equals(text, value) : text.bytes == NULL;
}

/* The word of a file that stands for the value of an enum. */
static const char *word_of(const oh_config_row *row, const void *place)
{
    switch (row->type) {
    case OH_TYPE_HASH: return oh_hash_name(*(const oh_hash *)place);
    case OH_TYPE_DISTRIBUTION: return oh_distribution_name(*(const oh_distribution *)place);
    case OH_TYPE_READ_FROM: return oh_read_from_name(*(const oh_read_from *)place);
    case OH_TYPE_TLS_VERIFY: return oh_tls_verify_name(*(const oh_tls_verify *)place);
    default: return *(const bool *)place ? "ssdb" : "redis";
    }
}

static bool is_value(const oh_config_row *row, const void *place, const json_t *value)
{
    switch (row->type) {
    case OH_TYPE_NUMBER: return *(const uint32_t *)place == json_integer_value(value);
    case OH_TYPE_BOOLEAN: return *(const bool *)place == json_is_true(value);
    case OH_TYPE_TEXT:
    case OH_TYPE_PATH:
    case OH_TYPE_NAME:
    case OH_TYPE_LISTEN: return equals(*(const oh_text *)place, value);
    case OH_TYPE_TAG: return memcmp(place, json_string_value(value), 2) == 0;
    default: return strcmp(word_of(row, place), json_string_value(value)) == 0;
    }
}

static size_t bytes_of_type(oh_directive_type type)
{
    switch (type) {
    case OH_TYPE_TEXT:
    case OH_TYPE_PATH:
    case OH_TYPE_NAME:
    case OH_TYPE_LISTEN: return sizeof(oh_text);
    case OH_TYPE_BOOLEAN:
    case OH_TYPE_ENGINE: return sizeof(bool);
    case OH_TYPE_TAG: return 2;
    default: return 4;
    }
}

/* A directive that the case does not name must have its default. */
static void check_values(const oh_server_pool *pool, const json_t *directives)
{
    oh_server_pool without = {0};
    oh_config_set_defaults(&without);
    for (int i = OH_CONFIG_SEQUENCES_COUNT; i < OH_CONFIG_DIRECTIVES_COUNT; i++) {
        const oh_config_row *row = &oh_config_directives[i];
        const json_t *value = json_object_get(directives, row->name);
        const char *place = (const char *)pool + row->place;
        const char *otherwise = (const char *)&without + row->place;
        CHECK(value ? is_value(row, place, value)
                    : memcmp(place, otherwise, bytes_of_type(row->type)) == 0);
        CHECK(row->has == 0 || *((const char *)pool + row->has) == (value != NULL));
    }
}

/* The replicas stand after the servers. Expected: "host:port NAME, host:port NAME". */
static void check_replicas(const oh_server_pool *pool, const char *expected)
{
    char text[1024] = "";
    size_t end = pool->servers_count - pool->old_nodes_count;
    for (size_t i = oh_server_pool_count_masters(pool); i < end; i++) {
        const oh_server *replica = &pool->servers[i];
        CHECK(replica->role == OH_REPLICA && replica->weight == 1);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%u %s",
            text[0] != '\0' ? ", " : "", replica->host.bytes, replica->port,
            pool->servers[replica->master].name.bytes);
    }
    CHECK(strcmp(text, expected) == 0);
}

/* Expected: "NAME ADDRESS WEIGHT, NAME ADDRESS WEIGHT". */
static void check_old_ring(const oh_server_pool *pool, const char *expected)
{
    char text[1024] = "", port[16] = "";
    for (size_t i = 0; pool->old_ring && i < pool->old_ring->servers_count; i++) {
        const oh_server *server = &pool->old_ring->servers[i];
        bool is_unix = server->path.bytes != NULL;
        snprintf(port, sizeof port, ":%u", server->port);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s%s %u",
            text[0] != '\0' ? ", " : "", server->name.bytes,
            is_unix ? server->path.bytes : server->host.bytes, is_unix ? "" : port, server->weight);
    }
    CHECK(strcmp(text, expected) == 0);
}

static void check_directives(const oh_server_pool *pool, const json_t *directives)
{
    check_values(pool, directives);
    CHECK((pool->variables.bytes != NULL) == (pool->variables.length > 0));
    CHECK(same_text(pool->sentinels, json_object_get(directives, "sentinels")));
    CHECK(same_text(pool->zone.hosts, json_object_get(directives, "host_zones")));
    check_replicas(pool, text_of(directives, "replicas"));
    check_old_ring(pool, text_of(directives, "moving_from"));
}

static const oh_server *server_of(const oh_server_pool *pool, const json_t *name)
{
    for (size_t i = 0; i < pool->servers_count; i++) {
        if (equals(pool->servers[i].name, name)) {
            return &pool->servers[i];
        }
    }
    return NULL;
}

static void check_server(const oh_server_pool *pool, const json_t *expected)
{
    const oh_server *server = server_of(pool, json_object_get(expected, "name"));
    if (!CHECK(server != NULL)) {
        return;
    }
    char address[OH_SERVER_ADDRESS_BYTES_MAX + 16];
    if (server->path.bytes) {
        CHECK(!server->host.bytes && server->port == 0);
        snprintf(address, sizeof address, "%s", server->path.bytes);
    } else {
        snprintf(address, sizeof address, "%s:%u", server->host.bytes, server->port);
    }
    CHECK(strcmp(address, vectors_string(expected, "address")) == 0);
    CHECK(server->weight == vectors_number(expected, "weight"));
}

static void check_servers(const oh_server_pool *pool, const json_t *servers)
{
    size_t place;
    json_t *expected;
    CHECK(oh_server_pool_count_masters(pool) == json_array_size(servers));
    json_array_foreach(servers, place, expected)
    {
        check_server(pool, expected);
    }
    if (oh_foreign_of(pool->distribution)) {
        json_array_foreach(servers, place, expected)
        {
            CHECK(equals(pool->servers[place].name, json_object_get(expected, "name")));
        }
        return;
    }
    for (size_t i = 1; i < oh_server_pool_count_masters(pool); i++) {
        oh_text one = pool->servers[i - 1].name;
        oh_text two = pool->servers[i].name;
        CHECK(one.length < two.length ||
              (one.length == two.length && memcmp(one.bytes, two.bytes, one.length) < 0));
    }
}

static void check_pools(const oh_config *config, const json_t *pools)
{
    size_t place;
    json_t *expected;
    CHECK(config->pools_count == json_array_size(pools));
    json_array_foreach(pools, place, expected)
    {
        const oh_server_pool *pool = &config->pools[place];
        CHECK(equals(pool->name, json_object_get(expected, "name")));
        CHECK(oh_config_pool(config, pool->name.bytes, pool->name.length) == pool);
        check_directives(pool, json_object_get(expected, "directives"));
        check_servers(pool, json_object_get(expected, "servers"));
        oh_topology *topology = topology_of(pool, NULL);
        CHECK(strcmp(oh_topology_fingerprint(topology), vectors_string(expected, "fingerprint")) ==
              0);
        free(topology);
    }
}

static void test_good(const char *name, const json_t *it)
{
    test_begin("config good %s", name);
    oh_config *config;
    oh_config_errors errors;
    bytes text = bytes_of_case(it);
    environment = json_object_get(it, "environment");
    bool is_read = parse(text, &config, &errors);
    environment = NULL;
    free(text.bytes);
    if (!CHECK(is_read)) {
        printf("  line %u: %s\n", errors.list[0].line, errors.list[0].reason);
        return;
    }
    if (json_object_get(it, "pools")) {
        check_pools(config, json_object_get(it, "pools"));
    }
    CHECK(oh_config_pool(config, "no such pool", 12) == NULL);
    oh_config_free(config);
}

/* If the line or the reason is null in the case, any value is right. */
static void check_error(const oh_config_error *error, const json_t *expected)
{
    const json_t *line = json_object_get(expected, "line");
    const json_t *reason = json_object_get(expected, "reason");
    bool is_line = json_is_null(line) || error->line == json_integer_value(line);
    bool is_reason = json_is_null(reason) || strcmp(error->reason, json_string_value(reason)) == 0;
    if (!CHECK(is_line && is_reason)) {
        printf("  line %u: %s\n", error->line, error->reason);
    }
}

/* A case without a list has one error. */
static void check_errors(const oh_config_errors *errors, const json_t *it)
{
    const json_t *list = json_object_get(it, "errors");
    const json_t *more = json_object_get(it, "more");
    check_error(&errors->list[0], it);
    if (json_is_null(json_object_get(it, "reason"))) {
        return;
    }
    CHECK(errors->count == (list ? json_array_size(list) : 1));
    CHECK(errors->more == (more ? (size_t)json_integer_value(more) : 0));
    for (size_t i = 0; i < errors->count && list; i++) {
        check_error(&errors->list[i], json_array_get(list, i));
    }
}

static void test_bad(const char *name, const json_t *it)
{
    test_begin("config bad %s", name);
    oh_config *config;
    oh_config_errors errors;
    bytes text = bytes_of_case(it);
    environment = json_object_get(it, "environment");
    CHECK(!parse(text, &config, &errors) && !config);
    environment = NULL;
    check_errors(&errors, it);
    free(text.bytes);
}

static void test_cases(const char *kind, void (*test)(const char *name, const json_t *it))
{
    char path[64];
    snprintf(path, sizeof path, "config/cases/%s.txt", kind);
    json_t *cases = vectors_cases(path);
    const char *name;
    json_t *it;
    json_object_foreach(cases, name, it)
    {
        test(name, it);
    }
    json_decref(cases);
}

/* ---- Encoding ---- */

/* Broken UTF-8 after a good line. spec/config has a case of each kind; these are at the limits. */
static void test_encoding(void)
{
    static const char *const broken[] = {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(",
        "\xc3\n", "\xe0\x9f\xbf", "\xe4\xb8", "\xe4\xb8(", "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf0\x9f\x98(", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xfe", "\xff"};
    test_begin("config with broken UTF-8 of every kind");
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char text[64];
        int length = snprintf(text, sizeof text, "# line 1\r\n# %s", broken[i]);
        oh_config *config;
        oh_config_errors errors;
        bytes exact = bytes_of_text(text, (size_t)length);
        CHECK(!parse(exact, &config, &errors) && errors.count == 1 && errors.list[0].line == 2);
        CHECK(strcmp(errors.list[0].reason, "the text is not valid UTF-8") == 0);
        free(exact.bytes);
    }
    test_begin("config with the largest and smallest characters of each length");
    oh_config_free(config_of(
        "a:\n  listen: h:1\n  servers:\n"
        "  - h:1:1 "
        "\x7e\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\n"));
}

/* ---- Password files ---- */

static void test_password_file(const json_t *test)
{
    bytes content = bytes_of_hex_parts(json_object_get(test, "content"));
    oh_text text = {(const char *)content.bytes, content.length}, password;
    oh_password_reason reason;
    const json_t *wanted = json_object_get(test, "password");

    test_begin("password file: %s", vectors_string(test, "about"));
    bool is_good = oh_config_take_password(text, &password, &reason);
    CHECK(is_good == (json_object_get(test, "reason") == NULL));
    if (!is_good) {
        CHECK(strcmp(reason.text, vectors_string(test, "reason")) == 0);
    } else if (wanted) {
        CHECK(equals(password, wanted));
    } else {
        CHECK(password.length == vectors_number(test, "password_length"));
    }
    free(content.bytes);
}

static void test_password_files(void)
{
    json_t *page = vectors_load("config/password_files.json"), *test;
    size_t i;

    json_array_foreach(json_object_get(page, "cases"), i, test)
    {
        test_password_file(test);
    }
    json_decref(page);
}

/* ---- Cuts ---- */

static uint32_t lines_of(bytes text)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < text.length; i++) {
        lines += text.bytes[i] == '\n' || text.bytes[i] == '\r';
    }
    return lines;
}

static void check_cut_error(const oh_config_error *error, uint32_t lines)
{
    CHECK(error->line >= 1 && error->line <= lines + 1);
    CHECK(error->reason[0] != '\0' && memchr(error->reason, '\0', sizeof error->reason));
    CHECK(strpbrk(error->reason, "\r\n\t") == NULL);
}

static void check_cut(bytes whole, size_t length)
{
    oh_config *config;
    oh_config_errors errors;
    bytes cut = bytes_of_text((const char *)whole.bytes, length);
    if (parse(cut, &config, &errors)) {
        oh_config_free(config);
    } else {
        CHECK(!config && errors.count > 0);
        for (size_t i = 0; i < errors.count; i++) {
            check_cut_error(&errors.list[i], lines_of(cut));
        }
    }
    free(cut.bytes);
}

static void test_cut(const char *name, const json_t *it)
{
    test_begin("config cut at every byte: %s", name);
    bytes whole = bytes_of_case(it);
    size_t step = whole.length < 10000 ? 1 : whole.length / 10;
    for (size_t length = 0; length <= whole.length; length += step) {
        check_cut(whole, length);
    }
    free(whole.bytes);
}

/* ---- Bombs ---- */

/*
 * A file of the largest size that repeats one piece. If the parser were slow on such a file, the
 * test would take hours.
 */
static void test_bomb(const char *piece)
{
    test_begin("config of 1 MiB of \"%s\"", piece);
    size_t length = strlen(piece);
    bytes text = {malloc(OH_CONFIG_BYTES_MAX), OH_CONFIG_BYTES_MAX / length * length};
    for (size_t i = 0; i < text.length; i += length) {
        memcpy(text.bytes + i, piece, length);
    }
    oh_config *config;
    oh_config_errors errors;
    CHECK(!parse(text, &config, &errors));
    free(text.bytes);
}

/* ---- Errors ---- */

/* 100,000 unknown directives, each near to others: most cost no comparison. */
static void test_many_errors(void)
{
    test_begin("config with as many errors as fit");
    bytes text = {malloc(OH_CONFIG_BYTES_MAX), 0};
    text.length = (size_t)sprintf((char *)text.bytes, "alpha:\n");
    while (text.length < OH_CONFIG_BYTES_MAX - 20) {
        text.length += (size_t)sprintf((char *)text.bytes + text.length, " timeuot: 1\n");
    }
    oh_config *config;
    oh_config_errors errors;
    CHECK(!parse(text, &config, &errors));
    CHECK(errors.count == OH_CONFIG_ERRORS_MAX && errors.more > 80000);
    CHECK(strcmp(errors.list[9].reason,
              "directive \"timeuot\" is unknown (did you mean \"timeout\"?)") == 0);
    free(text.bytes);
}

static void test_telling(void)
{
    static const char text[] = "alpha:\n  cluster: ja\n  harts: x\n  timeout: y\n";
    test_begin("config errors on one line");
    oh_config *config;
    oh_config_errors errors;
    bytes exact = bytes_of_text(text, sizeof text - 1);
    CHECK(!parse(exact, &config, &errors) && errors.count == 3);
    free(exact.bytes);
    char told[512];
    oh_config_tell(&errors, told, sizeof told);
    CHECK(strcmp(told, "directive \"cluster\" is not \"true\" or \"false\": \"ja\"; "
                       "line 3: directive \"harts\" is unknown; "
                       "line 4: directive \"timeout\" is not a number: \"y\"") == 0);
    oh_config_tell(&errors, told, 120);
    CHECK(strcmp(told, "directive \"cluster\" is not \"true\" or \"false\": \"ja\"; "
                       "and 2 more errors") == 0);
}

void test_config(void)
{
    test_cases("good", test_good);
    test_cases("bad", test_bad);
    test_encoding();
    test_password_files();
    test_many_errors();
    test_telling();
    test_cases("good", test_cut);
    static const char *const bombs[] = {"[", "{", "- ", "? ", "[\n", "{a: ", "[a,", "a: [", "a:\n ",
        "- [", "&a ", "*a ", "!", "\"", "'", "a: |\n", "\"\\\n", "%a\n", "...\n", "---\n", "#",
        "\n", " ", "a"};
    for (size_t i = 0; i < sizeof bombs / sizeof bombs[0]; i++) {
        test_bomb(bombs[i]);
    }
}
