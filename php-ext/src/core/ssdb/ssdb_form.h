/*
 * The inside of room ssdb: the forms of spec/route/ssdb.json, as generated/ssdb.h has them, and the
 * search for one.
 */
#ifndef OH_SSDB_FORM_H
#define OH_SSDB_FORM_H

#include "core/ssdb/ssdb.h"

/* What the caller reads instead of the replies. */
typedef enum oh_ssdb_reply {
    OH_SSDB_AS_IS,
    OH_SSDB_OK_OR_NIL,
    OH_SSDB_NUMBER,
    OH_SSDB_LIST_OR_NIL,
    OH_SSDB_COUNT_ANY
} oh_ssdb_reply;

/* What the caller reads if nothing has to be sent. */
typedef enum oh_ssdb_empty {
    OH_SSDB_EMPTY_NEVER,
    OH_SSDB_EMPTY_NUMBER,
    OH_SSDB_EMPTY_LIST
} oh_ssdb_empty;

/*
 * What is sent instead: a name, then the words at these positions of the form (one digit each),
 * then the words of the form's tail.
 */
typedef struct oh_ssdb_send {
    const char *name;
    const char *places;
    bool counts; /* Its reply says whether something was there. */
} oh_ssdb_send;

/*
 * The words after the name, as letters of their types: first those that must be there, then those
 * that repeat, once or more.
 */
typedef struct oh_ssdb_form {
    const char *fixed;
    const char *tail;
    const oh_ssdb_send *sends; /* If there are several, they are sent for each key. */
    uint8_t sends_count;
    uint8_t reply;
    uint8_t empty;
    bool is_raw;
} oh_ssdb_form;

/*
 * Sorted by name, in small letters. A name without a reason is one of SSDB's own commands, and is
 * sent as it is.
 */
typedef struct oh_ssdb_name {
    const char *name;
    const oh_ssdb_form *forms;
    uint8_t forms_count;
    const char *reason;
} oh_ssdb_name;

/* The entry of a command's name. NULL if SSDB has no such command. */
const oh_ssdb_name *oh_ssdb_find(oh_bytes word);

/* The form the command has, or NULL. `words` begins with the name. */
const oh_ssdb_form *oh_ssdb_match(
    const oh_ssdb_name *name, const oh_bytes *words, size_t count, bool is_raw);

/* Why a command that has no form is refused. */
const char *oh_ssdb_reason(const oh_ssdb_name *name, const oh_bytes *words, size_t count);

/* The type of word `i` of a command that has this form. Word 0 is the name. */
char oh_ssdb_letter(const oh_ssdb_form *form, size_t i);

/* ---- What a word of a command may be, by the letter of its type ---- */

/* A bound of a range of scores. */
typedef enum oh_ssdb_bound {
    OH_SSDB_BOUND_NONE,
    OH_SSDB_BOUND_AT,
    OH_SSDB_BOUND_NOTHING
} oh_ssdb_bound;

/* True if the word is of the type; the letters are those of generated/ssdb.h. */
bool oh_ssdb_word_fits(char letter, oh_bytes word);

/* True if it is this word, in any case. */
bool oh_ssdb_word_is(oh_bytes word, const char *capitals);

/* The reason for a word of the wrong length; NULL if the type does not bound the length. */
const char *oh_ssdb_length_reason(char letter);

/* The whole number of a score. The word must fit. */
int64_t oh_ssdb_score(oh_bytes word);

/* A bound in whole numbers: none, a number, or one that excludes everything. The word must fit. */
oh_ssdb_bound oh_ssdb_bound_of(oh_bytes word, bool is_low, int64_t *number);

static inline bool oh_ssdb_is_low(char letter)
{
    return letter == '<' || letter == '(';
}

static inline bool oh_ssdb_is_bound(char letter)
{
    return oh_ssdb_is_low(letter) || letter == '>' || letter == ')';
}

#endif
