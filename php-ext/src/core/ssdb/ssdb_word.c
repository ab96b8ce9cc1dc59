/*
 * Types of words. SSDB keeps scores in 64-bit integers and cuts what does not fit; clients write
 * doubles, as 3.0 or 1.7e+12. So numbers are read here to the last digit, and those that are not
 * whole or do not fit are found.
 */
#include "core/ssdb/ssdb_form.h"

#include <string.h>

#include "core/generated/limits.h"

#define INT31_MAX 2147483647
#define LEAST ((uint64_t)1 << 63) /* How far below 0 a number of 64 bits reaches. */

/* A decimal number: its part before the point, and whether anything follows the point. */
typedef struct {
    bool is_negative;
    bool has_fraction;
    bool is_large; /* Beyond what `whole` can hold. */
    uint64_t whole;
} decimal;

static void add_digit(decimal *number, uint8_t digit)
{
    number->is_large |= number->whole > (UINT64_MAX - digit) / 10;
    number->whole = number->whole * 10 + digit;
}

/* `point` is how many of the digits are before the point. */
static void add_digits(decimal *number, oh_bytes word, size_t from, size_t to, int64_t point)
{
    int64_t place = 0;

    for (size_t i = from; i < to; i++) {
        if (word.bytes[i] == '.') {
            continue;
        }
        uint8_t digit = (uint8_t)(word.bytes[i] - '0');

        if (place++ < point) {
            add_digit(number, digit);
        } else {
            number->has_fraction |= digit > 0;
        }
    }
    for (; place < point && number->whole > 0 && !number->is_large; place++) {
        add_digit(number, 0);
    }
}

/* -?digits(.digits)?([eE][+-]?digits)? False if it is something else. */
static bool read_decimal(oh_bytes word, decimal *number)
{
    memset(number, 0, sizeof *number);
    number->is_negative = word.length > 0 && word.bytes[0] == '-';
    size_t from = number->is_negative, to = from + oh_digits_at(word, from), end;
    int64_t point = (int64_t)(to - from), exponent = 0;

    if (to == from) {
        return false;
    }
    if (to < word.length && word.bytes[to] == '.') {
        end = to + 1 + oh_digits_at(word, to + 1);
        if (end == to + 1) {
            return false;
        }
        to = end;
    }
    end = to;
    if (to < word.length && (word.bytes[to] == 'e' || word.bytes[to] == 'E')) {
        bool is_signed =
            to + 1 < word.length && (word.bytes[to + 1] == '-' || word.bytes[to + 1] == '+');
        size_t at = to + 1 + is_signed;

        end = at + oh_digits_at(word, at);
        if (end == at) {
            return false;
        }
        for (int64_t most = OH_SSDB_EXPONENT_MAX + (int64_t)(to - from);
            at < end && exponent < most; at++) {
            exponent = exponent * 10 + (word.bytes[at] - '0');
        }
        exponent = word.bytes[to + 1] == '-' ? -exponent : exponent;
    }
    add_digits(number, word, from, to, point + exponent);
    return end == word.length;
}

/* -?(0|[1-9]digits) from `least` to `most`. */
static bool is_whole(oh_bytes word, int64_t least, int64_t most)
{
    decimal number;
    size_t from = word.length > 0 && word.bytes[0] == '-';

    if (from + oh_digits_at(word, from) != word.length || !read_decimal(word, &number) ||
        number.is_large || (word.bytes[from] == '0' && word.length > from + 1)) {
        return false;
    }
    return number.is_negative
               ? least < 0 && number.whole <= (uint64_t)-(least + 1) + 1
               : number.whole <= (uint64_t)most && (least <= 0 || number.whole >= (uint64_t)least);
}

static bool is_score(oh_bytes word)
{
    decimal number;

    return read_decimal(word, &number) && !number.has_fraction && !number.is_large &&
           number.whole <= LEAST - !number.is_negative;
}

static bool is_exclusive(oh_bytes word)
{
    return word.length > 0 && word.bytes[0] == '(';
}

static oh_bytes without_bracket(oh_bytes word)
{
    return is_exclusive(word) ? (oh_bytes){word.bytes + 1, word.length - 1} : word;
}

static bool is_bound(oh_bytes word)
{
    decimal number;

    return oh_bytes_is(word, "-inf") || oh_bytes_is(word, "+inf") ||
           read_decimal(without_bracket(word), &number);
}

bool oh_ssdb_word_is(oh_bytes word, const char *capitals)
{
    size_t i = 0;

    for (; i < word.length && capitals[i]; i++) {
        uint8_t byte = word.bytes[i];

        if ((byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte) != capitals[i]) {
            return false;
        }
    }
    return i == word.length && !capitals[i];
}

bool oh_ssdb_word_fits(char letter, oh_bytes word)
{
    switch (letter) {
    case 'k':
    case 'n':
    case 'f':
    case 'm': return word.length >= 1 && word.length <= OH_SSDB_WORD_BYTES_MAX;
    case 'v': return true;
    case 'a':
        return !oh_ssdb_word_is(word, "MATCH") && !oh_ssdb_word_is(word, "COUNT") &&
               !oh_ssdb_word_is(word, "TYPE");
    case 'i': return is_whole(word, INT64_MIN, INT64_MAX);
    case 'b': return is_whole(word, 0, INT64_MAX) && word.bytes[0] != '-';
    case 'c':
    case 't': return is_whole(word, 1, INT31_MAX);
    case 'o': return is_whole(word, 0, OH_SSDB_OFFSET_MAX) && word.bytes[0] != '-';
    case 'l': return is_whole(word, -1, INT31_MAX);
    case 'd': return oh_bytes_is(word, "0") || oh_bytes_is(word, "1");
    case 's': return is_score(word);
    default: return oh_ssdb_is_bound(letter) && is_bound(word);
    }
}

const char *oh_ssdb_length_reason(char letter)
{
    switch (letter) {
    case 'k': return "SSDB takes a key of 1 to 255 bytes.";
    case 'n': return "SSDB takes a name of 1 to 255 bytes.";
    case 'f': return "SSDB takes a field of 1 to 255 bytes.";
    case 'm': return "SSDB takes a member of 1 to 255 bytes.";
    default: return NULL;
    }
}

static int64_t value_of(const decimal *number, int shift)
{
    return (int64_t)((number->is_negative ? 0 - number->whole : number->whole) +
                     (uint64_t)(int64_t)shift);
}

int64_t oh_ssdb_score(oh_bytes word)
{
    decimal number;

    read_decimal(word, &number);
    return value_of(&number, 0);
}

/*
 * The nearest whole number inside the range: upwards from a low bound, downwards from a high one.
 */
static oh_ssdb_bound round_in(oh_bytes word, bool is_low, int64_t *value)
{
    decimal number;

    read_decimal(without_bracket(word), &number);
    bool moves = number.has_fraction ? number.is_negative != is_low : is_exclusive(word);
    int shift = moves ? (is_low ? 1 : -1) : 0;
    uint64_t reach = number.is_negative ? LEAST - (shift < 0) + (shift > 0)
                                        : LEAST - 1 - (shift > 0) + (shift < 0);

    if (number.is_large || number.whole > reach) {
        return number.is_negative == is_low ? OH_SSDB_BOUND_NONE : OH_SSDB_BOUND_NOTHING;
    }
    *value = value_of(&number, shift);
    return OH_SSDB_BOUND_AT;
}

oh_ssdb_bound oh_ssdb_bound_of(oh_bytes word, bool is_low, int64_t *number)
{
    if (oh_bytes_is(word, "-inf") || oh_bytes_is(word, "+inf")) {
        return (word.bytes[0] == '-') == is_low ? OH_SSDB_BOUND_NONE : OH_SSDB_BOUND_NOTHING;
    }
    return round_in(word, is_low, number);
}
