/*
 * The directives: one table of their names, types and places, and what each type accepts.
 *
 * Values are text. YAML's own types do not count, as in nutcracker: `yes` is no boolean, `0x10` is
 * no number, and `~` is a text of one byte.
 *
 * Implements spec/config, section 6.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config_reader.h"

typedef enum {
    SEQUENCE,
    NUMBER,
    BOOLEAN,
    TEXT,
    HASH,
    DISTRIBUTION,
    TAG,
    ENGINE,
    LISTEN,
    READ_FROM,
    PATH,
    TLS_VERIFY
} type;

typedef struct {
    const char *name;
    type type;
    size_t place;
    bool is_own;    /* OneHop's: nutcracker does not know it. */
    bool is_hidden; /* Its value is never shown. */
} directive;

static const directive directives[] = {
    [OH_CONFIG_SERVERS] = {"servers", SEQUENCE, 0},
    [OH_CONFIG_SENTINELS] = {"sentinels", SEQUENCE, 0, true},
    [OH_CONFIG_REPLICAS] = {"replicas", SEQUENCE, 0, true},
    [OH_CONFIG_HOST_ZONES] = {"host_zones", SEQUENCE, 0, true},
    [OH_CONFIG_LISTEN] = {"listen", LISTEN, offsetof(oh_server_pool, listen)},
    [OH_CONFIG_REDIS_AUTH] = {"redis_auth", TEXT, offsetof(oh_server_pool, redis_auth), false,
        true},
    [OH_CONFIG_REDIS_AUTH_FILE] = {"redis_auth_file", PATH,
        offsetof(oh_server_pool, redis_auth_file), true},
    [OH_CONFIG_USERNAME] = {"username", TEXT, offsetof(oh_server_pool, username), true, true},
    [OH_CONFIG_SENTINEL_USERNAME] = {"sentinel_username", TEXT,
        offsetof(oh_server_pool, sentinel_username), true, true},
    [OH_CONFIG_SENTINEL_PASSWORD] = {"sentinel_password", TEXT,
        offsetof(oh_server_pool, sentinel_password), true, true},
    [OH_CONFIG_SENTINEL_TLS] = {"sentinel_tls", BOOLEAN, offsetof(oh_server_pool, has_sentinel_tls),
        true},
    [OH_CONFIG_REDIS_DB] = {"redis_db", NUMBER, offsetof(oh_server_pool, redis_db)},
    [OH_CONFIG_DATABASE] = {"database", NUMBER, offsetof(oh_server_pool, database), true},
    [OH_CONFIG_HASH] = {"hash", HASH, offsetof(oh_server_pool, hash)},
    [OH_CONFIG_HASH_TAG] = {"hash_tag", TAG, offsetof(oh_server_pool, hash_tag)},
    [OH_CONFIG_DISTRIBUTION] = {"distribution", DISTRIBUTION,
        offsetof(oh_server_pool, distribution)},
    [OH_CONFIG_READ_FROM] = {"read_from", READ_FROM, offsetof(oh_server_pool, read_from), true},
    [OH_CONFIG_ZONE] = {"zone", TEXT, offsetof(oh_server_pool, zone.name), true},
    [OH_CONFIG_TLS_CA_CERT_FILE] = {"tls_ca_cert_file", PATH,
        offsetof(oh_server_pool, tls.ca_cert_file), true},
    [OH_CONFIG_TLS_CERT_FILE] = {"tls_cert_file", PATH, offsetof(oh_server_pool, tls.cert_file),
        true},
    [OH_CONFIG_TLS_KEY_FILE] = {"tls_key_file", PATH, offsetof(oh_server_pool, tls.key_file), true},
    [OH_CONFIG_TLS_KEY_FILE_PASS] = {"tls_key_file_pass", TEXT,
        offsetof(oh_server_pool, tls.key_file_pass), true, true},
    [OH_CONFIG_TLS_SERVER_NAME] = {"tls_server_name", TEXT,
        offsetof(oh_server_pool, tls.server_name), true},
    [OH_CONFIG_TLS_VERIFY] = {"tls_verify", TLS_VERIFY, offsetof(oh_server_pool, tls.verify), true},
    {"tls", BOOLEAN, offsetof(oh_server_pool, tls.is_on), true},
    {"redis", BOOLEAN, offsetof(oh_server_pool, is_redis)},
    {"cluster", BOOLEAN, offsetof(oh_server_pool, is_cluster), true},
    {"engine", ENGINE, 0, true},
    {"timeout", NUMBER, offsetof(oh_server_pool, timeout_ms)},
    {"pool_size", NUMBER, offsetof(oh_server_pool, pool_size), true},
    {"max_connection_age", NUMBER, offsetof(oh_server_pool, max_connection_age_ms), true},
    {"server_connections", NUMBER, offsetof(oh_server_pool, server_connections)},
    {"preconnect", BOOLEAN, offsetof(oh_server_pool, preconnect)},
    {"auto_eject_hosts", BOOLEAN, offsetof(oh_server_pool, auto_eject_hosts)},
    {"server_retry_timeout", NUMBER, offsetof(oh_server_pool, server_retry_timeout_ms)},
    {"server_failure_limit", NUMBER, offsetof(oh_server_pool, server_failure_limit)},
    {"backlog", NUMBER, offsetof(oh_server_pool, backlog)},
    {"client_connections", NUMBER, offsetof(oh_server_pool, client_connections)},
    {"tcpkeepalive", BOOLEAN, offsetof(oh_server_pool, tcpkeepalive)},
    {"reuseport", BOOLEAN, offsetof(oh_server_pool, reuseport)},
};
#define DIRECTIVES_COUNT (sizeof directives / sizeof directives[0])
_Static_assert(DIRECTIVES_COUNT <= OH_CONFIG_DIRECTIVES_MAX, "Each directive needs a bit.");

bool oh_config_takes_text(const char *name, size_t length)
{
    for (size_t i = 0; i < DIRECTIVES_COUNT; i++) {
        bool is_text = directives[i].type == TEXT || directives[i].type == PATH;
        if (is_text && strlen(directives[i].name) == length &&
            memcmp(directives[i].name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* One value on its way into a pool. */
typedef struct {
    oh_config_reader *reader;
    oh_server_pool *pool;
    const directive *directive;
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

/* The value is none of a list of words. */
static bool fail_word(
    const setting *it, const char *complaint, const char *const *words, size_t count)
{
    oh_config_ending hint = {""};
    if (!it->expanded->has_variables) {
        hint = oh_config_near(it->reader, it->line, it->value, words, count);
    }
    return fail_with(it, complaint, hint.text);
}

static void *place_of(const setting *it)
{
    return (char *)it->pool + it->directive->place;
}

int oh_config_directive(oh_text name)
{
    for (size_t i = 0; i < DIRECTIVES_COUNT; i++) {
        if (oh_text_is(name, directives[i].name)) {
            return (int)i;
        }
    }
    return -1;
}

const char *oh_config_directive_name(int number)
{
    return directives[number].name;
}

bool oh_config_is_own(int number)
{
    return directives[number].is_own;
}

oh_config_ending oh_config_near_directive(const oh_config_reader *reader, size_t line, oh_text name)
{
    const char *names[DIRECTIVES_COUNT];
    for (size_t i = 0; i < DIRECTIVES_COUNT; i++) {
        names[i] = directives[i].name;
    }
    return oh_config_near(reader, line, name, names, DIRECTIVES_COUNT);
}

void oh_config_set_defaults(oh_server_pool *pool)
{
    pool->hash = OH_HASH_FNV1A_64;
    pool->distribution = OH_KETAMA;
    pool->timeout_ms = OH_TIMEOUT_MS_DEFAULT;
    pool->pool_size = 16;
    pool->max_connection_age_ms = OH_CONNECTION_AGE_MS_DEFAULT;
    pool->server_connections = 1;
    pool->server_retry_timeout_ms = 30000;
    pool->server_failure_limit = 2;
    pool->backlog = 512;
}

/* ---- One function for each type ---- */

static bool set_number(const setting *it)
{
    int64_t number = oh_config_number(it->value);
    if (number == OH_CONFIG_NOT_A_NUMBER) {
        return fail(it, "is not a number");
    }
    if (number == OH_CONFIG_TOO_LARGE) {
        return fail(it, "is larger than 2147483647");
    }
    uint32_t *place = place_of(it);
    *place = (uint32_t)number;
    if (place == &it->pool->server_connections && number == 0) {
        return fail(it, "is 0");
    }
    if (place == &it->pool->pool_size && (number < 1 || number > OH_POOL_SIZE_MAX)) {
        return fail(it, "is not 1 to 65535");
    }
    it->pool->has_database |= place == &it->pool->database;
    return true;
}

static bool set_boolean(const setting *it)
{
    bool is_true = oh_text_is(it->value, "true");
    if (!is_true && !oh_text_is(it->value, "false")) {
        static const char *const words[] = {"true", "false"};
        return fail_word(it, "is not \"true\" or \"false\"", words, 2);
    }
    *(bool *)place_of(it) = is_true;
    return true;
}

static bool keep_text(const setting *it)
{
    oh_text copy = oh_config_copy(it->reader->arena, it->value);
    *(oh_text *)place_of(it) = copy;
    if (copy.bytes == NULL) {
        oh_config_fail_memory(it->reader);
    }
    return copy.bytes != NULL;
}

static bool set_text(const setting *it)
{
    if (place_of(it) == &it->pool->redis_auth || place_of(it) == &it->pool->tls.key_file_pass ||
        place_of(it) == &it->pool->sentinel_password) {
        it->pool->is_password_in_text |= !it->expanded->has_variables;
    }
    if (it->value.length > OH_TEXT_BYTES_MAX) {
        return fail(it, "is longer than 4096 bytes");
    }
    if (place_of(it) == &it->pool->tls.server_name &&
        it->value.length > OH_SERVER_ADDRESS_BYTES_MAX) {
        return fail(it, "is longer than 255 bytes");
    }
    return keep_text(it);
}

/* A worker has another working directory than the one who wrote the file. */
static bool set_path(const setting *it)
{
    return it->value.bytes[0] == '/' ? set_text(it) : fail(it, "is not an absolute path");
}

static bool set_hash(const setting *it)
{
    const char *names[OH_HASHES_COUNT];
    for (int i = 0; i < OH_HASHES_COUNT; i++) {
        names[i] = oh_hash_name((oh_hash)i);
    }
    return oh_hash_find(it->value.bytes, it->value.length, place_of(it)) ||
           fail_word(it, "is not a valid hash", names, OH_HASHES_COUNT);
}

static bool set_distribution(const setting *it)
{
    const char *names[OH_SLOTS];
    for (int i = 0; i < OH_SLOTS; i++) {
        names[i] = oh_distribution_name((oh_distribution)i);
        if (oh_text_is(it->value, names[i])) {
            it->pool->distribution = (oh_distribution)i;
            return true;
        }
    }
    return fail_word(it, "is not \"ketama\", \"modula\" or \"random\"", names, OH_SLOTS);
}

static bool set_tag(const setting *it)
{
    if (it->value.length != sizeof it->pool->hash_tag) {
        return fail(it, "is not two bytes");
    }
    memcpy(it->pool->hash_tag, it->value.bytes, sizeof it->pool->hash_tag);
    it->pool->has_hash_tag = true;
    return true;
}

static bool set_engine(const setting *it)
{
    static const char *const names[] = {"redis", "ssdb"};
    it->pool->is_ssdb = oh_text_is(it->value, "ssdb");
    return it->pool->is_ssdb || oh_text_is(it->value, "redis") ||
           fail_word(it, "is not \"redis\" or \"ssdb\"", names, 2);
}

static bool set_read_from(const setting *it)
{
    const char *names[OH_READ_FROMS_COUNT];
    for (int i = 0; i < OH_READ_FROMS_COUNT; i++) {
        names[i] = oh_read_from_name((oh_read_from)i);
        if (oh_text_is(it->value, names[i])) {
            it->pool->read_from = (oh_read_from)i;
            return true;
        }
    }
    return fail_word(it,
        "is not \"master\", \"prefer_replica\", \"replica\", \"lowest_latency\" or \"same_zone\"",
        names, OH_READ_FROMS_COUNT);
}

static bool set_tls_verify(const setting *it)
{
    const char *names[OH_TLS_VERIFIES_COUNT];
    for (int i = 0; i < OH_TLS_VERIFIES_COUNT; i++) {
        names[i] = oh_tls_verify_name((oh_tls_verify)i);
        if (oh_text_is(it->value, names[i])) {
            it->pool->tls.verify = (oh_tls_verify)i;
            return true;
        }
    }
    return fail_word(it, "is not \"full\", \"ca\" or \"none\"", names, OH_TLS_VERIFIES_COUNT);
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
        if (other != it->pool && other->listen.bytes != NULL &&
            oh_text_is_same(it->value, other->listen)) {
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
        [NUMBER] = set_number,
        [BOOLEAN] = set_boolean,
        [TEXT] = set_text,
        [HASH] = set_hash,
        [DISTRIBUTION] = set_distribution,
        [TAG] = set_tag,
        [ENGINE] = set_engine,
        [LISTEN] = set_listen,
        [READ_FROM] = set_read_from,
        [PATH] = set_path,
        [TLS_VERIFY] = set_tls_verify,
    };
    const directive *kind = &directives[spelled->directive];
    char subject[64];
    snprintf(subject, sizeof subject, "directive \"%s\"", kind->name);
    oh_config_value value = oh_config_expand(reader, spelled, subject);
    if (value.text.bytes != NULL) {
        setting it = {reader, pool, kind, value.text, &value, spelled->line};
        set[kind->type](&it);
    }
}
