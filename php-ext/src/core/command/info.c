/* The nodes' replies are not trusted: a field with a malformed value is left out. */
#include <inttypes.h>
#include <stdio.h>

#include "core/command/info.h"
#include "core/generated/info.h"

#define DIGITS_MAX 15 /* The sum of such numbers over all nodes fits into 64 bits. */

const oh_info_field oh_info_fields[] = {
#define OH_INFO_ROW(section, name, rule) {section, name, rule},
    OH_INFO_FIELDS(OH_INFO_ROW)
#undef OH_INFO_ROW
        {NULL, NULL, OH_INFO_EQUAL}};

/* The number at `*at`, 0 if there is none. Moves `*at` behind its digits. */
static uint64_t read_number(oh_bytes text, size_t *at)
{
    size_t end = *at + oh_digits_at(text, *at);
    uint64_t number = 0;

    while (*at < end) {
        number = number * 10 + (uint64_t)(text.bytes[(*at)++] - '0');
    }
    return number;
}

/* Compares versions part by part. A version that ends earlier is lower. */
static bool is_lower(oh_bytes a, oh_bytes b)
{
    size_t at_a = 0, at_b = 0;

    while (at_a < a.length && at_b < b.length) {
        uint64_t part_a = read_number(a, &at_a);
        uint64_t part_b = read_number(b, &at_b);

        if (part_a != part_b) {
            return part_a < part_b;
        }
        const uint8_t *point_a = memchr(a.bytes + at_a, '.', a.length - at_a);
        const uint8_t *point_b = memchr(b.bytes + at_b, '.', b.length - at_b);
        at_a = point_a ? (size_t)(point_a - a.bytes) + 1 : a.length;
        at_b = point_b ? (size_t)(point_b - b.bytes) + 1 : b.length;
    }
    return at_a == a.length && at_b < b.length;
}

static size_t choose(oh_info_rule rule, const oh_bytes *values, size_t count, char *text)
{
    oh_bytes chosen = values[0];

    for (size_t i = 1; i < count; i++) {
        if (rule == OH_INFO_EQUAL &&
            !oh_text_is_same(oh_bytes_text(values[i]), oh_bytes_text(chosen))) {
            return 0;
        }
        chosen = rule == OH_INFO_LOWEST && is_lower(values[i], chosen) ? values[i] : chosen;
    }
    if (chosen.length > OH_INFO_ROOM) {
        return 0;
    }
    memcpy(text, chosen.bytes, chosen.length);
    return chosen.length;
}

/* Writes a number of bytes as redis shows it to people. */
static int write_human(uint64_t count, char *text)
{
    const char *unit = "BKMGTP";
    double size = (double)count;

    for (; size >= 1024 && unit[1]; unit++) {
        size /= 1024;
    }
    return snprintf(text, OH_INFO_ROOM, *unit == 'B' ? "%.0f%c" : "%.2f%c", size, *unit);
}

/* Adds the number of a value: 25, or keys=25,... for KEYS. False if it is malformed. */
static bool add_number(oh_info_rule rule, oh_bytes value, const char *before, uint64_t *total)
{
    size_t at = strlen(before), digits = oh_digits_at(value, at);

    if (!oh_bytes_begins(value, before) || digits == 0 || digits > DIGITS_MAX) {
        return false;
    }
    *total += read_number(value, &at);
    return rule == OH_INFO_KEYS ? at < value.length && value.bytes[at] == ',' : at == value.length;
}

static size_t add(oh_info_rule rule, const oh_bytes *values, size_t count, char *text)
{
    const char *before = rule == OH_INFO_KEYS ? "keys=" : "";
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++) {
        if (!add_number(rule, values[i], before, &total)) {
            return 0;
        }
    }
    return (size_t)(rule == OH_INFO_HUMAN
                        ? write_human(total, text)
                        : snprintf(text, OH_INFO_ROOM, "%s%" PRIu64, before, total));
}

size_t oh_info_merge(oh_info_rule rule, const oh_bytes *values, size_t count, size_t nodes_count,
    char text[OH_INFO_ROOM])
{
    if (count == 0 || (count < nodes_count && rule != OH_INFO_KEYS)) {
        return 0;
    }
    bool is_chosen = rule == OH_INFO_EQUAL || rule == OH_INFO_LOWEST;
    return is_chosen ? choose(rule, values, count, text) : add(rule, values, count, text);
}
