/*
 * OneHop works with every phpredis from 5.3.7 on, so classes, methods and constants are looked up
 * at runtime.
 */
#include "php/base/zend.h"

#include "ext/standard/php_versioning.h"

#include "php/phpredis/phpredis.h"

zend_class_entry *oh_phpredis_class;
zend_class_entry *oh_phpredis_exception_class;

bool oh_phpredis_find(void)
{
    oh_phpredis_class = zend_hash_str_find_ptr(CG(class_table), ZEND_STRL("redis"));
    oh_phpredis_exception_class =
        zend_hash_str_find_ptr(CG(class_table), ZEND_STRL("redisexception"));
    return oh_phpredis_class && oh_phpredis_exception_class;
}

bool oh_phpredis_is_before(const char *version)
{
    const char *loaded = zend_get_module_version("redis");

    return loaded && php_version_compare(loaded, version) < 0;
}

zend_function *oh_phpredis_method(const char *name)
{
    return zend_hash_str_find_ptr(&oh_phpredis_class->function_table, name, strlen(name));
}

zend_long oh_phpredis_constant(const char *name)
{
    zend_class_constant *constant =
        zend_hash_str_find_ptr(&oh_phpredis_class->constants_table, name, strlen(name));

    return constant ? Z_LVAL(constant->value) : -1;
}
