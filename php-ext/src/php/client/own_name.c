/* Like a server, it takes any name of visible ASCII; phpredis returns a server's error as false. */
#include "php/base/zend.h"

#include "php/client/own_name.h"

static bool is_visible(const zend_string *text)
{
    for (size_t i = 0; i < ZSTR_LEN(text); i++) {
        if (ZSTR_VAL(text)[i] < '!' || ZSTR_VAL(text)[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool are_strings(const zval *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (Z_TYPE(words[i]) != IS_STRING) {
            return false;
        }
    }
    return count > 0;
}

static bool is_verb(const zval *word, const char *verb)
{
    return zend_binary_strcasecmp(Z_STRVAL_P(word), Z_STRLEN_P(word), verb, strlen(verb)) == 0;
}

static bool set(oh_client *client, zend_string *name)
{
    if (!is_visible(name)) {
        return false;
    }
    if (client->own_name) {
        zend_string_release(client->own_name);
    }
    client->own_name = ZSTR_LEN(name) ? zend_string_copy(name) : NULL;
    return true;
}

bool oh_own_name_answers(oh_client *client, const zval *words, uint32_t count, zval *return_value)
{
    if (client->mode != OH_ATOMIC || !are_strings(words, count)) {
        return false;
    }
    if (count == 2 && is_verb(words, "setname")) {
        RETVAL_BOOL(set(client, Z_STR(words[1])));
        return true;
    }
    if (count == 3 && is_verb(words, "setinfo")) {
        bool is_field = is_verb(&words[1], "lib-name") || is_verb(&words[1], "lib-ver");

        RETVAL_BOOL(is_field && is_visible(Z_STR(words[2])));
        return true;
    }
    if (count == 1 && is_verb(words, "getname")) {
        if (client->own_name) {
            RETVAL_STR_COPY(client->own_name);
        } else {
            RETVAL_FALSE;
        }
        return true;
    }
    return false;
}
