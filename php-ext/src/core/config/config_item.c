/*
 * Takes items of sequences into the pool that is being read: their values, their errors, and their
 * places in the order of names.
 *
 * Implements spec/config, section 7.
 */
#include <stdio.h>
#include <string.h>

#include "core/config/config_reader.h"

bool oh_config_begin_item(
    oh_config_item *item, oh_config_reader *reader, const oh_config_spelled *spelled)
{
    char subject[32];

    *item = (oh_config_item){.reader = reader,
        .sequence = &reader->sequences[spelled->directive],
        .name = oh_config_directives[spelled->directive].item,
        .line = spelled->line};
    snprintf(subject, sizeof subject, "the %s", item->name);
    if (spelled->text.length == 0) {
        oh_config_fail(reader, item->line, "%s is empty", subject);
        return false;
    }
    item->value = oh_config_expand(reader, spelled, subject);
    return item->value.text.bytes != NULL;
}

void oh_config_fail_item(const oh_config_item *item, const char *fault)
{
    oh_config_fail(item->reader, item->line, "the %s %s%s", item->name, fault,
        oh_config_about(item->value.told).text);
}

void oh_config_fail_duplicate(const oh_config_item *item, oh_text name)
{
    oh_config_fail(item->reader, item->line, "%s \"%s\" is a duplicate", item->name,
        oh_config_show(item->value.has_variables ? item->value.told : name).text);
}

size_t oh_config_find(const oh_config_sequence *sequence, oh_text name, bool *is_there)
{
    size_t left = 0;
    size_t right = sequence->items_count;

    *is_there = false;
    while (left < right) {
        size_t middle = left + (right - left) / 2;
        int order = oh_server_compare_names(sequence->items[middle]->name, name);

        *is_there = *is_there || order == 0;
        if (order < 0) {
            left = middle + 1;
        } else {
            right = middle;
        }
    }
    return left;
}

oh_server *oh_config_insert(const oh_config_item *item, size_t place, const oh_config_parts *it)
{
    oh_config_reader *reader = item->reader;
    oh_config_sequence *sequence = item->sequence;
    oh_server *server = oh_arena_take(reader->arena, sizeof *server);
    oh_text address = oh_config_copy(reader->arena, it->address);
    oh_text name = oh_config_copy(reader->arena, it->name);
    oh_text slots = it->slots.bytes ? oh_config_copy(reader->arena, it->slots) : it->slots;
    bool lacks_slots = it->slots.bytes && !slots.bytes;

    if (!server || !address.bytes || !name.bytes || lacks_slots) {
        oh_config_fail_memory(reader);
        return NULL;
    }
    server->name = name;
    *(it->is_unix ? &server->path : &server->host) = address;
    server->port = (uint16_t)it->port_number;
    server->weight = it->weight_number;
    server->line = (uint32_t)item->line;
    server->order = (uint32_t)sequence->items_count;
    server->is_named = it->is_named;
    server->slots = slots;
    memmove(&sequence->items[place + 1], &sequence->items[place],
        (sequence->items_count - place) * sizeof sequence->items[0]);
    sequence->items[place] = server;
    sequence->items_count++;
    return server;
}
