/*
 * The engine in one page: sends a command to the node that has its key, and prints the reply.
 *
 *     get nutcracker.yml POOL GET user:1
 *
 * The word after the command is used as its key. The reply is printed unchanged, a failure as a
 * message.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/resp/wire.h"
#include "engine/exchange/exchange.h"
#include "engine/shared/resolver.h"
#include "engine/source/source.h"

/* Encodes the words of a command in the Redis protocol. */
static void encode(oh_buffer *request, char **words, int count)
{
    oh_buffer_print(request, "*%d\r\n", count);
    for (int i = 0; i < count; i++) {
        oh_buffer_print(request, "$%zu\r\n", strlen(words[i]));
        oh_buffer_append_text(request, words[i]);
        oh_buffer_append_text(request, "\r\n");
    }
}

static bool ask(oh_snapshot *snapshot, uint32_t node, const oh_buffer *request, oh_failure *failure)
{
    oh_peer peer = {.connections = oh_snapshot_connections(snapshot, node),
        .metered = oh_snapshot_metered(snapshot, node),
        .is_of_plain_pool = true};
    oh_call_terms terms = {.timeout_ms = snapshot->pool->timeout_ms};
    oh_wire wire; /* Finds the end of the reply, as it does for the engine. */
    char bytes[4096];
    size_t count = 1;
    oh_exchange exchange = {0};

    oh_exchange_make(&exchange, peer, failure);
    oh_wire_reset(&wire);
    oh_wire_wrote(&wire, (const uint8_t *)request->bytes, request->length);
    oh_exchange_prepare(&exchange, &terms, NULL);
    bool is_answered = oh_exchange_run(&exchange, request->bytes, request->length);
    while (is_answered && oh_wire_owed(&wire) > 0 && count > 0) {
        count = oh_exchange_read(&exchange, bytes, sizeof bytes);
        oh_wire_read(&wire, (const uint8_t *)bytes, count);
        fwrite(bytes, 1, count, stdout);
    }
    oh_exchange_end(&exchange);
    return is_answered && oh_wire_owed(&wire) == 0;
}

int main(int count, char **words)
{
    char path[PATH_MAX];
    oh_buffer request = {0}, message = {0};
    oh_failure failure;
    bool is_found, is_answered = false;

    if (count < 5 || !realpath(words[1], path) || !oh_pool_startup() || !oh_resolver_startup()) {
        fprintf(stderr, "Usage: %s nutcracker.yml POOL COMMAND KEY [word ...]\n", words[0]);
        return 2;
    }
    oh_snapshot *snapshot =
        oh_source_load((oh_text){words[2], strlen(words[2])}, path, &failure, &is_found);
    if (snapshot) {
        uint32_t node =
            oh_topology_locate(snapshot->topology, (const uint8_t *)words[4], strlen(words[4]));
        oh_node named = oh_topology_node(snapshot->topology, node);

        encode(&request, words + 3, count - 3);
        is_answered = ask(snapshot, node, &request, &failure);
        if (!is_answered) {
            oh_failure_message(&failure, &named, words[2], &message);
        }
        oh_snapshot_release(snapshot);
    } else {
        oh_failure_message(&failure, NULL, NULL, &message);
    }
    fprintf(stderr, "%.*s%s", (int)message.length, message.length ? message.bytes : "",
        is_answered ? "" : "\n");
    oh_buffer_free(&request);
    oh_buffer_free(&message);
    oh_source_shutdown();
    oh_pool_end();
    oh_resolver_end();
    oh_resolver_shutdown();
    return is_answered ? 0 : 1;
}
