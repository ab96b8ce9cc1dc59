/*
 * The spelling of a Sentinel, "host:port", of a replica, "host:port name", and of a zone, "host
 * zone".
 *
 * Implements spec/config, section 7.
 */
#include <string.h>

#include "core/base/decimal.h"
#include "core/config/config_reader.h"

/* ---- host:port ---- */

/*
 * "host:port" without the brackets of an IPv6 address. Brackets around nothing stay, as the host.
 * Absent if there is no memory; then the error has been added.
 */
static oh_text without_brackets(oh_config_reader *reader, oh_text text)
{
    oh_text host = oh_config_host_in_brackets(text);
    char *whole = oh_arena_take(reader->scratch, text.length + 1);

    if (!whole) {
        oh_config_fail_memory(reader);
        return (oh_text){NULL, 0};
    }
    host = host.length == 0 ? (oh_text){NULL, 0} : host;
    char *end = oh_config_append(whole, host);
    end = oh_config_append(end, oh_config_after_brackets(text, host));
    return (oh_text){whole, (size_t)(end - whole)};
}

/*
 * What is wrong with "host:port", or NULL if it is right. Returns `form` if the text does not have
 * this form at all.
 */
static const char *take_apart(oh_text spelled, oh_text text, oh_config_parts *it, const char *form)
{
    *it = (oh_config_parts){.name = text, .address = text, .weight_number = 1};
    it->port = oh_config_cut_last(&it->address, ':');
    bool is_formed = oh_config_count_colons(spelled) == 1 && !memchr(text.bytes, ' ', text.length);
    return is_formed ? oh_config_check_address(it) : form;
}

void oh_config_add_sentinel(oh_config_reader *reader, const oh_config_spelled *spelled)
{
    oh_config_item item;

    if (!oh_config_begin_item(&item, reader, spelled)) {
        return;
    }
    oh_text text = without_brackets(reader, item.value.text);
    if (!text.bytes) {
        return;
    }
    oh_config_parts it;
    const char *fault = take_apart(item.value.text, text, &it, "is not \"host:port\"");
    if (fault) {
        oh_config_fail_item(&item, fault);
        return;
    }
    bool is_there;
    size_t place = oh_config_find(item.sequence, text, &is_there);
    if (is_there) {
        oh_config_fail_duplicate(&item, text);
    } else {
        oh_config_insert(&item, place, &it);
    }
}

static void add_replica(const oh_config_item *item, const oh_config_parts *it, oh_text master)
{
    oh_config_reader *reader = item->reader;
    const oh_config_sequence *servers = &reader->sequences[OH_CONFIG_SERVERS];
    bool has_master, is_server, is_there;
    size_t index = oh_config_find(servers, master, &has_master);

    if (!has_master) {
        if (oh_config_errors_count(reader) == reader->errors_before) {
            oh_config_fail_item(item, "is of no server of this pool");
        }
        return;
    }
    (void)oh_config_find(servers, it->name, &is_server);
    size_t place = oh_config_find(item->sequence, it->name, &is_there);
    if (is_there || is_server) {
        oh_config_fail_duplicate(item, it->name);
        return;
    }
    oh_server *replica = oh_config_insert(item, place, it);
    if (replica) {
        replica->role = OH_REPLICA;
        replica->master = (uint16_t)index;
    }
}

void oh_config_add_replica(oh_config_reader *reader, const oh_config_spelled *spelled)
{
    static const char form[] = "is not \"host:port name\"";
    oh_config_item item;

    if (!oh_config_begin_item(&item, reader, spelled)) {
        return;
    }
    oh_text front = item.value.text;
    oh_text master = oh_config_cut_last(&front, ' ');
    oh_text text = without_brackets(reader, front);
    if (!text.bytes) {
        return;
    }
    oh_config_parts it;
    const char *fault = master.length > 0 ? take_apart(front, text, &it, form) : form;
    if (fault) {
        oh_config_fail_item(&item, fault);
        return;
    }
    char name[OH_ADDRESS_BYTES_MAX]; /* With the port in decimal. */
    it.name = oh_address_write(name, it.address, (uint16_t)it.port_number);
    add_replica(&item, &it, master);
}

/* ---- Zones ---- */

static const char *check_zone(oh_text host, oh_text zone)
{
    if (zone.length == 0 || host.length == 0 || memchr(host.bytes, ' ', host.length)) {
        return "is not \"host zone\"";
    }
    return host.length > OH_SERVER_ADDRESS_BYTES_MAX ? OH_CONFIG_LONG_ADDRESS : NULL;
}

static void add_zone(const oh_config_item *item, oh_text host, oh_text zone)
{
    oh_config_reader *reader = item->reader;
    oh_config_parts it = {.name = host, .address = host};
    bool is_there;
    size_t place = oh_config_find(item->sequence, host, &is_there);

    if (is_there) {
        oh_config_fail_duplicate(item, host);
        return;
    }
    oh_server *kept = oh_config_insert(item, place, &it);
    if (kept) {
        kept->id = oh_config_copy(reader->arena, zone);
    }
    if (kept && !kept->id.bytes) {
        oh_config_fail_memory(reader);
    }
}

void oh_config_add_zone(oh_config_reader *reader, const oh_config_spelled *spelled)
{
    oh_config_item item;

    if (!oh_config_begin_item(&item, reader, spelled)) {
        return;
    }
    oh_text host = item.value.text;
    oh_text zone = oh_config_cut_last(&host, ' ');
    bool is_in_brackets =
        host.length > 2 && host.bytes[0] == '[' && host.bytes[host.length - 1] == ']';
    if (is_in_brackets) {
        host = (oh_text){host.bytes + 1, host.length - 2};
    }
    const char *fault = check_zone(host, zone);
    if (fault) {
        oh_config_fail_item(&item, fault);
        return;
    }
    add_zone(&item, host, zone);
}
