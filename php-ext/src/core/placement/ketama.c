/*
 * ketama: each node's name is digested together with a running number, and each digest gives four
 * points of the ring.
 *
 * The number of digests of a node is computed in single precision, with every step rounded in
 * nutcracker's order. So 25 equal nodes have 39 digests each and not 40. A computation in double
 * precision would put keys elsewhere.
 *
 * Implements spec/placement, ketama.
 */
#include <string.h>

#include "core/base/decimal.h"
#include "core/hash/bytes.h"
#include "core/hash/md5.h"
#include "core/placement/placement.h"

#define POINTS_PER_GROUP 4

/*
 * The volatile variable keeps every compiler from carrying a step in more than single precision
 * (x87), or from joining two steps without rounding between them (fused multiply and add). Cutting
 * off the fraction is the floor: no step is negative.
 */
uint32_t oh_ketama_groups(uint32_t weight, uint32_t weights_sum, uint32_t nodes_count)
{
    volatile float step = (float)weight / (float)weights_sum;

    step = step * OH_KETAMA_POINTS;
    step = step / POINTS_PER_GROUP;
    step = step * (float)nodes_count;
    step = (float)((double)step + 0.0000000001);
    return (uint32_t)step;
}

oh_point *oh_ketama_points(
    oh_point *points, const char *name, size_t name_length, uint32_t node, uint32_t groups)
{
    char text[OH_POINT_BYTES_MAX + 1 + OH_DECIMAL_DIGITS_MAX];
    size_t prefix = name_length < OH_POINT_BYTES_MAX ? name_length : OH_POINT_BYTES_MAX;

    memcpy(text, name, prefix);
    text[prefix++] = '-';
    for (uint32_t group = 0; group < groups; group++) {
        size_t length = prefix + oh_decimal_write(text + prefix, group);
        uint8_t digest[OH_MD5_DIGEST_BYTES];

        oh_md5_digest(text, length < OH_POINT_BYTES_MAX ? length : OH_POINT_BYTES_MAX, digest);
        for (size_t i = 0; i < POINTS_PER_GROUP; i++) {
            *points++ = (oh_point){oh_read_le32(digest + 4 * i), node};
        }
    }
    return points;
}
