/*
 * session.save_path: the name of a server pool, a DSN, or pairs like those of a URL's query.
 */
#include "php/base/zend.h"

#include "ext/standard/url.h"

#include "php/session/session.h"

void oh_save_path_free(oh_save_path *path)
{
    if (path->pool) {
        zend_string_release(path->pool);
    }
    if (path->config) {
        zend_string_release(path->config);
    }
    if (path->prefix) {
        zend_string_release(path->prefix);
    }
}

static bool refuse(void)
{
    php_error_docref(NULL, E_WARNING,
        "session.save_path must be the name of a server pool, or "
        "pool=NAME&config=FILE&prefix=PREFIX&database=NUMBER");
    return false;
}

static bool read_database(oh_save_path *path, const char *digits, size_t length)
{
    zend_long number;

    if (oh_database_is_chosen(path->database) ||
        is_numeric_string(digits, length, &number, NULL, false) != IS_LONG || number < 0 ||
        number >= UINT32_MAX) {
        return refuse();
    }
    path->database = oh_database_of((uint32_t)number);
    return true;
}

static bool read_part(oh_save_path *path, const char *part, size_t length)
{
    const char *equals = memchr(part, '=', length);
    size_t name_length = equals ? (size_t)(equals - part) : 0;
    zend_string **place = name_length == 4 && !memcmp(part, "pool", 4)     ? &path->pool
                          : name_length == 6 && !memcmp(part, "config", 6) ? &path->config
                          : name_length == 6 && !memcmp(part, "prefix", 6) ? &path->prefix
                                                                           : NULL;

    if (name_length == 8 && !memcmp(part, "database", 8)) {
        return read_database(path, equals + 1, length - name_length - 1);
    }
    if (!place || *place) {
        return refuse();
    }
    *place = zend_string_init(equals + 1, length - name_length - 1, false);
    ZSTR_LEN(*place) = php_url_decode(ZSTR_VAL(*place), ZSTR_LEN(*place));
    return true;
}

bool oh_save_path_read(oh_save_path *path, const char *text)
{
    if (*text == '/') { /* PHP's own default, or that of the files handler. */
        php_error_docref(
            NULL, E_WARNING, "session.save_path is a path: set it to the name of a server pool");
        return false;
    }
    if (!strchr(text, '=') || !strncmp(text, "onehop://", strlen("onehop://"))) {
        path->pool = zend_string_init(text, strlen(text), false);
        return true;
    }
    for (const char *part = text; part; part = *part ? part + 1 : NULL) {
        size_t length = strcspn(part, "&");

        if (!read_part(path, part, length)) {
            return false;
        }
        part += length;
    }
    if (!path->pool) {
        php_error_docref(NULL, E_WARNING, "session.save_path names no server pool");
    }
    return path->pool != NULL;
}
