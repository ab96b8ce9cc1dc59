/* Counts tests and prints failures. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

static char name[512];
static bool is_open;
static bool has_failed;
static unsigned passed;
static unsigned failed;

static void close_test(void)
{
    if (is_open) {
        passed += !has_failed;
        failed += has_failed;
    }
    is_open = false;
}

void test_begin(const char *format, ...)
{
    close_test();
    is_open = true;
    has_failed = false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
}

bool check_that(bool condition, const char *file, int line, const char *text)
{
    if (!condition) {
        if (!has_failed) {
            printf("FAILED %s\n  %s:%d: %s\n", name, file, line, text);
        }
        has_failed = true;
    }
    return condition;
}

int tests_end(void)
{
    close_test();
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
