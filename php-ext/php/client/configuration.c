/*
 * Finds the file: the one that a constructor names, or that of php.ini. Checks whether this script
 * may read it.
 *
 * The kernel follows links on the path each time the file is checked. If a link changes (a
 * ConfigMap of Kubernetes, a release), that is a change of the file, not another file. So the path
 * stays as it is given; even `..` may come after a link. PHP's own functions would resolve it, from
 * a cache that may be two minutes old.
 */
#include "php_onehop.h"

#include "engine/source/source.h"

#include "php/client/configuration.h"
#include "php/exception/exception.h"

static bool refuse(const char *path, const char *reason)
{
    char shown[251];

    snprintf(shown, sizeof shown, "%s", path);
    oh_failure_throw_plain(OH_SAY_FILE_UNREADABLE, shown, reason);
    return false;
}

/* False: it is too long. */
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

/* The absolute path of a configuration, its links not followed. False and ConfigInvalid. */
static bool find_path(const zend_string *path, char absolute[MAXPATHLEN])
{
    const char *from = path ? ZSTR_VAL(path) : OHG(config);

    if (!from || !*from) {
        oh_failure_throw_plain(OH_SAY_NO_FILE);
        return false;
    }
    if (php_check_open_basedir_ex(from, 0) < 0) {
        return refuse(from, OH_REASON_BASEDIR);
    }
    if (!make_absolute(from, absolute)) {
        return refuse(from, OH_REASON_LONG_PATH);
    }
    return true;
}

oh_snapshot *oh_configuration_take(const zend_string *name, const zend_string *path)
{
    char absolute[MAXPATHLEN];
    oh_failure failure;
    bool is_found;

    if (!find_path(path, absolute)) {
        return NULL;
    }
    oh_snapshot *snapshot =
        oh_source_load((oh_text){ZSTR_VAL(name), ZSTR_LEN(name)}, absolute, &failure, &is_found);
    if (!snapshot) {
        oh_failure_throw(
            oh_failure_exception(&failure, NULL, is_found ? ZSTR_VAL(name) : NULL, NULL));
    }
    return snapshot;
}
