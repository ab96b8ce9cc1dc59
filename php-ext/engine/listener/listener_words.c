/*
 * Where a command's words go: a channel to the node that it is placed on, a pattern to every node.
 */
#include "engine/listener/listener_internal.h"

#include "core/resp/value.h"

#include "engine/base/environment.h"

/* ---- The command ---- */

void oh_said_free(oh_said *said)
{
    oh_call_release(said->words);
    oh_call_release(said->nodes);
}

static bool refuse(oh_listener *listener)
{
    oh_failure_set(listener->failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT,
        "report this as a bug", "phpredis wrote something that is no subscription");
    oh_listener_fail(listener, 0);
    return false;
}

bool oh_said_read(oh_said *said, oh_listener *listener, const char *bytes, size_t length)
{
    oh_values values = oh_values_of(bytes, length);
    size_t count;
    oh_text name;

    if (!oh_value_take_list(&values, &count) || count < 2 || !oh_value_take_text(&values, &name) ||
        !(said->verb = oh_text_verb(name))) {
        return refuse(listener);
    }
    said->words = oh_call_zeroed(count, sizeof *said->words);
    said->nodes = oh_call_zeroed(count, sizeof *said->nodes);
    if (!said->words || !said->nodes) {
        oh_listener_lack_memory(listener, OH_NO_NODE, OH_OUTCOME_NOT_SENT);
        return false;
    }
    while (said->count < count - 1 && oh_value_take_text(&values, &said->words[said->count])) {
        said->count++;
    }
    return (said->count == count - 1 && values.at == values.end) || refuse(listener);
}

/* ---- The nodes ---- */

/* Who has never been told to subscribe needs not be told to unsubscribe. */
static bool concerns(const oh_said *said, const oh_ear *ear)
{
    return said->verb->is_beginning || ear->connection;
}

/* Of a Redis Cluster each node passes on what is published on any: one hears it all. */
static bool hears_patterns(const oh_snapshot *snapshot, uint32_t node)
{
    return !snapshot->cluster || node == oh_snapshot_next(snapshot, snapshot->nodes_count - 1);
}

static void count_words(oh_listener *listener, oh_said *said)
{
    bool is_everywhere = said->verb->kind == OH_PATTERN;

    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        bool is_meant = is_everywhere && hears_patterns(listener->snapshot, node);

        listener->ears[node].words =
            is_meant && concerns(said, &listener->ears[node]) ? said->count : 0;
    }
    for (uint32_t i = 0; i < said->count && !is_everywhere; i++) {
        said->nodes[i] = oh_topology_locate(
            listener->topology, (const uint8_t *)said->words[i].bytes, said->words[i].length);
        listener->ears[said->nodes[i]].words += concerns(said, &listener->ears[said->nodes[i]]);
    }
}

static void write_requests(oh_listener *listener, const oh_said *said)
{
    bool is_everywhere = said->verb->kind == OH_PATTERN;

    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        oh_ear *ear = &listener->ears[node];

        oh_buffer_free(&ear->request);
        ear->unconfirmed = ear->words;
        if (ear->words) {
            oh_text_begin(&ear->request, said->verb, ear->words);
        }
        for (uint32_t i = 0; i < ear->words && is_everywhere; i++) {
            oh_text_append(&ear->request, said->words[i]);
        }
    }
    for (uint32_t i = 0; i < said->count && !is_everywhere; i++) {
        oh_ear *ear = &listener->ears[said->nodes[i]];

        if (ear->words) {
            oh_text_append(&ear->request, said->words[i]);
        }
    }
}

bool oh_said_share_out(oh_said *said, oh_listener *listener)
{
    count_words(listener, said);
    write_requests(listener, said);
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->ears[node].request.is_broken) {
            oh_listener_lack_memory(listener, node, OH_OUTCOME_NOT_SENT);
            return false;
        }
    }
    return true;
}
