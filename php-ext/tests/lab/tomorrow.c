/*
 * An extension that adds methods to phpredis' \Redis, as a later phpredis has them. It is loaded
 * between phpredis and OneHop:
 *
 *     cc -shared -fPIC $(php-config --includes) -o tomorrow.so tomorrow.c
 *     php -d extension=tomorrow.so -d extension=onehop.so
 *
 * Each method sends, by rawCommand(), the command of its name with all arguments. Arrays are sent
 * element by element. OPT_PREFIX is put before the keys, where the method says so.
 */
#include "php.h"

/* Sends the command. `last`: the argument with the last key, from 1; 0 if there is none. */
static void send_words(INTERNAL_FUNCTION_PARAMETERS, uint32_t last)
{
    zend_class_entry *redis = Z_OBJCE_P(ZEND_THIS);
    zend_function *raw = zend_hash_str_find_ptr(&redis->function_table, ZEND_STRL("rawcommand")),
                  *prefix = zend_hash_str_find_ptr(&redis->function_table, ZEND_STRL("_prefix"));
    zval words[64];
    uint32_t count = 1;

    ZVAL_STR(&words[0], zend_string_toupper(EX(func)->common.function_name));
    for (uint32_t i = 1; i <= ZEND_NUM_ARGS(); i++) {
        zval *argument = ZEND_CALL_ARG(execute_data, i), *value;
        zend_string *name;
        zend_ulong index;

        if (Z_TYPE_P(argument) != IS_ARRAY && i <= last) {
            zend_call_known_function(
                prefix, Z_OBJ_P(ZEND_THIS), redis, &words[count++], 1, argument, NULL);
        } else if (Z_TYPE_P(argument) != IS_ARRAY) {
            ZVAL_COPY(&words[count++], argument);
        } else {
            ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(argument), index, name, value)
            {
                zval key;
                if (name) {
                    ZVAL_STR(&key, name);
                    zend_call_known_function(
                        prefix, Z_OBJ_P(ZEND_THIS), redis, &words[count++], 1, &key, NULL);
                }
                ZVAL_COPY(&words[count++], value);
                (void)index;
            }
            ZEND_HASH_FOREACH_END();
        }
    }
    zend_call_known_function(raw, Z_OBJ_P(ZEND_THIS), redis, return_value, count, words, NULL);
    while (count > 0) {
        zval_ptr_dtor(&words[--count]);
    }
}

ZEND_METHOD(Redis, one_key)
{
    send_words(INTERNAL_FUNCTION_PARAM_PASSTHRU, 1);
}

ZEND_METHOD(Redis, no_key)
{
    send_words(INTERNAL_FUNCTION_PARAM_PASSTHRU, 0);
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_hexpire, 0, 0, 3)
ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, ttl, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, fields, IS_ARRAY, 0)
ZEND_END_ARG_INFO()
ZEND_BEGIN_ARG_INFO_EX(arginfo_httl, 0, 0, 2)
ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, fields, IS_ARRAY, 0)
ZEND_END_ARG_INFO()
ZEND_BEGIN_ARG_INFO_EX(arginfo_msetex, 0, 0, 1)
ZEND_ARG_TYPE_INFO(0, key_vals, IS_ARRAY, 0)
ZEND_END_ARG_INFO()
ZEND_BEGIN_ARG_INFO_EX(arginfo_untyped, 0, 0, 2)
ZEND_ARG_INFO(0, key)
ZEND_ARG_INFO(0, element)
ZEND_END_ARG_INFO()
ZEND_BEGIN_ARG_INFO_EX(arginfo_of_a_set, 0, 0, 1)
ZEND_ARG_TYPE_INFO(0, set, IS_STRING, 0)
ZEND_END_ARG_INFO()
ZEND_BEGIN_ARG_INFO_EX(arginfo_by_reference, 0, 0, 2)
ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(1, iterator, IS_LONG, 1)
ZEND_END_ARG_INFO()
ZEND_BEGIN_ARG_INFO_EX(arginfo_key, 0, 0, 1)
ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

static const zend_function_entry methods[] = {
    /* clang-format off */
    ZEND_MALIAS(Redis, hExpire, one_key, arginfo_hexpire, ZEND_ACC_PUBLIC)
    ZEND_MALIAS(Redis, hTtl, one_key, arginfo_httl, ZEND_ACC_PUBLIC)
    ZEND_MALIAS(Redis, mSetEx, no_key, arginfo_msetex, ZEND_ACC_PUBLIC)
    ZEND_MALIAS(Redis, vIsMember, one_key, arginfo_untyped, ZEND_ACC_PUBLIC)
    ZEND_MALIAS(Redis, vCard, one_key, arginfo_of_a_set, ZEND_ACC_PUBLIC)
    ZEND_MALIAS(Redis, vLinks, one_key, arginfo_by_reference, ZEND_ACC_PUBLIC)
    ZEND_MALIAS(Redis, nobodyKnows, one_key, arginfo_key, ZEND_ACC_PUBLIC)
    ZEND_MALIAS(Redis, shutdown, no_key, arginfo_key, ZEND_ACC_PUBLIC)
    ZEND_FE_END
    /* clang-format on */
};

static int startup(INIT_FUNC_ARGS)
{
    zend_class_entry *redis = zend_hash_str_find_ptr(CG(class_table), ZEND_STRL("redis"));
    zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, ZEND_STRL("redis"));

    if (getenv("TOMORROW_VERSION")) {
        module->version = getenv("TOMORROW_VERSION");
    }
    return redis
               ? zend_register_functions(redis, methods, &redis->function_table, MODULE_PERSISTENT)
               : FAILURE;
}

static const zend_module_dep dependencies[] = {ZEND_MOD_REQUIRED("redis") ZEND_MOD_END};

static zend_module_entry tomorrow_module_entry = {STANDARD_MODULE_HEADER_EX, NULL, dependencies,
    "tomorrow", NULL, startup, NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(tomorrow)
