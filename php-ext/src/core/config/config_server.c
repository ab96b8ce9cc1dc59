/*
 * The spelling of a server: "host:port:weight [name]" or "/path:weight [name]", read from the right
 * as nutcracker reads it, and the name that placement knows the server by. What a server of a
 * OneHop pool leaves out is added first. Sentinels and replicas are spelled more simply.
 *
 * Implements spec/config, section 7.
 */
#include <stdio.h>
#include <string.h>

#include "core/config/config_reader.h"

/* memcached's: nutcracker leaves it out of a name, as libmemcached does. */
#define PORT_LEFT_OUT 11211

typedef struct {
    bool is_unix;
    oh_text address;
    oh_text port; /* TCP alone. */
    oh_text weight;
    oh_text name; /* As given; `bytes` is NULL if there is none. */
    uint32_t port_number;
    uint32_t weight_number;
} parts;

/* ---- Taking apart ---- */

/*
 * Cuts what follows the last `separator` off *rest; If there is none, the result is absent and
 * *rest unchanged.
 */
static oh_text cut_last(oh_text *rest, char separator)
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

static bool take_apart(oh_text spelled, parts *it)
{
    it->is_unix = spelled.bytes[0] == '/';
    oh_text rest = spelled;
    it->name = cut_last(&rest, ' ');
    it->weight = cut_last(&rest, ':');
    it->port = cut_last(&rest, ':');
    it->address = rest;
    return it->weight.bytes != NULL && (it->port.bytes != NULL) != it->is_unix;
}

/* Without a given name, it is the address as spelled: nutcracker keeps the colon after a path. */
static oh_text name_of(const parts *it)
{
    if (it->name.bytes != NULL) {
        return it->name;
    }
    if (it->is_unix) {
        return (oh_text){it->address.bytes, it->address.length + 1};
    }
    bool has_port = it->port_number != PORT_LEFT_OUT;
    return (oh_text){it->address.bytes, it->address.length + (has_port ? 1 + it->port.length : 0)};
}

/* ---- What a OneHop pool may leave out ---- */

static size_t count_colons(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += bytes[i] == ':';
    }
    return count;
}

/* The host in brackets of "[host]:..."; absent if there is none. */
static oh_text host_in_brackets(oh_text front)
{
    const char *end = memchr(front.bytes, ']', front.length);
    size_t length = end != NULL ? (size_t)(end - front.bytes) : 0;
    bool is_host =
        length > 0 && front.bytes[0] == '[' && length + 1 < front.length && end[1] == ':';
    return is_host ? (oh_text){front.bytes + 1, length - 1} : (oh_text){NULL, 0};
}

/* What follows the host in brackets, or all of it. */
static oh_text after_brackets(oh_text front, oh_text host)
{
    size_t used = host.bytes != NULL ? host.length + 2 : 0;
    return (oh_text){front.bytes + used, front.length - used};
}

static bool lacks_weight(oh_text front, oh_text host)
{
    bool is_path = host.bytes == NULL && front.length > 0 && front.bytes[0] == '/';
    oh_text rest = after_brackets(front, host);
    return count_colons(rest.bytes, rest.length) == (is_path ? 0 : 1);
}

static char *append(char *to, oh_text text)
{
    if (text.length > 0) {
        memcpy(to, text.bytes, text.length);
    }
    return to + text.length;
}

/* The text as nutcracker would have it: no brackets, and a weight. Absent without memory. */
static oh_text complete(oh_config_reader *reader, oh_text text)
{
    oh_text front = text;
    (void)cut_last(&front, ' ');
    oh_text host = host_in_brackets(front);
    oh_text weight = {":1", lacks_weight(front, host) ? 2 : 0};
    oh_text name = {text.bytes + front.length, text.length - front.length}; /* With the blank. */
    char *whole = oh_arena_take(reader->scratch, text.length + sizeof ":1");
    if (whole == NULL) {
        oh_config_fail_memory(reader);
        return (oh_text){NULL, 0};
    }
    char *end = append(whole, host);
    end = append(end, after_brackets(front, host));
    end = append(append(end, weight), name);
    return (oh_text){whole, (size_t)(end - whole)};
}

/* ---- Checking ---- */

/* What is wrong with the parts, or NULL. */
static const char *check_weight(parts *it)
{
    int64_t weight = oh_config_number(it->weight);
    it->weight_number = weight > 0 ? (uint32_t)weight : 0;
    return weight == OH_CONFIG_NOT_A_NUMBER ? "the server has an invalid weight"
           : weight == 0                    ? "the server has weight 0"
           : weight == OH_CONFIG_TOO_LARGE  ? "the server has a weight larger than 2147483647"
                                            : NULL;
}

static const char *check_address(parts *it)
{
    int64_t port = it->is_unix ? 0 : oh_config_number(it->port);
    if (!it->is_unix && (port < 1 || port > OH_PORT_MAX)) {
        return "the server has an invalid port";
    }
    it->port_number = (uint32_t)port;
    return it->address.length == 0 ? "the server has an empty address"
           : it->address.length > OH_SERVER_ADDRESS_BYTES_MAX
               ? "the server has an address longer than 255 bytes"
               : NULL;
}

static const char *check_name(oh_text name)
{
    return name.length == 0                         ? "the server has an empty name"
           : name.length > OH_SERVER_NAME_BYTES_MAX ? "the server has a name longer than 1024 bytes"
                                                    : NULL;
}

static const char *check(oh_text text, parts *it, bool is_own)
{
    if (!take_apart(text, it)) {
        return is_own
                   ? "the server is not \"host:port[:weight] [name]\" or \"/path[:weight] [name]\""
                   : "the server is not \"host:port:weight [name]\" or \"/path:weight [name]\"";
    }
    const char *fault = check_weight(it);
    fault = fault != NULL ? fault : check_address(it);
    return fault != NULL ? fault : check_name(name_of(it));
}

/* ---- Keeping in order ---- */

/* Where a name belongs among the servers so far; *is_new is false if it is there already. */
static size_t find_place(oh_server *const *servers, size_t count, oh_text name, bool *is_new)
{
    size_t left = 0;
    size_t right = count;
    *is_new = true;
    while (left < right) {
        size_t middle = left + (right - left) / 2;
        int order = oh_server_compare_names(servers[middle]->name, name);
        *is_new = *is_new && order != 0;
        if (order < 0) {
            left = middle + 1;
        } else {
            right = middle;
        }
    }
    return left;
}

static void insert(oh_config_reader *reader, oh_server **servers, size_t *count, size_t place,
    const parts *it, size_t line)
{
    oh_server *server = oh_arena_take(reader->arena, sizeof *server);
    oh_text address = oh_config_copy(reader->arena, it->address);
    oh_text name = oh_config_copy(reader->arena, name_of(it));
    if (server == NULL || address.bytes == NULL || name.bytes == NULL) {
        oh_config_fail_memory(reader);
        return;
    }
    server->name = name;
    *(it->is_unix ? &server->path : &server->host) = address;
    server->port = (uint16_t)it->port_number;
    server->weight = it->weight_number;
    server->line = (uint32_t)line;
    memmove(&servers[place + 1], &servers[place], (*count - place) * sizeof servers[0]);
    servers[place] = server;
    ++*count;
}

static void add(
    oh_config_reader *reader, const parts *it, const oh_config_value *value, size_t line)
{
    bool is_new;
    size_t place = find_place(reader->servers, reader->servers_count, name_of(it), &is_new);
    if (!is_new) {
        oh_text told = value->has_variables ? value->told : name_of(it);
        oh_config_fail(reader, line, "server \"%s\" is a duplicate", oh_config_show(told).text);
    } else if (it->weight_number > OH_WEIGHTS_SUM_MAX - reader->weights_sum) {
        oh_config_fail(reader, line, "the weights add up to more than %d", OH_WEIGHTS_SUM_MAX);
    } else {
        insert(reader, reader->servers, &reader->servers_count, place, it, line);
        reader->weights_sum += it->weight_number;
    }
}

void oh_config_add_server(oh_config_reader *reader, const oh_config_spelled *spelled)
{
    if (spelled->text.length == 0) {
        oh_config_fail(reader, spelled->line, "the server is empty");
        return;
    }
    oh_config_value value = oh_config_expand(reader, spelled, "the server");
    oh_text text = value.text;
    if (text.bytes != NULL && reader->is_own_pool) {
        text = complete(reader, text);
    }
    if (text.bytes == NULL) {
        return;
    }
    parts it = {0};
    const char *fault = check(text, &it, reader->is_own_pool);
    if (fault != NULL) {
        oh_config_fail(reader, spelled->line, "%s%s", fault, oh_config_about(value.told).text);
    } else {
        add(reader, &it, &value, spelled->line);
    }
}

/* ---- Sentinels and replicas ---- */

/* "host:port" without the brackets of an IPv6 address. Absent without memory. */
static oh_text without_brackets(oh_config_reader *reader, oh_text text)
{
    oh_text host = host_in_brackets(text);
    oh_text port = after_brackets(text, host);
    oh_text whole = oh_config_copy(reader->scratch, text);
    if (host.bytes == NULL || whole.bytes == NULL) {
        return whole;
    }
    char *bytes = oh_arena_take(reader->scratch, text.length + 1);
    if (bytes == NULL) {
        return (oh_text){NULL, 0};
    }
    append(append(bytes, host), port);
    return (oh_text){bytes, host.length + port.length};
}

/* What can be wrong with "host:port". */
typedef struct {
    const char *form, *port, *empty, *length;
} complaints;

static const complaints about_sentinel = {"the sentinel is not \"host:port\"",
    "the sentinel has an invalid port", "the sentinel has an empty address",
    "the sentinel has an address longer than 255 bytes"};
static const complaints about_replica = {"the replica is not \"host:port name\"",
    "the replica has an invalid port", "the replica has an empty address",
    "the replica has an address longer than 255 bytes"};

static const char *check_host_and_port(oh_text text, parts *it, const complaints *about)
{
    *it = (parts){.name = text, .address = text, .weight_number = 1};
    it->port = cut_last(&it->address, ':');
    int64_t port = it->port.bytes != NULL ? oh_config_number(it->port) : 0;
    if (it->port.bytes == NULL || memchr(text.bytes, ' ', text.length) != NULL) {
        return about->form;
    }
    it->port_number = (uint32_t)port;
    return port < 1 || port > OH_PORT_MAX                     ? about->port
           : it->address.length == 0                          ? about->empty
           : it->address.length > OH_SERVER_ADDRESS_BYTES_MAX ? about->length
                                                              : NULL;
}

void oh_config_add_sentinel(oh_config_reader *reader, const oh_config_spelled *spelled)
{
    if (spelled->text.length == 0) {
        oh_config_fail(reader, spelled->line, "the sentinel is empty");
        return;
    }
    oh_config_value value = oh_config_expand(reader, spelled, "the sentinel");
    if (value.text.bytes == NULL) {
        return;
    }
    oh_text text = without_brackets(reader, value.text);
    if (text.bytes == NULL) {
        oh_config_fail_memory(reader);
        return;
    }
    parts it;
    const char *fault = check_host_and_port(text, &it, &about_sentinel);
    if (fault != NULL) {
        oh_config_fail(reader, spelled->line, "%s%s", fault, oh_config_about(value.told).text);
        return;
    }
    bool is_new;
    size_t place = find_place(reader->sentinels, reader->sentinels_count, text, &is_new);
    if (is_new) {
        insert(reader, reader->sentinels, &reader->sentinels_count, place, &it, spelled->line);
    } else {
        oh_config_fail(reader, spelled->line, "sentinel \"%s\" is a duplicate",
            oh_config_show(value.has_variables ? value.told : text).text);
    }
}

/* "host:port" with the port in decimal. Absent without memory. */
static oh_text address_in_decimal(oh_config_reader *reader, const parts *it)
{
    size_t size = it->address.length + sizeof ":65535";
    char *bytes = oh_arena_take(reader->scratch, size);
    if (bytes == NULL) {
        oh_config_fail_memory(reader);
        return (oh_text){NULL, 0};
    }
    int length = snprintf(bytes, size, "%.*s:%u", (int)it->address.length, it->address.bytes,
        (unsigned)it->port_number);
    return (oh_text){bytes, (size_t)length};
}

/* The name of the master, which is cut off; absent if there is none. */
static oh_text cut_master(oh_text *text)
{
    oh_text whole = *text;
    oh_text name = cut_last(text, ' ');
    if (name.length == 0) {
        *text = whole;
    }
    return name;
}

static void add_replica(oh_config_reader *reader, const parts *it, oh_text master,
    const oh_config_value *value, size_t line)
{
    bool is_new, is_nobodys, is_no_server;
    size_t index = find_place(reader->servers, reader->servers_count, master, &is_nobodys);
    if (is_nobodys) {
        if (oh_config_errors_count(reader) == reader->errors_before) {
            oh_config_fail(reader, line, "the replica is of no server of this pool%s",
                oh_config_about(value->told).text);
        }
        return;
    }
    (void)find_place(reader->servers, reader->servers_count, it->name, &is_no_server);
    size_t place = find_place(reader->replicas, reader->replicas_count, it->name, &is_new);
    if (!is_new || !is_no_server) {
        oh_config_fail(reader, line, "replica \"%s\" is a duplicate",
            oh_config_show(value->has_variables ? value->told : it->name).text);
        return;
    }
    insert(reader, reader->replicas, &reader->replicas_count, place, it, line);
    if (!reader->is_over) {
        reader->replicas[place]->role = OH_REPLICA;
        reader->replicas[place]->master = (uint16_t)index;
    }
}

void oh_config_add_replica(oh_config_reader *reader, const oh_config_spelled *spelled)
{
    if (spelled->text.length == 0) {
        oh_config_fail(reader, spelled->line, "the replica is empty");
        return;
    }
    oh_config_value value = oh_config_expand(reader, spelled, "the replica");
    if (value.text.bytes == NULL) {
        return;
    }
    oh_text front = value.text;
    oh_text master = cut_master(&front);
    oh_text text = without_brackets(reader, front);
    if (text.bytes == NULL) {
        oh_config_fail_memory(reader);
        return;
    }
    parts it;
    const char *fault = check_host_and_port(text, &it, &about_replica);
    fault = master.length == 0 ? about_replica.form : fault;
    if (fault != NULL) {
        oh_config_fail(reader, spelled->line, "%s%s", fault, oh_config_about(value.told).text);
        return;
    }
    it.name = address_in_decimal(reader, &it);
    if (it.name.bytes != NULL) {
        add_replica(reader, &it, master, &value, spelled->line);
    }
}
