/*
 * Finds the configuration: the one that a constructor names, or the one in php.ini. A configuration
 * is a file, a text, an array or a DSN. Also checks that this script may read the file.
 *
 * The path is kept as given, and `..` is not resolved, because it may follow a symbolic link. The
 * kernel follows links each time the file is checked. If a link changes (a Kubernetes ConfigMap, a
 * release), the same file has new content. PHP's own functions would resolve the path, from a cache
 * that may be two minutes old.
 */
#include "php/base/settings.h"

#include "core/config/config.h"

#include "engine/source/source.h"

#include "php/client/configuration.h"
#include "php/exception/exception.h"

static bool refuse(const char *path, const char *reason)
{
    oh_quoted shown;

    oh_failure_throw_plain(
        OH_SAY_FILE_UNREADABLE, oh_quote_path(&shown, path, strlen(path)), reason);
    return false;
}

static bool is_url(const zend_string *text)
{
    const char *end = ZSTR_VAL(text) + ZSTR_LEN(text);

    return zend_memnstr(ZSTR_VAL(text), ZEND_STRL("://"), end) != NULL;
}

/*
 * True for a text with a newline, or with `{` or `: ` in front of any `://`: behind it they may be
 * a part of a URL's password.
 */
static bool is_text(const zend_string *from)
{
    const char *text = ZSTR_VAL(from), *url = strstr(text, "://");
    size_t length = url ? (size_t)(url - text) : ZSTR_LEN(from);

    return *text != '/' &&
           (memchr(text, '\n', ZSTR_LEN(from)) || oh_config_path_length(text, length) < length);
}

bool oh_configuration_is_path(const zend_string *from)
{
    return !is_text(from) && !is_url(from);
}

/* Returns false if the result is too long. */
static bool make_absolute(const char *path, char absolute[MAXPATHLEN])
{
    size_t length = 0;

    if (*path != '/') {
        if (!VCWD_GETCWD(absolute, MAXPATHLEN - 1)) {
            return false;
        }
        length = strlen(absolute);
        absolute[length++] = '/';
    }
    size_t path_length = strlen(path);
    if (length + path_length >= MAXPATHLEN) {
        return false;
    }
    memcpy(absolute + length, path, path_length + 1);
    return true;
}

/*
 * Finds the absolute path of a configuration without following links. Returns false and throws
 * ConfigInvalid if there is none.
 */
static bool find_path(const zend_string *from, char absolute[MAXPATHLEN])
{
    if (is_url(from)) {
        oh_failure_throw_plain(OH_SAY_URL);
        return false;
    }
    if (php_check_open_basedir_ex(ZSTR_VAL(from), 0) < 0) {
        return refuse(ZSTR_VAL(from), OH_REASON_BASEDIR);
    }
    if (!make_absolute(ZSTR_VAL(from), absolute)) {
        return refuse(ZSTR_VAL(from), OH_REASON_LONG_PATH);
    }
    return true;
}

static oh_snapshot *taken(
    oh_snapshot *snapshot, const zend_string *name, oh_failure *failure, bool is_found)
{
    if (!snapshot) {
        failure->has_no_command = true;
        oh_failure_throw(
            oh_failure_exception(failure, NULL, is_found ? ZSTR_VAL(name) : NULL, NULL));
    }
    return snapshot;
}

/*
 * True for a word where a path is expected. It may be a port, which phpredis takes there, or the
 * name of the pool.
 */
static bool is_word(const zend_string *from)
{
    return !strpbrk(ZSTR_VAL(from), "/.") && VCWD_ACCESS(ZSTR_VAL(from), F_OK) != 0 &&
           errno == ENOENT;
}

static oh_snapshot *take_file(const zend_string *name, const zend_string *from)
{
    char absolute[MAXPATHLEN];
    oh_failure failure;
    bool is_found;

    if (!find_path(from, absolute)) {
        return NULL;
    }
    oh_snapshot *snapshot =
        oh_source_load((oh_text){ZSTR_VAL(name), ZSTR_LEN(name)}, absolute, &failure, &is_found);
    if (!snapshot && !is_found && is_word(from)) {
        oh_quoted shown;

        oh_failure_throw_plain(
            OH_SAY_WORD_AS_FILE, oh_quote_path(&shown, ZSTR_VAL(from), ZSTR_LEN(from)));
        return NULL;
    }
    return taken(snapshot, name, &failure, is_found);
}

static oh_snapshot *take_text(const zend_string *name, const zend_string *text, bool is_array)
{
    oh_failure failure;
    bool is_found;
    oh_snapshot *snapshot = oh_source_load_text((oh_text){ZSTR_VAL(name), ZSTR_LEN(name)},
        (oh_text){ZSTR_VAL(text), ZSTR_LEN(text)}, is_array, &failure, &is_found);

    return taken(snapshot, name, &failure, is_found);
}

static oh_snapshot *take_array(const zend_string *name, const HashTable *directives)
{
    zend_string *text = oh_configuration_of_array(name, directives);

    if (!text) {
        return NULL;
    }
    oh_snapshot *snapshot = take_text(name, text, true);
    zend_string_release(text);
    return snapshot;
}

/* `name` is NULL if only the DSN can name the pool. If it does not, the name is `onehop`. */
static oh_snapshot *take_dsn(const zend_string *name, const zend_string *text)
{
    zend_string *own = zend_string_init(ZEND_STRL("onehop"), false);
    oh_snapshot *snapshot = NULL;
    oh_dsn dsn;

    if (!oh_dsn_read(&dsn, text)) {
        /* It has thrown. */
    } else if (dsn.path && !name && !dsn.pool) {
        oh_failure_throw_plain(OH_SAY_DSN_REFUSED, OH_REASON_DSN_POOL);
    } else {
        name = name ? name : dsn.pool ? dsn.pool : own;
        snapshot =
            dsn.path ? take_file(name, dsn.path) : take_array(name, Z_ARRVAL(dsn.directives));
    }
    oh_dsn_free(&dsn);
    zend_string_release(own);
    return snapshot;
}

static oh_snapshot *take(const zend_string *name, const zend_string *from)
{
    if (oh_dsn_is(from)) {
        return take_dsn(name, from);
    }
    if (is_text(from)) {
        return take_text(name, from, false);
    }
    return take_file(name, from);
}

static oh_snapshot *take_default(const zend_string *name)
{
    const char *setting = OHG(config);

    if (!setting || !*setting) {
        oh_failure_throw_plain(OH_SAY_NO_FILE);
        return NULL;
    }
    zend_string *from = zend_string_init(setting, strlen(setting), false);
    oh_snapshot *snapshot = take(name, from);
    zend_string_release(from);
    return snapshot;
}

oh_snapshot *oh_configuration_take(
    const zend_string *name, const zend_string *from, const HashTable *directives)
{
    bool is_dsn = oh_dsn_is(name);

    if (is_dsn && (from || directives)) {
        zend_argument_value_error(2, "must be null if the first one is a DSN");
        return NULL;
    }
    if (from && strlen(ZSTR_VAL(from)) != ZSTR_LEN(from)) {
        zend_argument_value_error(2, "must not contain any null bytes");
        return NULL;
    }
    if (!is_dsn && is_url(name)) {
        oh_failure_throw_plain(OH_SAY_URL);
        return NULL;
    }
    return is_dsn       ? take_dsn(NULL, name)
           : directives ? take_array(name, directives)
           : from       ? take(name, from)
                        : take_default(name);
}
