/*
 * The inside of room ssdb: the forms of spec/route/ssdb.json as generated/ssdb.h has them, and
 * finding one.
 */
#ifndef OH_SSDB_FORM_H
#define OH_SSDB_FORM_H

#include "core/ssdb/ssdb_word.h"

/* What is made of the replies. */
typedef enum oh_ssdb_reply {
    OH_SSDB_AS_IS,
    OH_SSDB_OK_OR_NIL,
    OH_SSDB_NUMBER,
    OH_SSDB_LIST_OR_NIL,
    OH_SSDB_COUNT_ANY
} oh_ssdb_reply;

/* What is read when nothing has to be sent. */
typedef enum oh_ssdb_empty {
    OH_SSDB_EMPTY_NEVER,
    OH_SSDB_EMPTY_NUMBER,
    OH_SSDB_EMPTY_LIST
} oh_ssdb_empty;

/*
 * What is sent instead: a name, and behind it the words at these places of the form, one digit
 * each, and its tail.
 */
typedef struct oh_ssdb_send {
    const char *name;
    const char *places;
    bool counts; /* Its reply says whether there was something. */
} oh_ssdb_send;

/*
 * Behind the name: words that must be there, and words that are there once or more; a letter for
 * the type of each.
 */
typedef struct oh_ssdb_form {
    const char *fixed;
    const char *tail;
    const oh_ssdb_send *sends; /* More than one: for each key. */
    uint8_t sends_count;
    uint8_t reply;
    uint8_t empty;
    bool is_raw;
} oh_ssdb_form;

/*
 * Sorted by name, which is in small letters. No reason: one of SSDB's own commands, sent as it is.
 */
typedef struct oh_ssdb_name {
    const char *name;
    const oh_ssdb_form *forms;
    uint8_t forms_count;
    const char *reason;
} oh_ssdb_name;

/* What there is about a command's name, NULL if nothing: SSDB has no such command. */
const oh_ssdb_name *oh_ssdb_find(oh_bytes word);

/* The form the command has, or NULL. `words` begins with the name. */
const oh_ssdb_form *oh_ssdb_match(
    const oh_ssdb_name *name, const oh_bytes *words, size_t count, bool is_raw);

/* Why a command that has no form is refused. */
const char *oh_ssdb_reason(const oh_ssdb_name *name, const oh_bytes *words, size_t count);

/* The type of word `i` of a command that has this form, of which 0 is the name. */
char oh_ssdb_letter(const oh_ssdb_form *form, size_t i);

#endif
