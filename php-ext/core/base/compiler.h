/*
 * What C11 cannot say to a compiler, and gcc and clang understand. It changes how fast code is, never what it does.
 */
#ifndef OH_COMPILER_H
#define OH_COMPILER_H

#ifdef __GNUC__
#define OH_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define OH_NOINLINE __attribute__((noinline))
#else
#define OH_UNLIKELY(condition) (condition)
#define OH_NOINLINE
#endif

#endif
