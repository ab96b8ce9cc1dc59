/*
 * OneHop\Health: runs the rules of spec/health for PHP code and for the conformance runner, without
 * any node.
 */
#include "php/base/zend.h"

#include "core/host/health.h"

static zend_long number(HashTable *from, const char *name)
{
    zval *value = zend_hash_str_find(from, name, strlen(name));

    return value ? zval_get_long(value) : 0;
}

static bool is_text(HashTable *from, const char *name, const char *text)
{
    zval *value = zend_hash_str_find(from, name, strlen(name));

    return value && Z_TYPE_P(value) == IS_STRING &&
           zend_string_equals_cstr(Z_STR_P(value), text, strlen(text));
}

static uint64_t meet(
    uint64_t state, const oh_health_rules *rules, HashTable *event, const char **answer)
{
    static const char *const words[] = {"go", "probe", "refuse"};
    uint64_t now_ms = (uint64_t)number(event, "at");
    oh_health_answer told;

    if (zend_hash_str_exists(event, ZEND_STRL("ask"))) {
        state = oh_health_asked(state, rules, now_ms, (uint32_t)number(event, "ask"), &told);
        *answer = words[told];
        return state;
    }
    if (zend_hash_str_exists(event, ZEND_STRL("failed"))) {
        uint64_t heard_ms = (uint64_t)number(event, "last_heard");
        uint64_t born_heard_ms = zend_hash_str_exists(event, ZEND_STRL("heard"))
                                     ? (uint64_t)number(event, "heard")
                                     : heard_ms;

        return oh_health_failed(state, heard_ms, rules,
            is_text(event, "failed", "refused") ? OH_HEALTH_REFUSED : OH_HEALTH_EXCHANGE,
            born_heard_ms << 6 | (uint64_t)number(event, "born"), now_ms,
            (uint32_t)number(event, "chance"));
    }
    return zend_hash_str_exists(event, ZEND_STRL("rebuild")) ? oh_health_rebuilt(state, now_ms)
                                                             : oh_health_answered(state, rules);
}

ZEND_METHOD(OneHop_Health, next)
{
    HashTable *rules_said, *event;
    zend_long state;
    const char *answer = NULL;

    ZEND_PARSE_PARAMETERS_START(3, 3)
    Z_PARAM_ARRAY_HT(rules_said)
    Z_PARAM_LONG(state)
    Z_PARAM_ARRAY_HT(event)
    ZEND_PARSE_PARAMETERS_END();
    oh_health_rules rules = {.ejects = number(rules_said, "ejects") != 0,
        .failure_limit = (uint32_t)number(rules_said, "failure_limit"),
        .retry_ms = (uint32_t)number(rules_said, "retry_ms")};
    uint64_t next = meet((uint64_t)state, &rules, event, &answer);
    array_init_size(return_value, 6);
    add_assoc_long(return_value, "state", (zend_long)next);
    add_assoc_long(return_value, "until", (zend_long)oh_health_until(next));
    add_assoc_long(return_value, "failures", oh_health_failures(next));
    add_assoc_long(return_value, "step", oh_health_step(next));
    add_assoc_long(return_value, "generation", oh_health_generation(next));
    if (answer) {
        add_assoc_string(return_value, "answer", answer);
    }
}
