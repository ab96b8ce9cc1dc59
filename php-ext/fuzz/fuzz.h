/*
 * Fuzz target: has the entry point of libFuzzer, so clang, AFL++ and OSS-Fuzz can drive it. It also
 * has a few words of the language that it reads. Without clang, main.c makes mutants of them.
 *
 * A target always returns 0. If something is wrong with the core, the target or a sanitizer aborts.
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
