/*
 * Which file: the one that a constructor names, or that of php.ini; and whether this script may read it.
 */
#include "php_onehop.h"

#include "failure.h"
#include "source_path.h"

static bool refuse(const char *what, const char *why, const char *advice)
{
    oh_failure_throw_plain(OH_ERROR_CONFIG_INVALID, advice, "%s%s", what, why);
    return false;
}

bool oh_source_find_path(const zend_string *path, char absolute[MAXPATHLEN])
{
    const char *from = path ? ZSTR_VAL(path) : OHG(config);
    char what[320];

    if (!from || !*from) {
        return refuse("There is no configuration", "", "set onehop.config in php.ini or name a file");
    }
    snprintf(what, sizeof what, "Configuration %s: ", from);
    if (php_check_open_basedir_ex(from, 0) < 0) {
        return refuse(what, "open_basedir does not allow it", "correct the file, or name another one");
    }
    if (!expand_filepath(from, absolute)) {
        return refuse(what, "the path is too long", "correct the file, or name another one");
    }
    return true;
}
