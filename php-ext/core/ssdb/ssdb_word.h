/*
 * The inside of room ssdb: what a word of a command may be, by the letter of its type.
 */
#ifndef OH_SSDB_WORD_H
#define OH_SSDB_WORD_H

#include "core/ssdb/ssdb.h"

#define OH_SSDB_DIGITS_MAX 20 /* -9223372036854775808 */

/* A bound of a range of scores. */
typedef enum oh_ssdb_bound {
    OH_SSDB_BOUND_NONE,
    OH_SSDB_BOUND_AT,
    OH_SSDB_BOUND_NOTHING
} oh_ssdb_bound;

/* Whether a word is of the type; letters are those of generated/ssdb.h. */
bool oh_ssdb_word_fits(char letter, oh_bytes word);

/* Whether it is this word of small or capital letters. */
bool oh_ssdb_word_is(oh_bytes word, const char *capitals);

/* Whether the type bounds the length, which has a reason of its own; what it is called. */
const char *oh_ssdb_length_reason(char letter);

/* The whole number that a score is. The word must fit. */
int64_t oh_ssdb_score(oh_bytes word);

/*
 * What a bound comes to in whole numbers: none, a number, or a bound that lets nothing through. The
 * word must fit.
 */
oh_ssdb_bound oh_ssdb_bound_of(oh_bytes word, bool is_low, int64_t *number);

static inline bool oh_ssdb_is_low(char letter)
{
    return letter == '<' || letter == '(';
}

static inline bool oh_ssdb_is_bound(char letter)
{
    return oh_ssdb_is_low(letter) || letter == '>' || letter == ')';
}

/* Writes a number in digits, gives back how many bytes. */
size_t oh_ssdb_write_number(char to[OH_SSDB_DIGITS_MAX], int64_t number);

#endif
