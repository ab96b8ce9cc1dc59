/*
 * core/base: the clock only goes forward. Texts: how they begin, their parts, the numbers and
 * addresses in them. The arena, and lack of memory: each allocation for a configuration fails once,
 * including those inside libyaml. Each time the result must be the error, nothing may leak, and the
 * next attempt must work.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/decimal.h"
#include "core/base/memory.h"
#include "core/base/slice.h"
#include "check.h"
#include "vectors.h"

static void test_clock(void)
{
    test_begin("the clock never goes back, and advances");
    uint64_t first = oh_clock_now_ns();
    uint64_t last = first;
    for (int i = 0; i < 10000; i++) {
        uint64_t now = oh_clock_now_ns();
        CHECK(now >= last);
        last = now;
    }
    CHECK(last > first);
}

static oh_text text_of(const char *text)
{
    return (oh_text){text, strlen(text)};
}

static bool has_part(const char *text, const char *part)
{
    return oh_text_has_part(text_of(text), ',', text_of(part));
}

static bool reads(const char *digits, uint64_t expected)
{
    uint64_t number;
    return oh_decimal_read(text_of(digits), &number) && number == expected;
}

static bool refuses(const char *digits)
{
    uint64_t number;
    return !oh_decimal_read(text_of(digits), &number);
}

static void test_text(void)
{
    test_begin("a text begins with itself and with the empty text, not with a longer text");
    CHECK(oh_text_begins(text_of("READONLY x"), "READONLY "));
    CHECK(oh_text_begins(text_of("READONLY "), "READONLY "));
    CHECK(oh_text_begins((oh_text){NULL, 0}, ""));
    CHECK(!oh_text_begins(text_of("READONLY"), "READONLY "));
    CHECK(!oh_text_begins((oh_text){NULL, 0}, "R"));

    test_begin("a part of a text counts only if it is whole; it may be at either end");
    CHECK(has_part("a,bc,d", "a") && has_part("a,bc,d", "bc") && has_part("a,bc,d", "d"));
    CHECK(!has_part("a,bc,d", "b") && !has_part("a,bc,d", "c,d") && !has_part("a,bc,d", "e"));
    CHECK(has_part("a,", "") && !has_part("a", ""));

    test_begin("digits are read as a number; too many digits are read as the largest number");
    CHECK(reads("0", 0) && reads("007", 7) && reads("18446744073709551615", UINT64_MAX));
    CHECK(reads("18446744073709551616", UINT64_MAX));
    CHECK(reads("99999999999999999999999", UINT64_MAX));
    CHECK(refuses("") && refuses("-1") && refuses("+1") && refuses("1 ") && refuses("0x1"));

    test_begin("an address is host, colon and port, and ends with a NUL");
    char room[OH_ADDRESS_BYTES_MAX];
    oh_text address = oh_address_write(room, text_of("::1"), 65535);
    CHECK(oh_text_is(address, "::1:65535") && address.bytes[address.length] == '\0');
}

/* ---- Allocations that fail on demand ---- */

static unsigned until_failure; /* 0: none fails. */
static unsigned failures;

static bool fails_now(void)
{
    if (until_failure == 0 || --until_failure > 0) {
        return false;
    }
    failures++;
    return true;
}

static void *allocate_or_fail(size_t size)
{
    return fails_now() ? NULL : malloc(size);
}

/* libyaml's allocators. The dynamic linker prefers these to those of the library. */
void *yaml_malloc(size_t size);
void *yaml_realloc(void *memory, size_t size);
unsigned char *yaml_strdup(const unsigned char *text);

void *yaml_malloc(size_t size)
{
    return fails_now() ? NULL : malloc(size > 0 ? size : 1);
}

void *yaml_realloc(void *memory, size_t size)
{
    return fails_now() ? NULL : realloc(memory, size > 0 ? size : 1);
}

unsigned char *yaml_strdup(const unsigned char *text)
{
    return !text || fails_now() ? NULL : (unsigned char *)strdup((const char *)text);
}

/* ---- The sweep ---- */

static void test_sweep(const json_t *cases, const char *name)
{
    test_begin("no memory while reading %s", name);
    bytes text = bytes_of_case(json_object_get(cases, name));
    oh_memory_allocate = allocate_or_fail;
    size_t usual_bytes = oh_arena_chunk_bytes;
    oh_arena_chunk_bytes = 1;
    unsigned steps = 0;
    bool is_read = false;
    for (unsigned n = 1; !is_read && n < 100000; n++) {
        oh_config *config;
        oh_config_errors errors;
        until_failure = n;
        failures = 0;
        is_read = oh_config_parse((const char *)text.bytes, text.length, getenv, &config, &errors);
        until_failure = 0;
        CHECK(is_read == (failures == 0) && (config != NULL) == is_read);
        CHECK(is_read || strcmp(errors.list[0].reason, "there is not enough memory") == 0);
        oh_config_free(config);
        steps += failures;
    }
    CHECK(is_read && steps > 10);
    oh_memory_allocate = malloc;
    oh_arena_chunk_bytes = usual_bytes;
    free(text.bytes);
}

static void test_arena(void)
{
    test_begin("an arena gives zeroed, aligned memory of any size");
    oh_arena arena = {NULL};
    for (size_t size = 1; size < 20000; size = size * 3 / 2 + 1) {
        uint8_t *memory = oh_arena_take(&arena, size);
        CHECK((uintptr_t)memory % _Alignof(max_align_t) == 0);
        for (size_t i = 0; i < size; i++) {
            CHECK(memory[i] == 0);
        }
        memset(memory, 0xa5, size);
    }
    oh_arena_release(&arena);
    CHECK(arena.chunks == NULL);
    oh_arena_release(&arena);
    oh_memory_release(NULL);
}

static void test_lack_of_memory(void)
{
    json_t *good = vectors_cases("config/cases/good.txt");
    test_sweep(good, "smallest");
    test_sweep(good, "every_nutcracker_directive");
    test_sweep(good, "two_pools");
    test_sweep(good, "server_names");
    test_sweep(good, "long_password");
    test_sweep(good, "onehop_brackets");
    setenv("SIZE", "32", 1);
    setenv("PASSWORD", "secret", 1);
    setenv("USER_1", "u", 1);
    setenv("HOST", "redis-1.example.org", 1);
    setenv("PORT", "6380", 1);
    setenv("SERVER", "10.0.0.2:6379:2", 1);
    setenv("WHOLE", "10.0.0.3:6379:3 three", 1);
    test_sweep(good, "variables");
    json_decref(good);
}

void test_base(void)
{
    test_clock();
    test_text();
    test_arena();
    test_lack_of_memory();
}
