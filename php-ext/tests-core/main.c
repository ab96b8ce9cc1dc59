/*
 * All tests of the core, room by room.
 */
#include <stdio.h>

#include "check.h"

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* A failure must be printed even if the next test crashes. */
    test_base();
    test_hash();
    test_placement();
    test_topology();
    test_config();
    test_wire();
    test_resp();
    test_cursor();
    test_learnt();
    test_moving();
    test_ssdb();
    test_health();
    test_command();
    test_meter();
    test_store();
    test_name();
    test_image();
    test_cluster();
    test_sentinel();
    return tests_end();
}
