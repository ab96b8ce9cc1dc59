/*
 * Merges the fields of INFO. The nodes' replies are not trusted: a malformed number counts as 0,
 * and a list with a malformed part is left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/command/info.h"
#include "core/generated/info.h"

#define NUMBER_ROOM 24 /* A number, a point, = and a comma. */

typedef enum info_rule {
    OH_INFO_EQUAL, /* Kept if it is the same on all nodes. */
    OH_INFO_SUM,
    OH_INFO_MIN,
    OH_INFO_MAX,
    OH_INFO_LOWEST_VERSION
} info_rule;

typedef struct field {
    const char *name;
    info_rule rule;
} field;

static const field fields[] = {
#define OH_INFO_ROW(name, rule) {name, rule},
    OH_INFO_FIELDS(OH_INFO_ROW)
#undef OH_INFO_ROW
};

static int compare_names(const void *name, const void *row)
{
    const oh_bytes *wanted = name;
    const char *other = ((const field *)row)->name;
    int difference = strncmp((const char *)wanted->bytes, other, wanted->length);
    return difference ? difference : -(other[wanted->length] != '\0');
}

static info_rule rule_of(oh_bytes name)
{
    const field *found =
        bsearch(&name, fields, sizeof fields / sizeof *fields, sizeof *fields, compare_names);
    return found ? found->rule : OH_INFO_EQUAL;
}

/*
 * The number that the text begins with, cut to 64 bits; 0 if there is none. Its length is added to
 * `*at`.
 */
static int64_t read_number(oh_bytes text, size_t *at)
{
    bool is_negative = *at < text.length && text.bytes[*at] == '-';
    size_t from = *at + is_negative;
    size_t digits = oh_digits_at(text, from);
    uint64_t number = 0;
    for (size_t i = from; i < from + digits; i++) {
        uint64_t digit = (uint64_t)(text.bytes[i] - '0');
        number =
            number > ((uint64_t)INT64_MAX - digit) / 10 ? (uint64_t)INT64_MAX : number * 10 + digit;
    }
    *at = digits > 0 ? from + digits : *at;
    return is_negative ? -(int64_t)number : (int64_t)number;
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* ---- Lists of parts ---- */

typedef struct part {
    oh_bytes name;
    oh_bytes highest; /* Of percentiles. */
    int64_t total;    /* Of all others. */
} part;

typedef struct totals {
    part parts[OH_INFO_PARTS_MAX];
    size_t count;
    double ttls; /* The sum of the times to live. */
} totals;

static bool is_percentiles(oh_bytes name)
{
    return oh_bytes_begins(name, "latency_percentiles_usec_");
}

static bool is_list(oh_bytes name)
{
    bool is_database =
        name.length > 2 && oh_bytes_begins(name, "db") && oh_digits_at(name, 2) == name.length - 2;
    return is_database || oh_bytes_begins(name, "cmdstat_") ||
           oh_bytes_begins(name, "errorstat_") || is_percentiles(name);
}

/* Reads the part at `*at` and moves `*at` to the next one. False if it is malformed. */
static bool read_part(oh_bytes text, size_t *at, oh_bytes *name, oh_bytes *number)
{
    const uint8_t *begin = text.bytes + *at;
    size_t left = text.length - *at;
    const uint8_t *comma = memchr(begin, ',', left);
    size_t length = comma ? (size_t)(comma - begin) : left;
    const uint8_t *equals = memchr(begin, '=', length);
    if (!equals || equals + 1 == begin + length) {
        return false;
    }
    *name = (oh_bytes){begin, (size_t)(equals - begin)};
    *number = (oh_bytes){equals + 1, length - name->length - 1};
    *at += length + (comma != NULL);
    return true;
}

/* NULL if there are too many. */
static part *part_named(totals *all, oh_bytes name)
{
    for (size_t i = 0; i < all->count; i++) {
        part *known = &all->parts[i];
        if (known->name.length == name.length &&
            memcmp(known->name.bytes, name.bytes, name.length) == 0) {
            return known;
        }
    }
    if (all->count == OH_INFO_PARTS_MAX) {
        return NULL;
    }
    all->parts[all->count] = (part){.name = name};
    return &all->parts[all->count++];
}

static int64_t total_of(const totals *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++) {
        if (oh_bytes_is(all->parts[i].name, name)) {
            return all->parts[i].total;
        }
    }
    return 0;
}

static bool add_parts(totals *all, oh_bytes text)
{
    int64_t ttl = 0;
    int64_t expires = 0;
    for (size_t at = 0; at < text.length;) {
        oh_bytes name;
        oh_bytes value;
        size_t digits = 0;
        part *known = read_part(text, &at, &name, &value) ? part_named(all, name) : NULL;
        if (!known) {
            return false;
        }
        if (oh_bytes_is(name, "usec_per_call")) {
            continue;
        }
        int64_t number = read_number(value, &digits);
        if (digits != value.length) {
            return false;
        }
        known->total = add(known->total, number);
        ttl = oh_bytes_is(name, "avg_ttl") ? number : ttl;
        expires = oh_bytes_is(name, "expires") ? number : expires;
    }
    all->ttls += (double)ttl * (double)expires;
    return text.length > 0;
}

/* Digits, and more of them after a point. */
static bool is_decimal(oh_bytes number)
{
    size_t whole = oh_digits_at(number, 0);
    if (whole == 0 || whole == number.length) {
        return whole > 0;
    }
    return number.bytes[whole] == '.' &&
           whole + 1 + oh_digits_at(number, whole + 1) == number.length;
}

static bool is_higher(oh_bytes a, oh_bytes b)
{
    while (oh_digits_at(a, 0) > 1 && a.bytes[0] == '0') {
        a = (oh_bytes){a.bytes + 1, a.length - 1};
    }
    while (oh_digits_at(b, 0) > 1 && b.bytes[0] == '0') {
        b = (oh_bytes){b.bytes + 1, b.length - 1};
    }
    size_t whole_a = oh_digits_at(a, 0);
    size_t whole_b = oh_digits_at(b, 0);
    size_t common = a.length < b.length ? a.length : b.length;
    int difference = memcmp(a.bytes, b.bytes, common);
    return whole_a != whole_b ? whole_a > whole_b
                              : difference > 0 || (difference == 0 && a.length > b.length);
}

static bool raise_parts(totals *all, oh_bytes text)
{
    for (size_t at = 0; at < text.length;) {
        oh_bytes name;
        oh_bytes number;
        part *known = read_part(text, &at, &name, &number) ? part_named(all, name) : NULL;
        if (!known || !is_decimal(number)) {
            return false;
        }
        if (!known->highest.bytes || is_higher(number, known->highest)) {
            known->highest = number;
        }
    }
    return text.length > 0;
}

static size_t write_number(const totals *all, const part *of, char *text)
{
    int64_t calls = total_of(all, "calls");
    int64_t expires = total_of(all, "expires");
    double ttl = expires > 0 ? all->ttls / (double)expires : 0;
    uint64_t hundredths = calls > 0 ? (uint64_t)total_of(all, "usec") * 100 / (uint64_t)calls : 0;
    int length;
    if (of->highest.bytes) {
        memcpy(text, of->highest.bytes, of->highest.length);
        return of->highest.length;
    }
    if (oh_bytes_is(of->name, "usec_per_call")) {
        length = snprintf(text, NUMBER_ROOM, "%llu.%02u", (unsigned long long)(hundredths / 100),
            (unsigned)(hundredths % 100));
    } else if (oh_bytes_is(of->name, "avg_ttl")) {
        length =
            snprintf(text, NUMBER_ROOM, "%lld", ttl > -9e18 && ttl < 9e18 ? (long long)ttl : 0);
    } else {
        length = snprintf(text, NUMBER_ROOM, "%lld", (long long)of->total);
    }
    return (size_t)length;
}

static oh_info merge_lists(oh_bytes name, const oh_bytes *values, size_t count, char *text)
{
    totals all = {.count = 0};
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(is_percentiles(name) ? raise_parts(&all, values[i]) : add_parts(&all, values[i]))) {
            return (oh_info){.kind = OH_INFO_LEFT_OUT};
        }
    }
    for (size_t i = 0; i < all.count; i++) {
        const part *one = &all.parts[i];
        if (i > 0) {
            text[length++] = ',';
        }
        memcpy(text + length, one->name.bytes, one->name.length);
        length += one->name.length;
        text[length++] = '=';
        length += write_number(&all, one, text + length);
    }
    return (oh_info){.kind = OH_INFO_TEXT, .length = length};
}

/* ---- Single values ---- */

static oh_info merge_numbers(info_rule rule, const oh_bytes *values, size_t count)
{
    oh_info merged = {.kind = OH_INFO_NUMBER};
    for (size_t i = 0; i < count; i++) {
        size_t digits = 0;
        int64_t number = read_number(values[i], &digits);
        if (rule == OH_INFO_SUM) {
            merged.number = add(merged.number, number);
        } else if (i == 0 ||
                   (rule == OH_INFO_MIN ? number < merged.number : number > merged.number)) {
            merged.number = number;
        }
    }
    return merged;
}

/* Compares part by part, as numbers. A part that is no number counts as 0. */
static bool is_lower_version(oh_bytes a, oh_bytes b)
{
    size_t at_a = 0;
    size_t at_b = 0;
    while (at_a < a.length && at_b < b.length) {
        int64_t part_a = read_number(a, &at_a);
        int64_t part_b = read_number(b, &at_b);
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

static oh_info lowest_version(const oh_bytes *values, size_t count)
{
    oh_info merged = {.kind = OH_INFO_VALUE};
    for (size_t i = 1; i < count; i++) {
        if (is_lower_version(values[i], values[merged.index])) {
            merged.index = i;
        }
    }
    return merged;
}

static bool are_equal(const oh_bytes *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (values[i].length != values[0].length ||
            memcmp(values[i].bytes, values[0].bytes, values[0].length) != 0) {
            return false;
        }
    }
    return true;
}

size_t oh_info_room(const oh_bytes *values, size_t count)
{
    size_t room = (size_t)OH_INFO_PARTS_MAX * NUMBER_ROOM;
    for (size_t i = 0; i < count; i++) {
        room += values[i].length;
    }
    return room;
}

oh_info oh_info_merge(
    oh_bytes name, const oh_bytes *values, size_t count, size_t nodes_count, char *text)
{
    info_rule rule = rule_of(name);
    if (is_list(name)) {
        return merge_lists(name, values, count, text);
    }
    /* A share that a node does not have is 0 there. */
    if (rule != OH_INFO_SUM && count < nodes_count) {
        return (oh_info){.kind = OH_INFO_LEFT_OUT};
    }
    if (rule == OH_INFO_LOWEST_VERSION) {
        return lowest_version(values, count);
    }
    if (rule != OH_INFO_EQUAL) {
        return merge_numbers(rule, values, count);
    }
    return (oh_info){.kind = are_equal(values, count) ? OH_INFO_VALUE : OH_INFO_LEFT_OUT};
}
