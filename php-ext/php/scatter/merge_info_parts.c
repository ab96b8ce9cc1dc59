/*
 * Fields of INFO that are lists of parts, name=number:
 *
 *     db0:keys=7,expires=4,avg_ttl=175     cmdstat_get:calls=7,usec=11,usec_per_call=1.57     added up; averages anew
 *     latency_percentiles_usec_get:p50=2.007,p99=10.111                                      the highest of each
 *
 * Implements spec/route, "INFO".
 */
#include "php_onehop.h"

#include "zend_smart_str.h"

#include "php/scatter/merge_rules.h"

static bool begins_with(const zend_string *name, const char *prefix)
{
    return strncmp(ZSTR_VAL(name), prefix, strlen(prefix)) == 0;
}

static bool is_database(const zend_string *name)
{
    return ZSTR_LEN(name) > 2 && begins_with(name, "db") &&
           strspn(ZSTR_VAL(name) + 2, "0123456789") == ZSTR_LEN(name) - 2;
}

static bool is_percentiles(const zend_string *name)
{
    return begins_with(name, "latency_percentiles_usec_");
}

bool oh_merge_is_info_parts(const zend_string *name)
{
    return is_database(name) || begins_with(name, "cmdstat_") || begins_with(name, "errorstat_") || is_percentiles(name);
}

/* ---- Taking apart ---- */

typedef struct info_part {
    const char *name, *number;
    size_t name_length, number_length;
} info_part;

/* The part that begins here, and where the next one does. False: it is none. */
static bool read_part(const char **text, info_part *part)
{
    size_t length = strcspn(*text, ",");
    const char *equals = memchr(*text, '=', length);

    if (!equals) {
        return false;
    }
    part->name = *text;
    part->name_length = (size_t)(equals - *text);
    part->number = equals + 1;
    part->number_length = length - part->name_length - 1;
    *text += length + ((*text)[length] == ',');
    return part->number_length > 0;
}

static bool is_named(const info_part *part, const char *name)
{
    return part->name_length == strlen(name) && memcmp(part->name, name, part->name_length) == 0;
}

static zval *total_of(HashTable *totals, const info_part *part)
{
    zval *total = zend_hash_str_find(totals, part->name, part->name_length), none;

    if (!total) {
        ZVAL_LONG(&none, 0);
        total = zend_hash_str_add_new(totals, part->name, part->name_length, &none);
    }
    return total;
}

/* ---- Adding up ---- */

static zend_long number_of(HashTable *totals, const char *name)
{
    zval *total = zend_hash_str_find(totals, name, strlen(name));

    return total ? Z_LVAL_P(total) : 0;
}

/* Adds the parts of one node. What its times to live come to is added to `ttls`. */
static bool add_parts(HashTable *totals, const char *text, double *ttls)
{
    zend_long ttl = 0, expires = 0;
    info_part part;

    while (*text) {
        if (!read_part(&text, &part)) {
            return false;
        }
        zval *total = total_of(totals, &part);
        char *end;
        zend_long number = ZEND_STRTOL(part.number, &end, 10);

        if (is_named(&part, "usec_per_call")) {
            continue;
        }
        if (end != part.number + part.number_length) {
            return false;
        }
        Z_LVAL_P(total) = (zend_long)((zend_ulong)Z_LVAL_P(total) + (zend_ulong)number);
        ttl = is_named(&part, "avg_ttl") ? number : ttl;
        expires = is_named(&part, "expires") ? number : expires;
    }
    *ttls += (double)ttl * (double)expires;
    return true;
}

static void average(HashTable *totals, double ttls)
{
    zval *ttl = zend_hash_str_find(totals, ZEND_STRL("avg_ttl"));
    zval *per_call = zend_hash_str_find(totals, ZEND_STRL("usec_per_call"));
    zend_long expires = number_of(totals, "expires"), calls = number_of(totals, "calls");

    if (ttl) {
        ZVAL_LONG(ttl, expires > 0 ? zend_dval_to_lval(ttls / (double)expires) : 0);
    }
    if (per_call) {
        uint64_t hundredths = calls > 0 ? (uint64_t)number_of(totals, "usec") * 100 / (uint64_t)calls : 0;

        ZVAL_STR(per_call, strpprintf(0, "%" PRIu64 ".%02" PRIu64, hundredths / 100, hundredths % 100));
    }
}

/* ---- The highest ---- */

static bool raise_parts(HashTable *totals, const char *text)
{
    info_part part;

    while (*text) {
        if (!read_part(&text, &part)) {
            return false;
        }
        zval *total = total_of(totals, &part);
        const char *end;
        double number = zend_strtod(part.number, &end);

        if (end != part.number + part.number_length) {
            return false;
        }
        if (Z_TYPE_P(total) != IS_STRING || number > zend_strtod(Z_STRVAL_P(total), NULL)) {
            zval_ptr_dtor(total);
            ZVAL_STRINGL(total, part.number, part.number_length);
        }
    }
    return true;
}

/* ---- Together ---- */

static zend_string *put_together(HashTable *totals)
{
    zend_string *name;
    zval *total;
    smart_str text = {0};

    ZEND_HASH_FOREACH_STR_KEY_VAL(totals, name, total)
    {
        zend_string *number = zval_get_string(total);

        smart_str_appends(&text, text.s ? "," : "");
        smart_str_append(&text, name);
        smart_str_appendc(&text, '=');
        smart_str_append(&text, number);
        zend_string_release(number);
    }
    ZEND_HASH_FOREACH_END();
    return smart_str_extract(&text);
}

bool oh_merge_info_parts(const zend_string *name, HashTable *values, zval *merged)
{
    bool is_list = true;
    HashTable totals;
    double ttls = 0;
    zval *value;

    zend_hash_init(&totals, 8, NULL, ZVAL_PTR_DTOR, false);
    ZEND_HASH_FOREACH_VAL(values, value)
    {
        zend_string *text = zval_get_string(value);

        is_list = is_list && ZSTR_LEN(text) > 0 &&
                  (is_percentiles(name) ? raise_parts(&totals, ZSTR_VAL(text)) : add_parts(&totals, ZSTR_VAL(text), &ttls));
        zend_string_release(text);
    }
    ZEND_HASH_FOREACH_END();
    if (is_list) {
        average(&totals, ttls);
        ZVAL_STR(merged, put_together(&totals));
    }
    zend_hash_destroy(&totals);
    return is_list;
}
