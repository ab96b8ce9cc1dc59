/*
 * OneHop\Wire: the wire guard for PHP code and for the conformance runner.
 */
#include "php/base/zend.h"

#include "core/resp/wire.h"

#define COMMANDS_MAX 65536 /* Each command is written to the guard. */

static void read_chunks(oh_wire *wire, HashTable *chunks)
{
    zval *chunk;

    ZEND_HASH_FOREACH_VAL(chunks, chunk)
    {
        ZVAL_DEREF(chunk);
        if (Z_TYPE_P(chunk) == IS_STRING && !wire->error) {
            oh_wire_read(wire, (const uint8_t *)Z_STRVAL_P(chunk), Z_STRLEN_P(chunk));
        }
    }
    ZEND_HASH_FOREACH_END();
}

ZEND_METHOD(OneHop_Wire, frame)
{
    zend_long commands;
    HashTable *chunks;
    oh_wire wire;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_LONG(commands)
    Z_PARAM_ARRAY_HT(chunks)
    ZEND_PARSE_PARAMETERS_END();
    if (commands < 0 || commands > COMMANDS_MAX) {
        zend_argument_value_error(1, "must be from 0 to %d", COMMANDS_MAX);
        RETURN_THROWS();
    }
    oh_wire_reset(&wire);
    for (zend_long i = 0; i < commands; i++) {
        oh_wire_wrote(&wire, (const uint8_t *)OH_RESP_PING, strlen(OH_RESP_PING));
    }
    read_chunks(&wire, chunks);
    array_init_size(return_value, 4);
    add_assoc_long(return_value, "answered", (zend_long)wire.answered);
    add_assoc_long(return_value, "owed", (zend_long)oh_wire_owed(&wire));
    add_assoc_bool(return_value, "clean", oh_wire_is_clean(&wire));
    if (wire.error) {
        add_assoc_string(return_value, "error", wire.error);
    } else {
        add_assoc_null(return_value, "error");
    }
}
