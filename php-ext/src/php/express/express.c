/*
 * The table, the memory of a request, and the way back from a written command to its arguments.
 */
#include "php/base/zend.h"

#include "php/express/express.h"

#include "php/generated/express.h"

/* A request that was larger than this is not kept: its memory would stay with an idle client. */
#define OH_EXPRESS_KEPT_BYTES 262144

bool oh_express_knows(const char *phpredis_version)
{
    for (size_t i = 0; i < sizeof express_versions / sizeof *express_versions; i++) {
        if (strcmp(express_versions[i], phpredis_version) == 0) {
            return true;
        }
    }
    return false;
}

oh_express_forms oh_express_find(const char *name)
{
    oh_express_forms forms = {NULL, 0};

    for (size_t i = 0; i < sizeof express_rows / sizeof *express_rows; i++) {
        if (strcmp(express_rows[i].method, name) == 0) {
            forms.rows = forms.rows ? forms.rows : &express_rows[i];
            forms.count++;
        }
    }
    return forms;
}

void oh_express_clear(oh_express *express)
{
    if (express->capacity > OH_EXPRESS_KEPT_BYTES) {
        oh_express_free(express);
    }
    express->length = 0;
    express->count = 0;
    express->node_groups = NULL;
}

void oh_express_free(oh_express *express)
{
    if (express->bytes) {
        efree(express->bytes);
    }
    if (express->rows) {
        efree(express->rows);
    }
    *express = (oh_express){.bytes = NULL};
}

/* ---- Back to arguments ---- */

/* Takes the next word, without the first `skipped` bytes. */
static zend_string *take_word(oh_values *commands, size_t skipped)
{
    oh_bytes word = {NULL, 0};

    oh_value_take_word(commands, &word);
    ZEND_ASSERT(word.length >= skipped);
    return zend_string_init((const char *)word.bytes + skipped, word.length - skipped, false);
}

static void take_list(zval *list, oh_values *commands, size_t count, size_t prefix_length)
{
    array_init_size(list, (uint32_t)count);
    for (; count > 0; count--) {
        add_next_index_str(list, take_word(commands, prefix_length));
    }
}

static void take_map(zval *map, oh_values *commands, size_t count)
{
    array_init_size(map, (uint32_t)count / 2);
    for (; count > 0; count -= 2) {
        zend_string *name = take_word(commands, 0);
        zval value;

        ZVAL_STR(&value, take_word(commands, 0));
        zend_symtable_update(Z_ARRVAL_P(map), name, &value);
        zend_string_release(name);
    }
}

/* Takes one argument. `left` is how many words are left. */
static void take_argument(
    zval *argument, char letter, oh_values *commands, size_t left, size_t prefix_length)
{
    switch (letter) {
    case 'K':
    case 'A': take_list(argument, commands, left, prefix_length); return;
    case 'F': take_list(argument, commands, left, 0); return;
    case 'M': take_map(argument, commands, left); return;
    default: ZVAL_STR(argument, take_word(commands, letter == 'k' ? prefix_length : 0)); return;
    }
}

zval *oh_express_arguments(
    const oh_express_row *row, oh_values *commands, size_t prefix_length, uint32_t *count)
{
    const char *letters = row->arguments;
    size_t left = 0;

    oh_value_take_command(commands, &left);
    zval *arguments = safe_emalloc(left, sizeof *arguments, 0);
    zend_string_release(take_word(commands, 0)); /* The name of the command. */
    *count = 0;
    while (--left > 0) {
        char letter = *letters;

        take_argument(&arguments[(*count)++], letter, commands, left, prefix_length);
        if (strchr("KAFM", letter)) {
            break;
        }
        letters += letters[1] != '\0'; /* The last letter stands for all further arguments. */
    }
    if (row->swaps_last) {
        zval last = arguments[*count - 1];

        arguments[*count - 1] = arguments[*count - 2];
        arguments[*count - 2] = last;
    }
    return arguments;
}

void oh_express_free_arguments(zval *arguments, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        zval_ptr_dtor(&arguments[i]);
    }
    efree(arguments);
}
