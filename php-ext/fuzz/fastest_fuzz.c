/*
 * Any times of any nodes, as shared memory may have them, and any number of reads. One of the nodes
 * is chosen, and no new mean is 0.
 */
#include <string.h>

#include "core/cluster/fastest.h"
#include "fuzz.h"

const char *const fuzz_words[] = {"\x01\x02\x03\x04\x05\x06\x07\x08",
    "\xff\xff\xff\xff\xff\xff\xff\xff",
    "\x00\x00\x00\x00\x00\x00\x00\x00"
    "1",
    "\x3f", "\x01", NULL};

static uint64_t next(const uint8_t **bytes, size_t *length)
{
    uint64_t number = 0;
    size_t size = *length < sizeof number ? *length : sizeof number;
    memcpy(&number, *bytes, size);
    *bytes += size;
    *length -= size;
    return number;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    oh_fastest_node nodes[OH_FASTEST_NODES_MAX];
    uint64_t reads = next(&bytes, &length), took = next(&bytes, &length);
    uint32_t last = (uint32_t)next(&bytes, &length), count = 0;
    do {
        nodes[count] = (oh_fastest_node){.node = 3 * count, .smoothed_ns = next(&bytes, &length)};
        MUST(oh_fastest_smooth(nodes[count].smoothed_ns, took) > 0);
        count++;
    } while (length > 0 && count < OH_FASTEST_NODES_MAX);
    uint32_t chosen = oh_fastest_choose(nodes, count, reads, last);
    MUST(chosen % 3 == 0 && chosen / 3 < count);
    return 0;
}
