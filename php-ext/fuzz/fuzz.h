/*
 * What a fuzz target gives: the entry point of libFuzzer, so that clang, AFL++ and OSS-Fuzz can
 * drive it as it is, and a few words of its language, which main.c mutates with where there is no
 * clang.
 *
 * A target never returns anything but 0. What is wrong with the core it tells by aborting, or a
 * sanitizer does.
 */
#ifndef OH_FUZZ_H
#define OH_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Ends with NULL. */
extern const char *const fuzz_words[];

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold.\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
