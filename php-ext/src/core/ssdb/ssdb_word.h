/*
 * The inside of room ssdb: what a word of a command may be, by the letter of its type.
 */
#ifndef OH_SSDB_WORD_H
#define OH_SSDB_WORD_H

#include "core/ssdb/ssdb.h"

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
