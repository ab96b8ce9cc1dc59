/*
 * The spelling of a server: "host:port:weight [name]" or "/path:weight [name]", read from the right
 * as nutcracker reads it, and the name that placement knows the server by. What a server of a
 * OneHop pool leaves out is added first.
 *
 * Implements spec/config, section 7.
 */
#include <string.h>

#include "core/config/config_reader.h"

/* memcached's port: nutcracker leaves it out of a name, as libmemcached does. */
#define PORT_LEFT_OUT 11211

/* ---- Taking apart ---- */

oh_text oh_config_cut_last(oh_text *rest, char separator)
{
    for (size_t i = rest->length; i > 0; i--) {
        if (rest->bytes[i - 1] == separator) {
            oh_text cut = {rest->bytes + i, rest->length - i};

            rest->length = i - 1;
            return cut;
        }
    }
    return (oh_text){NULL, 0};
}

static bool take_apart(oh_text spelled, oh_config_parts *it)
{
    it->is_unix = spelled.bytes[0] == '/';
    oh_text rest = spelled;
    it->name = oh_config_cut_last(&rest, ' ');
    it->is_named = it->name.bytes != NULL;
    it->weight = oh_config_cut_last(&rest, ':');
    it->port = oh_config_cut_last(&rest, ':');
    it->address = rest;
    return it->weight.bytes && (it->port.bytes != NULL) != it->is_unix;
}

/* The address as another client spells it. */
static oh_text foreign_name_of(const oh_config_parts *it)
{
    size_t port = it->is_unix ? 0 : 1 + it->port.length;

    return (oh_text){it->address.bytes, it->address.length + port};
}

/*
 * The name of a server. If none is given, it is the address as spelled. nutcracker keeps the colon
 * after a path in it.
 */
static oh_text name_of(const oh_config_parts *it, bool has_long_names)
{
    if (it->is_named) {
        return it->name;
    }
    if (has_long_names) {
        return foreign_name_of(it);
    }
    if (it->is_unix) {
        return (oh_text){it->address.bytes, it->address.length + 1};
    }
    bool has_port = it->port_number != PORT_LEFT_OUT;
    return (oh_text){it->address.bytes, it->address.length + (has_port ? 1 + it->port.length : 0)};
}

/* ---- What a OneHop pool may leave out ---- */

oh_text oh_config_host_in_brackets(oh_text front)
{
    const char *end = memchr(front.bytes, ']', front.length);
    size_t length = end ? (size_t)(end - front.bytes) : 0;
    bool is_host =
        length > 0 && front.bytes[0] == '[' && length + 1 < front.length && end[1] == ':';

    return is_host ? (oh_text){front.bytes + 1, length - 1} : (oh_text){NULL, 0};
}

oh_text oh_config_after_brackets(oh_text front, oh_text host)
{
    size_t used = host.bytes ? host.length + 2 : 0;

    return (oh_text){front.bytes + used, front.length - used};
}

size_t oh_config_count_colons(oh_text front)
{
    oh_text rest = oh_config_after_brackets(front, oh_config_host_in_brackets(front));
    size_t count = 0;

    for (size_t i = 0; i < rest.length; i++) {
        count += rest.bytes[i] == ':';
    }
    return count;
}

static bool is_path(oh_text text)
{
    return text.length > 0 && text.bytes[0] == '/';
}

static bool is_url(oh_text text)
{
    for (size_t i = 0; i + 3 <= text.length; i++) {
        if (memcmp(text.bytes + i, "://", 3) == 0) {
            return true;
        }
    }
    return false;
}

/* If nutcracker would read this server as another one: what was probably meant. Otherwise NULL. */
static const char *check_slips(oh_text text, bool may_have_commas)
{
    oh_text front = text;

    (void)oh_config_cut_last(&front, ' ');
    return is_path(front)  ? NULL
           : is_url(front) ? "is a URL, not \"host:port\""
           : !may_have_commas && memchr(front.bytes, ',', front.length)
               ? "has a comma: each server is an item of its own"
           : oh_config_count_colons(front) > 2
               ? "needs brackets around its host, as in \"[::1]:6379\""
               : NULL;
}

/*
 * The text as nutcracker expects it: without brackets, and with a weight. Where servers have slots
 * in place of weights, these may be empty. Absent without memory.
 */
static oh_text complete(oh_config_reader *reader, oh_text text)
{
    oh_text front = text;

    (void)oh_config_cut_last(&front, ' ');
    oh_text host = oh_config_host_in_brackets(front);
    bool lacks_weight = oh_config_count_colons(front) == (is_path(front) ? 0 : 1);
    oh_text weight = {":1", !lacks_weight ? 0 : reader->has_slots ? 1 : 2};
    oh_text name = {text.bytes + front.length, text.length - front.length}; /* With the blank. */
    char *whole = oh_arena_take(reader->scratch, text.length + sizeof ":1");
    if (!whole) {
        oh_config_fail_memory(reader);
        return (oh_text){NULL, 0};
    }
    char *end = oh_config_append(whole, host);
    end = oh_config_append(end, oh_config_after_brackets(front, host));
    end = oh_config_append(oh_config_append(end, weight), name);
    return (oh_text){whole, (size_t)(end - whole)};
}

/* ---- Checking ---- */

/* Sets the bits of "0-511" or "600". False if the text is neither. */
static bool take_slots(oh_text range, char *slots)
{
    oh_text last = oh_config_cut_last(&range, '-');
    int64_t from = oh_config_number(range);
    int64_t to = last.bytes ? oh_config_number(last) : from;

    if (from < 0 || to < from || to >= OH_SHARD_SLOTS) {
        return false;
    }
    for (int64_t slot = from; slot <= to; slot++) {
        slots[slot / 8] = (char)(slots[slot / 8] | 1 << slot % 8);
    }
    return true;
}

static const char *check_slots(oh_config_parts *it, char *slots)
{
    oh_text rest = it->weight;

    for (bool is_first = true; is_first || rest.bytes; is_first = false) {
        oh_text range = oh_config_cut_last(&rest, ',');

        if (!range.bytes) {
            range = rest;
            rest.bytes = NULL;
        }
        if (!take_slots(range, slots)) {
            return "has no slots as in \"host:port:0-511,600 [name]\"";
        }
    }
    it->slots = (oh_text){slots, OH_SHARD_SLOTS_BYTES};
    it->weight_number = oh_shard_slots(it->slots);
    return NULL;
}

/* What is wrong with the parts, or NULL. */
static const char *check_weight(oh_config_parts *it)
{
    int64_t weight = oh_config_number(it->weight);

    it->weight_number = weight > 0 ? (uint32_t)weight : 0;
    return weight == OH_CONFIG_NOT_A_NUMBER ? "has an invalid weight"
           : weight == 0                    ? "has weight 0"
           : weight == OH_CONFIG_TOO_LARGE  ? "has a weight larger than 2147483647"
                                            : NULL;
}

const char *oh_config_check_address(oh_config_parts *it)
{
    int64_t port = it->is_unix ? 0 : oh_config_number(it->port);

    if (!it->is_unix && (port < 1 || port > OH_PORT_MAX)) {
        return "has an invalid port";
    }
    it->port_number = (uint32_t)port;
    return it->address.length == 0                            ? "has an empty address"
           : it->address.length > OH_SERVER_ADDRESS_BYTES_MAX ? OH_CONFIG_LONG_ADDRESS
                                                              : NULL;
}

static const char *check_name(oh_text name)
{
    return name.length == 0                         ? "has an empty name"
           : name.length > OH_SERVER_NAME_BYTES_MAX ? "has a name longer than 1024 bytes"
                                                    : NULL;
}

static const char *check(
    oh_text text, oh_config_parts *it, char *slots, const oh_config_reader *reader)
{
    if (!take_apart(text, it)) {
        return reader->is_own_pool
                   ? "is not \"host:port[:weight] [name]\" or \"/path[:weight] [name]\""
                   : "is not \"host:port:weight [name]\" or \"/path:weight [name]\" (the weight "
                     "may "
                     "be absent in a pool with \"engine: redis\")";
    }
    const char *fault = reader->has_slots ? check_slots(it, slots) : check_weight(it);
    fault = fault ? fault : oh_config_check_address(it);
    it->name = fault ? it->name : name_of(it, reader->has_long_names);
    return fault ? fault : check_name(it->name);
}

/* ---- Taking it into the pool ---- */

/* True if a server before it has one of its slots. */
static bool has_taken_slot(const oh_config_sequence *servers, const oh_config_parts *it)
{
    for (size_t i = 0; it->slots.bytes && i < servers->items_count; i++) {
        for (size_t byte = 0; byte < OH_SHARD_SLOTS_BYTES; byte++) {
            if ((servers->items[i]->slots.bytes[byte] & it->slots.bytes[byte]) != 0) {
                return true;
            }
        }
    }
    return false;
}

static void add(const oh_config_item *item, const oh_config_parts *it)
{
    oh_config_reader *reader = item->reader;
    bool is_there;
    size_t place = oh_config_find(item->sequence, it->name, &is_there);

    if (is_there) {
        oh_config_fail_duplicate(item, it->name);
    } else if (has_taken_slot(item->sequence, it)) {
        oh_config_fail_item(item, "has a slot of another server");
    } else if (it->weight_number > OH_WEIGHTS_SUM_MAX - reader->weights_sum) {
        oh_config_fail(
            reader, item->line, "the weights add up to more than %d", OH_WEIGHTS_SUM_MAX);
    } else if (oh_config_insert(item, place, it)) {
        reader->weights_sum += it->weight_number;
    }
}

void oh_config_add_server(oh_config_reader *reader, const oh_config_spelled *spelled)
{
    oh_config_item item;

    if (!oh_config_begin_item(&item, reader, spelled)) {
        return;
    }
    oh_text text = reader->is_own_pool ? complete(reader, item.value.text) : item.value.text;
    if (!text.bytes) {
        return;
    }
    oh_config_parts it = {0};
    char slots[OH_SHARD_SLOTS_BYTES] = {0};
    const char *fault =
        reader->is_own_pool ? check_slips(item.value.text, reader->has_slots) : NULL;
    fault = fault ? fault : check(text, &it, slots, reader);
    if (fault) {
        oh_config_fail_item(&item, fault);
    } else {
        add(&item, &it);
    }
}
