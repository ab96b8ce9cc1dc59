/*
 * The clock only goes forward.
 */
#include "core/base/clock.h"

#include "check.h"

void test_clock(void)
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
