/*
 * Numbers as decimal text, for texts that are digested: no locale, no buffer that could be too
 * small, no stdio.
 */
#ifndef OH_DECIMAL_H
#define OH_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define OH_DECIMAL_DIGITS_MAX 10 /* 4294967295 */

/* Writes `number` without a NUL, returns how many digits it has. */
static inline size_t oh_decimal_write(char to[OH_DECIMAL_DIGITS_MAX], uint32_t number)
{
    size_t count = 1;
    for (uint32_t rest = number / 10; rest > 0; rest /= 10) {
        count++;
    }
    for (size_t i = count; i > 0; i--) {
        to[i - 1] = (char)('0' + number % 10);
        number /= 10;
    }
    return count;
}

#endif
