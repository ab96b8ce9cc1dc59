/*
 * core/base: the clock only goes forward. Texts: how they begin, their parts, the numbers and
 * addresses in them. (memory_test.c has memory.)
 */
#include "core/base/decimal.h"
#include "core/base/clock.h"
#include "core/base/slice.h"
#include "check.h"

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

static oh_text text_of(const char *bytes)
{
    return (oh_text){bytes, strlen(bytes)};
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
    test_begin("a text begins with itself and with nothing, not with more");
    CHECK(oh_text_begins(text_of("READONLY x"), "READONLY "));
    CHECK(oh_text_begins(text_of("READONLY "), "READONLY "));
    CHECK(oh_text_begins((oh_text){NULL, 0}, ""));
    CHECK(!oh_text_begins(text_of("READONLY"), "READONLY "));
    CHECK(!oh_text_begins((oh_text){NULL, 0}, "R"));

    test_begin("a part of a text is whole, and may be at either end");
    CHECK(has_part("a,bc,d", "a") && has_part("a,bc,d", "bc") && has_part("a,bc,d", "d"));
    CHECK(!has_part("a,bc,d", "b") && !has_part("a,bc,d", "c,d") && !has_part("a,bc,d", "e"));
    CHECK(has_part("a,", "") && !has_part("a", ""));

    test_begin("digits are a number, and the largest one if they are too many");
    CHECK(reads("0", 0) && reads("007", 7) && reads("18446744073709551615", UINT64_MAX));
    CHECK(reads("18446744073709551616", UINT64_MAX));
    CHECK(reads("99999999999999999999999", UINT64_MAX));
    CHECK(refuses("") && refuses("-1") && refuses("+1") && refuses("1 ") && refuses("0x1"));

    test_begin("an address is host, colon and port, and ends with a NUL");
    char room[OH_ADDRESS_BYTES_MAX];
    oh_text address = oh_address_write(room, text_of("::1"), 65535);
    CHECK(oh_text_is(address, "::1:65535") && address.bytes[address.length] == '\0');
}

void test_base(void)
{
    test_clock();
    test_text();
}
