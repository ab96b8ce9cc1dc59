/*
 * The spelling of a server: "host:port:weight [name]" or "/path:weight [name]", read from the right
 * as nutcracker reads it, and the name that placement knows the server by.
 *
 * Implements spec/config, section 7.
 */
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

/* ---- Checking ---- */

static bool check_weight(oh_config_reader *reader, parts *it, size_t line)
{
    int64_t weight = oh_config_number(it->weight);
    if (weight == OH_CONFIG_NOT_A_NUMBER) {
        return oh_config_fail(reader->error, line, "the server has an invalid weight");
    }
    if (weight == 0) {
        return oh_config_fail(reader->error, line, "the server has weight 0");
    }
    if (weight == OH_CONFIG_TOO_LARGE) {
        return oh_config_fail(
            reader->error, line, "the server has a weight larger than %d", OH_NUMBER_MAX);
    }
    it->weight_number = (uint32_t)weight;
    return true;
}

static bool check_address(oh_config_reader *reader, parts *it, size_t line)
{
    int64_t port = it->is_unix ? 0 : oh_config_number(it->port);
    if (!it->is_unix && (port < 1 || port > OH_PORT_MAX)) {
        return oh_config_fail(reader->error, line, "the server has an invalid port");
    }
    if (it->address.length == 0) {
        return oh_config_fail(reader->error, line, "the server has an empty address");
    }
    if (it->address.length > OH_SERVER_ADDRESS_BYTES_MAX) {
        return oh_config_fail(reader->error, line, "the server has an address longer than %d bytes",
            OH_SERVER_ADDRESS_BYTES_MAX);
    }
    it->port_number = (uint32_t)port;
    return true;
}

static bool check_name(oh_config_reader *reader, oh_text name, size_t line)
{
    if (name.length == 0) {
        return oh_config_fail(reader->error, line, "the server has an empty name");
    }
    if (name.length > OH_SERVER_NAME_BYTES_MAX) {
        return oh_config_fail(reader->error, line, "the server has a name longer than %d bytes",
            OH_SERVER_NAME_BYTES_MAX);
    }
    return true;
}

/* ---- Keeping in order ---- */

/* nutcracker's order: shorter names first, equal lengths by unsigned bytes. */
static int compare_names(oh_text a, oh_text b)
{
    if (a.length != b.length) {
        return a.length < b.length ? -1 : 1;
    }
    return memcmp(a.bytes, b.bytes, a.length);
}

/* Where a name belongs among the servers so far; *is_new is false if it is there already. */
static size_t find_place(const oh_config_reader *reader, oh_text name, bool *is_new)
{
    size_t left = 0;
    size_t right = reader->servers_count;
    *is_new = true;
    while (left < right) {
        size_t middle = left + (right - left) / 2;
        int order = compare_names(reader->servers[middle]->name, name);
        *is_new = *is_new && order != 0;
        if (order < 0) {
            left = middle + 1;
        } else {
            right = middle;
        }
    }
    return left;
}

static bool insert(oh_config_reader *reader, size_t place, const parts *it, size_t line)
{
    oh_server *server = oh_arena_take(reader->arena, sizeof *server);
    if (server == NULL) {
        return oh_config_fail_memory(reader->error);
    }
    oh_text address = oh_config_copy(reader->arena, it->address);
    server->name = oh_config_copy(reader->arena, name_of(it));
    if (address.bytes == NULL || server->name.bytes == NULL) {
        return oh_config_fail_memory(reader->error);
    }
    *(it->is_unix ? &server->path : &server->host) = address;
    server->port = (uint16_t)it->port_number;
    server->weight = it->weight_number;
    server->line = (uint32_t)line;
    memmove(&reader->servers[place + 1], &reader->servers[place],
        (reader->servers_count - place) * sizeof reader->servers[0]);
    reader->servers[place] = server;
    reader->servers_count++;
    reader->weights_sum += server->weight;
    return true;
}

static bool check(oh_config_reader *reader, oh_text spelled, parts *it, size_t line)
{
    if (!take_apart(spelled, it)) {
        return oh_config_fail(reader->error, line,
            "the server is not \"host:port:weight [name]\" or \"/path:weight [name]\"");
    }
    return check_weight(reader, it, line) && check_address(reader, it, line) &&
           check_name(reader, name_of(it), line);
}

bool oh_config_add_server(oh_config_reader *reader, oh_text spelled, size_t line)
{
    if (spelled.length == 0) {
        return oh_config_fail(reader->error, line, "the server is empty");
    }
    parts it = {0};
    if (!check(reader, spelled, &it, line)) {
        return oh_config_add_value(reader->error, spelled);
    }
    bool is_new;
    size_t place = find_place(reader, name_of(&it), &is_new);
    if (!is_new) {
        return oh_config_fail(
            reader->error, line, "server \"%s\" is a duplicate", oh_config_show(name_of(&it)).text);
    }
    if (it.weight_number > OH_WEIGHTS_SUM_MAX - reader->weights_sum) {
        return oh_config_fail(
            reader->error, line, "the weights add up to more than %d", OH_WEIGHTS_SUM_MAX);
    }
    return insert(reader, place, &it, line);
}
