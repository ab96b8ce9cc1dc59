/*
 * Matching: which form a command has. Its name is found by binary search; then the few forms of
 * that name are tried one after another.
 */
#include "core/ssdb/ssdb_form.h"

#include <string.h>

#include "core/generated/ssdb.h"

#define NAMES_COUNT (sizeof oh_ssdb_names / sizeof oh_ssdb_names[0])
#define NAME_BYTES_MAX 32

const oh_ssdb_name *oh_ssdb_find(oh_bytes word)
{
    char name[NAME_BYTES_MAX];
    size_t low = 0, high = NAMES_COUNT;

    if (word.length >= sizeof name) {
        return NULL;
    }
    for (size_t i = 0; i < word.length; i++) {
        uint8_t byte = word.bytes[i];

        name[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    }
    name[word.length] = '\0';
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(oh_ssdb_names[middle].name, name);

        if (order == 0) {
            return strlen(name) == word.length ? &oh_ssdb_names[middle] : NULL;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

char oh_ssdb_letter(const oh_ssdb_form *form, size_t i)
{
    size_t fixed = strlen(form->fixed);

    return i <= fixed ? form->fixed[i - 1] : form->tail[(i - 1 - fixed) % strlen(form->tail)];
}

static bool is_literal(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

/* True if the command has as many words as the form, and the words that the form names. */
static bool has_outline(const oh_ssdb_form *form, const oh_bytes *words, size_t count)
{
    size_t fixed = strlen(form->fixed), tail = strlen(form->tail);

    if (count < fixed + 1 + tail || (tail ? (count - fixed - 1) % tail != 0 : count != fixed + 1)) {
        return false;
    }
    for (size_t i = 1; i <= fixed; i++) {
        char letter = form->fixed[i - 1];

        if (is_literal(letter) && !oh_ssdb_word_is(words[i], oh_ssdb_words[letter - 'A'])) {
            return false;
        }
    }
    return true;
}

/* The first word that is not of its type; `count` if all are. */
static size_t first_unfit(
    const oh_ssdb_form *form, const oh_bytes *words, size_t count, bool is_length_only)
{
    for (size_t i = 1; i < count; i++) {
        char letter = oh_ssdb_letter(form, i);
        bool matters = !is_literal(letter) && (!is_length_only || oh_ssdb_length_reason(letter));

        if (matters && !oh_ssdb_word_fits(letter, words[i])) {
            return i;
        }
    }
    return count;
}

const oh_ssdb_form *oh_ssdb_match(
    const oh_ssdb_name *name, const oh_bytes *words, size_t count, bool is_raw)
{
    for (size_t i = 0; i < name->forms_count; i++) {
        const oh_ssdb_form *form = &name->forms[i];

        if ((is_raw || !form->is_raw) && has_outline(form, words, count) &&
            first_unfit(form, words, count, false) == count) {
            return form;
        }
    }
    return NULL;
}

const char *oh_ssdb_reason(const oh_ssdb_name *name, const oh_bytes *words, size_t count)
{
    for (size_t i = 0; i < name->forms_count; i++) {
        const oh_ssdb_form *form = &name->forms[i];
        size_t unfit =
            has_outline(form, words, count) ? first_unfit(form, words, count, true) : count;

        if (unfit < count) {
            return oh_ssdb_length_reason(oh_ssdb_letter(form, unfit));
        }
    }
    return name->reason;
}
