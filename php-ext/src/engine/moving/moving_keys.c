/*
 * The keys of a request that move. A request may be one command or a whole batch; each of its
 * commands either asks for its key or brings its keys.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/compiler.h"
#include "core/command/command.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/inquiry/inquiry.h"
#include "engine/moving/moving_internal.h"

typedef struct command_words {
    oh_bytes *words; /* Memory of the call. */
    size_t count;
    oh_key_position *positions; /* Memory of the call. */
    size_t keys_count;
} command_words;

static bool add(oh_moving_keys *list, const oh_moving_key *key)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 16;
        oh_moving_key *grown = oh_call_resize(list->keys, capacity, sizeof *grown);

        if (!grown) {
            return false;
        }
        list->capacity = capacity;
        list->keys = grown;
    }
    list->keys[list->count++] = *key;
    return true;
}

static int compare(const void *one, const void *other)
{
    oh_bytes a = ((const oh_moving_key *)one)->key, b = ((const oh_moving_key *)other)->key;

    if (a.length != b.length) {
        return a.length < b.length ? -1 : 1;
    }
    return a.length > 0 ? memcmp(a.bytes, b.bytes, a.length) : 0;
}

void oh_moving_leave_out_brought(oh_moving *moving)
{
    const oh_moving_keys *brought = &moving->brought;
    oh_moving_keys *asked = &moving->asked;
    uint32_t kept = 0;

    if (brought->count == 0) {
        return;
    }
    for (uint32_t i = 0; i < asked->count; i++) {
        const oh_moving_key *found =
            bsearch(&asked->keys[i], brought->keys, brought->count, sizeof *brought->keys, compare);

        if (!found || found->is_refused) {
            asked->keys[kept++] = asked->keys[i];
        }
    }
    asked->count = kept;
}

/* ---- One command ---- */

/* Reads the words of a command. False if there is no memory, or if these bytes are not words. */
static bool read_words(oh_bytes bytes, command_words *it)
{
    oh_values values = oh_values_of(bytes.bytes, bytes.length);

    *it = (command_words){.count = 0};
    if (!oh_value_take_command(&values, &it->count)) {
        return false;
    }
    it->words = oh_call_resize(NULL, it->count, sizeof *it->words);
    it->positions = oh_call_resize(NULL, it->count, sizeof *it->positions);
    for (size_t i = 0; it->words && i < it->count; i++) {
        oh_value_take_word(&values, &it->words[i]);
    }
    return it->words && it->positions;
}

static void free_words(command_words *it)
{
    oh_call_release(it->words);
    oh_call_release(it->positions);
}

static size_t count_plain(const command_words *it)
{
    size_t count = 0;

    for (size_t i = 0; i < it->keys_count; i++) {
        count += it->positions[i].kind == OH_KEY_PLAIN;
    }
    return count;
}

/* Refuses a pattern: nobody knows which keys it names. */
static bool refuse_pattern(oh_exchange *exchange, const oh_command *command, oh_bytes pattern)
{
    oh_quoted quoted;

    oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_PATTERN_MOVES, command->name,
        oh_quote_name(&quoted, pattern.bytes, pattern.length));
    oh_exchange_fail(exchange);
    return false;
}

/*
 * True if each key of the command can be asked for by itself: the command has one key, or its reply
 * has an element for each key.
 */
static bool asks(const oh_command *command, const command_words *it, size_t keys_count)
{
    return oh_command_asks(command, it->words, it->count, keys_count) &&
           (keys_count == 1 || (strcmp(command->name, "mget") == 0));
}

static bool note_keys(oh_moving *moving, oh_exchange *exchange, oh_bytes bytes,
    const oh_command *command, const command_words *it)
{
    const oh_topology *topology = moving->snapshot->topology;
    size_t keys_count = count_plain(it);
    bool is_alone = !exchange->use.keeps && !exchange->terms.has_multi;
    bool is_asking = is_alone && asks(command, it, keys_count);
    oh_moving_key key = {.command = moving->commands_count,
        .is_element = is_asking && command->spread == OH_SPREAD_SPLIT && keys_count > 1,
        .bytes = bytes};

    for (size_t i = 0; i < it->keys_count; i++) {
        key.key = it->words[it->positions[i].position];
        key.from = it->positions[i].kind == OH_KEY_CHANNEL
                       ? OH_STAYS
                       : oh_topology_from(topology, key.key.bytes, key.key.length);
        if (it->positions[i].kind == OH_KEY_PATTERN &&
            (key.from != OH_STAYS ||
                !oh_topology_was_pattern_placed(topology, key.key.bytes, key.key.length))) {
            return refuse_pattern(exchange, command, key.key);
        }
        if (key.from != OH_STAYS && !add(is_asking ? &moving->asked : &moving->brought, &key)) {
            oh_exchange_fail_without_memory(exchange);
            return false;
        }
        key.element++;
    }
    return true;
}

/* ---- Commands that only the nodes know ---- */

static bool fail_inquiry(oh_exchange *exchange, const oh_inquiry *inquiry)
{
    *exchange->failure = inquiry->failure;
    exchange->failure->outcome = OH_OUTCOME_NOT_SENT;
    oh_exchange_fail(exchange);
    return false;
}

/* Refuses a command because nobody knows which of its keys move. */
static bool refuse_undescribed(
    oh_exchange *exchange, const command_words *it, const oh_inquiry *inquiry)
{
    oh_quoted name;

    oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_DESCRIBED,
        oh_quote_name(&name, it->words[0].bytes, it->words[0].length), inquiry->answer.text);
    oh_exchange_fail(exchange);
    return false;
}

/*
 * The caller has just learnt what the command is, and the learnt command is kept, so usually
 * nothing is asked here. False if the exchange has failed. A command that no node has is sent, for
 * its answer.
 */
static bool note_learnt(oh_moving *moving, oh_exchange *exchange, oh_bytes bytes, command_words *it)
{
    oh_inquiry inquiry = {.snapshot = moving->snapshot,
        .node = moving->node,
        .timeout_ms = exchange->terms.timeout_ms,
        .deadline_ns = exchange->times.deadline_ns,
        .held_node = exchange->use.keeps ? moving->node : OH_INQUIRY_NO_NODE};
    const oh_command *command = NULL;
    oh_learnt_row row;
    oh_learnt learnt;
    size_t names_count;

    oh_inquiry_end end = oh_inquiry_describe(&inquiry, it->words, it->count, &learnt, &names_count);
    if (end == OH_INQUIRY_ANSWERED && learnt.kind == OH_LEARNT_RENAMED) {
        command = oh_learnt_known_as(&learnt, it->words, it->count);
    } else if (end == OH_INQUIRY_ANSWERED && learnt.kind == OH_LEARNT_ROW) {
        oh_learnt_open(&row, &learnt);
        command = &row.command;
    }
    if (command && learnt.kind == OH_LEARNT_ROW && learnt.asks_keys) {
        end = oh_inquiry_find_keys(&inquiry, it->words, it->count, it->positions, &it->keys_count);
    } else if (command && oh_command_keys(command, it->words, it->count, it->positions, it->count,
                              &it->keys_count)) {
        it->keys_count = 0;
    }
    if (end == OH_INQUIRY_FAILED) {
        return fail_inquiry(exchange, &inquiry);
    }
    if (end == OH_INQUIRY_REFUSED) {
        return refuse_undescribed(exchange, it, &inquiry);
    }
    return !command || note_keys(moving, exchange, bytes, command, it);
}

static bool note_command(oh_moving *moving, oh_exchange *exchange, oh_bytes bytes)
{
    command_words it;
    bool is_well = read_words(bytes, &it);
    const oh_command *command = is_well ? oh_command_find(it.words, it.count) : NULL;

    if (!is_well) {
        oh_exchange_fail_without_memory(exchange);
    } else if (!command) {
        is_well = note_learnt(moving, exchange, bytes, &it);
    } else if (!oh_command_keys(
                   command, it.words, it.count, it.positions, it.count, &it.keys_count)) {
        is_well = note_keys(moving, exchange, bytes, command, &it);
    }
    free_words(&it);
    return is_well;
}

bool oh_moving_find(oh_moving *moving)
{
    oh_exchange *exchange = moving->exchange;
    const oh_request *request = &exchange->request;

    for (size_t at = oh_moving_begin(exchange), end; at < request->length; at = end) {
        end = oh_request_end_of_command(request->bytes, request->length, at);
        if (!note_command(moving, exchange, (oh_bytes){request->bytes + at, end - at})) {
            return false;
        }
        moving->commands_count++;
    }
    if (moving->brought.count > 1) {
        qsort(moving->brought.keys, moving->brought.count, sizeof *moving->brought.keys, compare);
    }
    return true;
}
