/*
 * Arrays are checked one level deep, because many methods pack each value of an array separately.
 * For deeper values, PHP's serializer has already written some output, so phpredis does not crash.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"

#include "php/call/packing.h"

static bool is_packable(const zval *value)
{
    ZVAL_DEREF(value);
    if (EXPECTED(Z_TYPE_P(value) != IS_OBJECT) ||
        EXPECTED(!(Z_OBJCE_P(value)->ce_flags & ZEND_ACC_NOT_SERIALIZABLE))) {
        return true;
    }
    zend_throw_exception_ex(
        NULL, 0, "Serialization of '%s' is not allowed", ZSTR_VAL(Z_OBJCE_P(value)->name));
    return false;
}

static bool are_packable(HashTable *values)
{
    zval *value;

    ZEND_HASH_FOREACH_VAL(values, value)
    {
        if (!is_packable(value)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

bool oh_packing_is_possible(zend_execute_data *execute_data)
{
    for (uint32_t i = 1; i <= ZEND_NUM_ARGS(); i++) {
        const zval *argument = ZEND_CALL_ARG(execute_data, i);

        ZVAL_DEREF(argument);
        if (!is_packable(argument) ||
            (Z_TYPE_P(argument) == IS_ARRAY && !are_packable(Z_ARRVAL_P(argument)))) {
            return false;
        }
    }
    return true;
}
