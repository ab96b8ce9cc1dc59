/*
 * Hints to gcc and clang that C11 cannot express. They change how fast the code is and what the
 * compiler warns of, never what it does. OH_IS_THREADED is set if PHP has threads (ZTS): then each
 * thread has its own pools and snapshots.
 */
#ifndef OH_COMPILER_H
#define OH_COMPILER_H

#ifdef __GNUC__
#define OH_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define OH_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define OH_NOINLINE __attribute__((noinline))
#define OH_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define OH_LIKELY(condition) (condition)
#define OH_UNLIKELY(condition) (condition)
#define OH_NOINLINE
#define OH_FORMAT(text, first)
#endif

#ifdef OH_IS_THREADED
#define OH_PER_THREAD _Thread_local
#else
#define OH_PER_THREAD
#endif

/* The arguments are evaluated twice, so they must have no side effects. */
#define OH_MIN(a, b) ((a) < (b) ? (a) : (b))
#define OH_MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
