/*
 * Answers the questions of conformance/protocol.md that PHP has no methods for: how the wire guard
 * frames chunks, and what the rules of health make of a scenario. One request per line on stdin,
 * one answer per line on stdout, both JSON. conformance/testees/testee.php starts it and passes
 * such requests on.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/health/health.h"
#include "core/resp/wire.h"

#define NODES_MAX 64

static bool has(const json_t *object, const char *field)
{
    return json_object_get(object, field) != NULL;
}

/* 0 if there is no such field. */
static uint64_t number(const json_t *object, const char *field)
{
    return (uint64_t)json_integer_value(json_object_get(object, field));
}

/* ---- The wire guard ---- */

static uint8_t digit(char hex)
{
    return (uint8_t)(hex <= '9' ? hex - '0' : hex - 'a' + 10);
}

static void read_chunk(oh_wire *wire, const char *hex)
{
    size_t length = strlen(hex) / 2;
    uint8_t *bytes = malloc(length + 1);

    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    }
    oh_wire_read(wire, bytes, length);
    free(bytes);
}

static json_t *frame(const json_t *request, bool is_subscribed)
{
    const json_t *chunks = json_object_get(request, "replies");
    oh_wire wire;

    oh_wire_reset(&wire);
    for (uint64_t i = number(request, "commands"); i > 0; i--) {
        oh_wire_wrote(&wire, (const uint8_t *)OH_RESP_PING, strlen(OH_RESP_PING));
    }
    if (is_subscribed) {
        oh_wire_subscribe(&wire);
    }
    for (size_t i = 0; i < json_array_size(chunks) && !wire.error; i++) {
        read_chunk(&wire, json_string_value(json_array_get(chunks, i)));
    }
    return json_pack("{s:I, s:I, s:I, s:b, s:s?}", "answered", (json_int_t)wire.answered,
        "messages", (json_int_t)wire.pushed, "owed", (json_int_t)oh_wire_owed(&wire), "clean",
        oh_wire_is_clean(&wire), "error", wire.error);
}

/* ---- The rules of health ---- */

typedef struct nodes {
    oh_health_rules rules;
    size_t count;
    uint64_t states[NODES_MAX], heard_ms[NODES_MAX];
    uint64_t due_ms; /* When the ring must be rebuilt; 0: never. */
} nodes;

/* Which nodes are in the ring that is built now, and when it must be rebuilt. */
static void rebuild(nodes *all, uint64_t now_ms, json_t *told)
{
    json_t *live = json_array();

    all->due_ms = 0;
    for (size_t i = 0; i < all->count; i++) {
        all->states[i] = oh_health_rebuilt(all->states[i], now_ms);
        uint64_t until_ms = oh_health_until(all->states[i]);

        if (until_ms == 0) {
            json_array_append_new(live, json_integer((json_int_t)i));
        } else if (all->due_ms == 0 || until_ms < all->due_ms) {
            all->due_ms = until_ms;
        }
    }
    json_object_set_new(told, "live", live);
    json_object_set_new(told, "due", json_integer((json_int_t)all->due_ms));
}

static uint64_t fail(const nodes *all, size_t node, const json_t *step)
{
    bool is_refused = strcmp(json_string_value(json_object_get(step, "failed")), "refused") == 0;
    uint64_t heard_ms = all->heard_ms[node], state = all->states[node];
    uint64_t born_ms = has(step, "heard") ? number(step, "heard") : heard_ms;

    for (uint64_t times = has(step, "times") ? number(step, "times") : 1; times > 0; times--) {
        state = oh_health_failed(state, heard_ms, &all->rules,
            is_refused ? OH_HEALTH_REFUSED : OH_HEALTH_EXCHANGE,
            born_ms << 6 | number(step, "born"), number(step, "at"),
            (uint32_t)number(step, "chance"));
    }
    return state;
}

/* One node is asked, fails or answers. */
static void change(nodes *all, const json_t *step, json_t *told)
{
    static const char *const words[] = {"go", "probe", "refuse"};
    size_t node = number(step, "node");
    uint64_t *state = &all->states[node], now_ms = number(step, "at");
    oh_health_answer answer;

    if (has(step, "ask")) {
        *state =
            oh_health_asked(*state, &all->rules, now_ms, (uint32_t)number(step, "ask"), &answer);
        json_object_set_new(told, "answer", json_string(words[answer]));
    } else if (has(step, "failed")) {
        *state = fail(all, node, step);
    } else {
        *state = oh_health_answered(*state, &all->rules);
        all->heard_ms[node] = now_ms;
    }
    json_object_set_new(told, "state",
        json_pack("[I, i, i, i]", (json_int_t)oh_health_until(*state), oh_health_failures(*state),
            oh_health_step(*state), oh_health_generation(*state)));
}

static json_t *take_step(nodes *all, const json_t *step)
{
    json_t *told = json_object();
    uint64_t now_ms = number(step, "at");
    bool rebuilds = has(step, "rebuild");

    if (has(step, "place")) {
        rebuilds = oh_health_is_rebuild_due(all->due_ms, now_ms);
        json_object_set_new(told, "rebuilds", json_boolean(rebuilds));
    }
    if (rebuilds) {
        rebuild(all, now_ms, told);
    } else if (!has(step, "place")) {
        change(all, step, told);
    }
    return told;
}

static json_t *health(const json_t *request)
{
    const json_t *rules = json_object_get(request, "rules"),
                 *steps = json_object_get(request, "steps");
    nodes all = {.rules = {.ejects = json_is_true(json_object_get(rules, "ejects")),
                     .failure_limit = (uint32_t)number(rules, "failure_limit"),
                     .retry_ms = (uint32_t)number(rules, "retry_ms")},
        .count = number(request, "nodes")};
    json_t *told = json_array();

    if (all.count > NODES_MAX) {
        return json_pack("{s:s}", "error", "too many nodes");
    }
    for (size_t i = 0; i < json_array_size(steps); i++) {
        json_array_append_new(told, take_step(&all, json_array_get(steps, i)));
    }
    return json_pack("{s:o}", "steps", told);
}

/* ---- Requests ---- */

static json_t *answer_to(const json_t *request)
{
    const char *op = json_string_value(json_object_get(request, "op"));

    return !op                             ? NULL
           : strcmp(op, "wire") == 0       ? frame(request, false)
           : strcmp(op, "subscribed") == 0 ? frame(request, true)
           : strcmp(op, "health") == 0     ? health(request)
                                           : json_pack("{s:s}", "error", "unsupported op");
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;

    while (getline(&line, &room, stdin) > 0) {
        json_t *request = json_loads(line, 0, NULL), *answer = answer_to(request);

        if (!answer) {
            fprintf(stderr, "not a request: %.200s\n", line);
            return 1;
        }
        json_object_set(answer, "id", json_object_get(request, "id"));
        json_dumpf(answer, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(answer);
        json_decref(request);
    }
    free(line);
    return 0;
}
