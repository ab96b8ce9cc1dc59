/*
 * A minimal test framework: a test has a name and fails if one of its checks does.
 *
 * A room's tests are one function: it begins a test, checks, and begins the next. Each vector of
 * spec/ is a test, so the closing line counts the vectors. The first failed check of a test is
 * printed with its file and line, and the run goes on.
 */
#ifndef OH_TESTS_CHECK_H
#define OH_TESTS_CHECK_H

#include <stdbool.h>

/* Begins the next test; its name is printed only if it fails. */
void test_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the last test, prints "N passed, N failed", and returns the exit status. */
int tests_end(void);

bool check_that(bool condition, const char *file, int line, const char *text);
#define CHECK(condition) check_that(condition, __FILE__, __LINE__, #condition)

/* One function for each room, in its own file. */
void test_base(void);
void test_hash(void);
void test_placement(void);
void test_topology(void);
void test_config(void);
void test_wire(void);
void test_resp(void);
void test_cursor(void);
void test_learnt(void);
void test_moving(void);
void test_command(void);
void test_ssdb(void);
void test_health(void);
void test_meter(void);
void test_store(void);
void test_name(void);
void test_image(void);
void test_cluster(void);
void test_sentinel(void);

#endif
