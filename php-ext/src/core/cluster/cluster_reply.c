/*
 * The two forms in which a node reports the map. CLUSTER SHARDS (7.0 and later): shards, each with
 * its slots and its nodes as pairs of a name and a value. CLUSTER SLOTS: ranges, each with its
 * nodes, the owner first.
 *
 * Unknown names are skipped: later servers will say more.
 *
 * Implements spec/topology/cluster.md, sections 1 and 2.
 */
#include <string.h>

#include "core/cluster/cluster_reader.h"

static bool fail_form(oh_cluster_reader *reader)
{
    return oh_cluster_fail(reader, OH_REASON_MAP_SHAPE);
}

static bool take(oh_cluster_reader *reader, oh_value_kind kind, oh_value *value)
{
    return (oh_value_take(&reader->values, value) && value->kind == kind) || fail_form(reader);
}

static bool take_text(oh_cluster_reader *reader, oh_text *text)
{
    oh_value value;

    if (!oh_value_take(&reader->values, &value) ||
        (value.kind != OH_VALUE_TEXT && value.kind != OH_VALUE_NIL)) {
        return fail_form(reader);
    }
    *text = value.text;
    return true;
}

static bool take_number(oh_cluster_reader *reader, int64_t *number)
{
    oh_value value;

    if (!take(reader, OH_VALUE_NUMBER, &value)) {
        return false;
    }
    *number = value.number;
    return true;
}

/* ---- SHARDS ---- */

static bool take_node_field(oh_cluster_reader *reader, const oh_value *name, oh_told_node *told)
{
    oh_text text = {NULL, 0};

    if (oh_value_is(name, "id")) {
        return take_text(reader, &told->id);
    }
    if (oh_value_is(name, "port")) {
        return take_number(reader, &told->port);
    }
    if (oh_value_is(name, "ip")) {
        return take_text(reader, &told->address);
    }
    if (oh_value_is(name, "endpoint")) {
        told->has_endpoint = true;
        return take_text(reader, &told->endpoint);
    }
    if (oh_value_is(name, "availability-zone")) {
        return take_text(reader, &told->zone);
    }
    bool is_role = oh_value_is(name, "role");
    if (is_role || oh_value_is(name, "health")) {
        if (!take_text(reader, &text)) {
            return false;
        }
        oh_value value = {.kind = OH_VALUE_TEXT, .text = text};
        told->is_master |= is_role && oh_value_is(&value, "master");
        told->is_failing |= !is_role && !oh_value_is(&value, "online");
        told->is_loading |= !is_role && oh_value_is(&value, "loading");
        return true;
    }
    return oh_value_skip(&reader->values) || fail_form(reader);
}

static bool take_shard_node(oh_cluster_reader *reader, oh_told_node *told)
{
    oh_value list, name;

    *told = (oh_told_node){.port = 0};
    if (!take(reader, OH_VALUE_LIST, &list)) {
        return false;
    }
    for (int64_t i = 0; i + 1 < list.number; i += 2) {
        if (!take(reader, OH_VALUE_TEXT, &name) || !take_node_field(reader, &name, told)) {
            return false;
        }
    }
    return list.number % 2 == 0 || fail_form(reader);
}

/*
 * The nodes of one shard. Its owner is the first master that is online, otherwise the first master.
 * If a master was lost and another node has taken over, some servers name both as masters.
 */
static bool take_shard_nodes(oh_cluster_reader *reader, uint16_t *owner)
{
    oh_value list;
    oh_told_node told;
    uint16_t index;
    bool has_online = false;

    if (!take(reader, OH_VALUE_LIST, &list)) {
        return false;
    }
    oh_values start = reader->values;
    for (int64_t i = 0; i < list.number; i++) {
        if (!take_shard_node(reader, &told) || !oh_cluster_add_node(reader, &told, &index)) {
            return false;
        }
        if (told.is_master && index != OH_NO_OWNER &&
            (*owner == OH_NO_OWNER || (!has_online && !told.is_failing))) {
            *owner = index;
            has_online = !told.is_failing;
        }
    }
    if (list.number < 2) {
        return true;
    }
    reader->values = start;
    for (int64_t i = 0; i < list.number; i++) {
        if (!take_shard_node(reader, &told) || !oh_cluster_add_node(reader, &told, &index)) {
            return false;
        }
        if (index != OH_NO_OWNER && !told.is_master && *owner != OH_NO_OWNER) {
            reader->map->nodes[index].role = OH_REPLICA;
            reader->map->nodes[index].master = *owner;
        }
    }
    return true;
}

static bool claim_shard_slots(oh_cluster_reader *reader, uint16_t owner)
{
    oh_value list;
    int64_t first, last;

    if (!take(reader, OH_VALUE_LIST, &list)) {
        return false;
    }
    for (int64_t i = 0; i + 1 < list.number; i += 2) {
        if (!take_number(reader, &first) || !take_number(reader, &last) ||
            !oh_cluster_claim(reader, first, last, owner)) {
            return false;
        }
    }
    return list.number % 2 == 0 || fail_form(reader);
}

/* The slots may come before the nodes, so they are read when the nodes are known. */
static bool take_shard(oh_cluster_reader *reader, int64_t fields)
{
    uint16_t owner = OH_NO_OWNER;
    oh_values slots = {NULL, NULL};
    oh_value name;

    for (int64_t i = 0; i + 1 < fields; i += 2) {
        if (!take(reader, OH_VALUE_TEXT, &name)) {
            return false;
        }
        if (oh_value_is(&name, "nodes")) {
            if (!take_shard_nodes(reader, &owner)) {
                return false;
            }
            continue;
        }
        if (oh_value_is(&name, "slots")) {
            slots = reader->values;
        }
        if (!oh_value_skip(&reader->values)) {
            return fail_form(reader);
        }
    }
    if (fields % 2 != 0 || !slots.at) {
        return fail_form(reader);
    }
    oh_values behind = reader->values;
    reader->values = slots;
    bool is_claimed = claim_shard_slots(reader, owner);
    reader->values = behind;
    return is_claimed;
}

/* ---- SLOTS ---- */

static bool take_metadata(oh_cluster_reader *reader, oh_told_node *told)
{
    oh_value list, name;

    if (!take(reader, OH_VALUE_LIST, &list)) {
        return false;
    }
    for (int64_t i = 0; i + 1 < list.number; i += 2) {
        if (!take(reader, OH_VALUE_TEXT, &name)) {
            return false;
        }
        bool is_taken = oh_value_is(&name, "ip") ? take_text(reader, &told->address)
                        : oh_value_is(&name, "availability-zone")
                            ? take_text(reader, &told->zone)
                            : oh_value_skip(&reader->values) || fail_form(reader);
        if (!is_taken) {
            return false;
        }
    }
    return list.number % 2 == 0 || fail_form(reader);
}

/*
 * Takes a node of SLOTS: address, port, and in later servers an id and pairs of names and values.
 * The port is the one for connections like the asking one, with or without TLS.
 */
static bool take_range_node(oh_cluster_reader *reader, oh_told_node *told)
{
    oh_value list;

    *told = (oh_told_node){.has_endpoint = true};
    if (!take(reader, OH_VALUE_LIST, &list)) {
        return false;
    }
    if (list.number < 2) {
        return fail_form(reader);
    }
    if (!take_text(reader, &told->endpoint) || !take_number(reader, &told->port) ||
        (list.number > 2 && !take_text(reader, &told->id)) ||
        (list.number > 3 && !take_metadata(reader, told))) {
        return false;
    }
    for (int64_t i = 4; i < list.number; i++) {
        if (!oh_value_skip(&reader->values)) {
            return fail_form(reader);
        }
    }
    return true;
}

static bool take_range(oh_cluster_reader *reader, int64_t elements)
{
    int64_t first, last;
    uint16_t owner = OH_NO_OWNER, index;
    oh_told_node told;

    if (elements < 2 || !take_number(reader, &first) || !take_number(reader, &last)) {
        return elements >= 2 ? false : fail_form(reader);
    }
    for (int64_t i = 2; i < elements; i++) {
        if (!take_range_node(reader, &told) || !oh_cluster_add_node(reader, &told, &index)) {
            return false;
        }
        if (i == 2) {
            owner = index;
        } else if (index != OH_NO_OWNER && owner != OH_NO_OWNER) {
            reader->map->nodes[index].role = OH_REPLICA;
            reader->map->nodes[index].master = owner;
        }
    }
    return oh_cluster_claim(reader, first, last, owner);
}

/* ---- Either ---- */

bool oh_cluster_read_reply(oh_cluster_reader *reader)
{
    oh_value list, element;

    if (!oh_value_take(&reader->values, &list)) {
        return fail_form(reader);
    }
    if (list.kind == OH_VALUE_ERROR) {
        return oh_cluster_fail(reader, OH_REASON_MAP_IS_ERROR);
    }
    if (list.kind != OH_VALUE_LIST) {
        return fail_form(reader);
    }
    for (int64_t i = 0; i < list.number; i++) {
        if (!take(reader, OH_VALUE_LIST, &element)) {
            return false;
        }
        bool is_range = oh_value_is_number_next(&reader->values);
        if (!(is_range ? take_range(reader, element.number) : take_shard(reader, element.number))) {
            return false;
        }
    }
    return reader->values.at == reader->values.end || fail_form(reader);
}
