/*
 * A configuration without a file: directives in an array, or in a DSN, become the text that the
 * parser of files reads. So there is one parser, and one place that checks.
 *
 *     onehop:///etc/onehop.yml?pool=shop                          a file
 *     onehop://user:password@10.0.0.1:6379,10.0.0.2:6379?cluster=true  its servers and directives
 *
 * Values from a program are taken literally: `${` in them does not begin a variable.
 *
 * Writes YAML of one form only: a mapping in block style whose names and values are in double
 * quotes. Reads DSNs by the rules of URLs: each part is decoded after it has been cut.
 */
#include "php/base/zend.h"

#include "zend_smart_str.h"
#include "ext/standard/url.h"

#include "core/config/config.h"
#include "php/client/configuration.h"
#include "php/exception/exception.h"

/* ---- Writing ---- */

/* Bytes above 0x7f are left alone: if they are not UTF-8, the parser says so. */
static void write_quoted(smart_str *text, oh_text value)
{
    smart_str_appendc(text, '"');
    for (size_t i = 0; i < value.length; i++) {
        unsigned char byte = (unsigned char)value.bytes[i];

        if (byte < 0x20 || byte == 0x7f) {
            smart_str_append_printf(text, "\\x%02X", byte);
            continue;
        }
        if (byte == '"' || byte == '\\') {
            smart_str_appendc(text, '\\');
        } else if (byte == '$' && i + 1 < value.length && value.bytes[i + 1] == '{') {
            smart_str_appendc(text, '$');
        }
        smart_str_appendc(text, (char)byte);
    }
    smart_str_appendc(text, '"');
}

static oh_text text_of(const zend_string *string)
{
    return (oh_text){ZSTR_VAL(string), ZSTR_LEN(string)};
}

static bool refuse(const zend_string *directive, const zval *value)
{
    bool is_pool = Z_TYPE_P(value) == IS_ARRAY && !zend_array_is_list(Z_ARRVAL_P(value));

    zend_type_error("Directive \"%s\" of a server pool must be of type string|int|bool, or a list "
                    "of strings, %s given%s",
        ZSTR_VAL(directive), zend_zval_type_name(value),
        is_pool ? ": the array has the directives of one server pool, without its name"
        : Z_TYPE_P(value) == IS_DOUBLE ? ": times are whole milliseconds"
                                       : "");
    return false;
}

/* A value of a directive, which ends its line. */
static bool write_value(smart_str *text, const zend_string *directive, zval *value)
{
    ZVAL_DEREF(value);
    switch (Z_TYPE_P(value)) {
    case IS_TRUE:
    case IS_FALSE:
        if (oh_config_takes_text(ZSTR_VAL(directive), ZSTR_LEN(directive))) {
            zend_type_error("Directive \"%s\" of a server pool must be of type string, bool given",
                ZSTR_VAL(directive));
            return false;
        }
        smart_str_appends(text, Z_TYPE_P(value) == IS_TRUE ? " \"true\"\n" : " \"false\"\n");
        return true;
    case IS_LONG:
        smart_str_append_printf(text, " \"" ZEND_LONG_FMT "\"\n", Z_LVAL_P(value));
        return true;
    case IS_STRING:
        smart_str_appendc(text, ' ');
        write_quoted(text, text_of(Z_STR_P(value)));
        smart_str_appendc(text, '\n');
        return true;
    default: return refuse(directive, value);
    }
}

static bool write_servers(smart_str *text, const zend_string *directive, HashTable *servers)
{
    zval *server;

    smart_str_appends(text, zend_hash_num_elements(servers) > 0 ? "\n" : " []\n");
    ZEND_HASH_FOREACH_VAL(servers, server)
    {
        smart_str_appends(text, "    -");
        if (!write_value(text, directive, server)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* A single server needs no list. */
static bool write_directive(smart_str *text, const zend_string *name, zval *value)
{
    smart_str_appends(text, "  ");
    write_quoted(text, text_of(name));
    smart_str_appendc(text, ':');
    if (Z_TYPE_P(value) == IS_ARRAY) {
        return zend_array_is_list(Z_ARRVAL_P(value)) ? write_servers(text, name, Z_ARRVAL_P(value))
                                                     : refuse(name, value);
    }
    if (Z_TYPE_P(value) == IS_STRING && zend_string_equals_literal(name, "servers")) {
        smart_str_appends(text, "\n    -");
    }
    return write_value(text, name, value);
}

/* A directive that is null is absent. */
static bool write_directives(smart_str *text, const HashTable *directives)
{
    zend_string *name;
    zval *value;

    ZEND_HASH_FOREACH_STR_KEY_VAL((HashTable *)directives, name, value)
    {
        ZVAL_DEREF(value);
        if (!name) {
            zend_type_error("The array of a server pool must have directives as its keys");
            return false;
        }
        if (Z_TYPE_P(value) != IS_NULL && !write_directive(text, name, value)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

zend_string *oh_configuration_of_array(const zend_string *name, const HashTable *directives)
{
    smart_str text = {NULL};

    write_quoted(&text, text_of(name));
    smart_str_appends(&text, ":\n");
    if (!write_directives(&text, directives)) {
        smart_str_free(&text);
        return NULL;
    }
    if (!zend_hash_str_exists(directives, ZEND_STRL("engine"))) {
        smart_str_appends(&text, "  \"engine\": \"redis\"\n");
    }
    return smart_str_extract(&text);
}

/* ---- Reading a DSN ---- */

#define SCHEME "onehop://"

bool oh_dsn_is(const zend_string *text)
{
    return zend_string_starts_with_literal(text, SCHEME);
}

static bool refuse_dsn(const char *reason)
{
    oh_failure_throw_plain(OH_SAY_DSN_REFUSED, reason);
    return false;
}

/* Cuts off what follows the first `separator`; absent if there is none. */
static oh_text cut(oh_text *rest, char separator)
{
    const char *at = rest->length > 0 ? memchr(rest->bytes, separator, rest->length) : NULL;

    if (!at) {
        return (oh_text){NULL, 0};
    }
    oh_text after = {at + 1, rest->length - (size_t)(at + 1 - rest->bytes)};
    rest->length = (size_t)(at - rest->bytes);
    return after;
}

static zend_string *decoded(oh_text part)
{
    zend_string *text = zend_string_init(part.bytes, part.length, false);

    ZSTR_LEN(text) = php_raw_url_decode(ZSTR_VAL(text), ZSTR_LEN(text));
    return text;
}

static void add(oh_dsn *dsn, const char *directive, oh_text value)
{
    zval text;

    ZVAL_STR(&text, decoded(value));
    zend_hash_str_update(Z_ARRVAL(dsn->directives), directive, strlen(directive), &text);
}

/* name=value&name=value; `pool` is ours, the others are directives. */
static bool read_query(oh_dsn *dsn, oh_text query)
{
    while (query.length > 0) {
        oh_text name = query, rest = cut(&name, '&'), value = cut(&name, '=');
        zval text;

        if (!value.bytes || name.length == 0) {
            return refuse_dsn(OH_REASON_DSN_QUERY);
        }
        query = rest;
        if (oh_text_is(name, "pool") && !dsn->pool) {
            dsn->pool = decoded(value);
            continue;
        }
        if (dsn->path) {
            return refuse_dsn(OH_REASON_DSN_FILE);
        }
        zend_string *directive = decoded(name);
        ZVAL_STR(&text, decoded(value));
        bool is_new = zend_hash_add(Z_ARRVAL(dsn->directives), directive, &text) != NULL;
        zend_string_release(directive);
        if (!is_new) {
            zval_ptr_dtor(&text);
            return refuse_dsn(OH_REASON_DSN_TWICE);
        }
    }
    return true;
}

/* [user[:password]@]host:port,host:port,... */
static bool read_servers(oh_dsn *dsn, oh_text authority)
{
    const char *at = zend_memrchr(authority.bytes, '@', authority.length);
    oh_text hosts = authority;
    bool has_ports = true;
    zval servers;

    if (at) {
        oh_text user = {authority.bytes, (size_t)(at - authority.bytes)};
        oh_text password = cut(&user, ':');

        hosts = (oh_text){at + 1,
            authority.length - user.length - password.length - 1 - (password.bytes != NULL)};
        if (user.length > 0) {
            add(dsn, "username", user);
        }
        if (password.bytes) {
            add(dsn, "redis_auth", password);
        }
    }
    array_init(&servers);
    while (hosts.length > 0) {
        oh_text rest = cut(&hosts, ',');
        zend_string *server = decoded(hosts);

        has_ports &= *ZSTR_VAL(server) == '/' || strchr(ZSTR_VAL(server), ':') != NULL;
        add_next_index_str(&servers, server);
        hosts = rest;
    }
    zend_hash_str_update(Z_ARRVAL(dsn->directives), ZEND_STRL("servers"), &servers);
    return has_ports || refuse_dsn(OH_REASON_DSN_PORT);
}

bool oh_dsn_read(oh_dsn *dsn, const zend_string *text)
{
    oh_text rest = {ZSTR_VAL(text) + strlen(SCHEME), ZSTR_LEN(text) - strlen(SCHEME)};
    oh_text query = cut(&rest, '?');

    *dsn = (oh_dsn){NULL};
    ZVAL_UNDEF(&dsn->directives);
    if (rest.length == 0) {
        return refuse_dsn(OH_REASON_DSN_EMPTY);
    }
    if (rest.bytes[0] == '/') {
        oh_text path = rest, after = cut(&path, ':');

        if (cut(&after, '@').bytes) {
            return refuse_dsn(OH_REASON_DSN_PATH);
        }
        dsn->path = decoded(rest);
        return read_query(dsn, query);
    }
    array_init(&dsn->directives);
    rest.length -= rest.bytes[rest.length - 1] == '/';
    return read_servers(dsn, rest) && read_query(dsn, query);
}

void oh_dsn_free(oh_dsn *dsn)
{
    if (dsn->pool) {
        zend_string_release(dsn->pool);
    }
    if (dsn->path) {
        zend_string_release(dsn->path);
    }
    zval_ptr_dtor(&dsn->directives);
}
