/*
 * The scenarios of spec/health, step by step. After each step the whole state is compared with the
 * page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/health/health.h"
#include "check.h"
#include "vectors.h"

#define NODES_MAX 8

static bool has(const json_t *step, const char *field)
{
    return json_object_get(step, field) != NULL;
}

static uint32_t number_or(const json_t *step, const char *field, uint32_t otherwise)
{
    return has(step, field) ? vectors_number(step, field) : otherwise;
}

static void check_state(const json_t *step, uint64_t state)
{
    const json_t *expected = json_object_get(step, "state");
    CHECK(oh_health_until(state) == (uint64_t)json_integer_value(json_array_get(expected, 0)));
    CHECK(oh_health_failures(state) == (uint32_t)json_integer_value(json_array_get(expected, 1)));
    CHECK(oh_health_step(state) == (uint32_t)json_integer_value(json_array_get(expected, 2)));
    CHECK(oh_health_generation(state) == (uint32_t)json_integer_value(json_array_get(expected, 3)));
}

static uint64_t ask(
    uint64_t state, const oh_health_rules *rules, const json_t *step, uint64_t now_ms)
{
    static const char *const words[] = {"go", "probe", "refuse"};
    oh_health_answer answer;
    state = oh_health_asked(state, rules, now_ms, vectors_number(step, "ask"), &answer);
    CHECK(strcmp(words[answer], vectors_string(step, "answer")) == 0);
    return state;
}

/* `heard_ms` is when the node last answered; the attempt may have begun earlier. */
static uint64_t fail(uint64_t state, uint64_t heard_ms, const oh_health_rules *rules,
    const json_t *step, uint64_t now_ms)
{
    bool is_refused = strcmp(vectors_string(step, "failed"), "refused") == 0;
    uint64_t born_heard_ms = has(step, "heard") ? vectors_number(step, "heard") : heard_ms;
    uint64_t born = born_heard_ms << 6 | vectors_number(step, "born");
    for (uint32_t times = number_or(step, "times", 1); times > 0; times--) {
        state = oh_health_failed(state, heard_ms, rules,
            is_refused ? OH_HEALTH_REFUSED : OH_HEALTH_EXCHANGE, born, now_ms,
            number_or(step, "chance", 0));
    }
    return state;
}

/* Rebuilds the ring. Checks which nodes are live, and when the ring is to be rebuilt again. */
static void rebuild(
    uint64_t *states, size_t count, uint64_t now_ms, const json_t *step, uint64_t *due_ms)
{
    uint32_t live = 0, expected = 0;
    *due_ms = 0;
    for (size_t i = 0; i < count; i++) {
        live |= (uint32_t)oh_health_is_live(states[i], now_ms) << i;
        states[i] = oh_health_rebuilt(states[i], now_ms);
        uint64_t until = oh_health_until(states[i]);
        if (until != 0 && (*due_ms == 0 || until < *due_ms)) {
            *due_ms = until;
        }
    }
    const json_t *list = json_object_get(step, "live");
    for (size_t i = 0; i < json_array_size(list); i++) {
        expected |= 1u << json_integer_value(json_array_get(list, i));
    }
    CHECK(live == expected);
    CHECK(*due_ms == vectors_number(step, "due"));
}

static void run_step(uint64_t *states, uint64_t *heard, size_t count, const oh_health_rules *rules,
    const json_t *step, uint64_t *due_ms)
{
    uint64_t now_ms = vectors_number(step, "at");
    uint32_t node = number_or(step, "node", 0);
    uint64_t *state = &states[node];
    if (has(step, "place")) {
        bool is_due = oh_health_is_rebuild_due(*due_ms, now_ms);
        CHECK(is_due == json_is_true(json_object_get(step, "rebuilds")));
        if (is_due) {
            rebuild(states, count, now_ms, step, due_ms);
        }
        return;
    }
    if (has(step, "rebuild")) {
        rebuild(states, count, now_ms, step, due_ms);
        return;
    }
    *state = has(step, "ask")      ? ask(*state, rules, step, now_ms)
             : has(step, "failed") ? fail(*state, heard[node], rules, step, now_ms)
                                   : oh_health_answered(*state, rules);
    heard[node] = has(step, "answered") ? now_ms : heard[node];
    check_state(step, *state);
}

static void run_scenario(const json_t *scenario)
{
    const json_t *said = json_object_get(scenario, "rules");
    const json_t *steps = json_object_get(scenario, "steps");
    oh_health_rules rules = {json_is_true(json_object_get(said, "ejects")),
        vectors_number(said, "failure_limit"), vectors_number(said, "retry_ms")};
    uint64_t states[NODES_MAX] = {0}, heard[NODES_MAX] = {0}, due_ms = 0;
    size_t count = vectors_number(scenario, "nodes");
    CHECK(count <= NODES_MAX);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        test_begin("health: %s, step %u", vectors_string(scenario, "name"), (unsigned)i + 1);
        run_step(states, heard, count, &rules, json_array_get(steps, i), &due_ms);
    }
}

/* ---- Late together ---- */

static void test_late(const json_t *test)
{
    const json_t *heard = json_object_get(test, "heard"), *late = json_object_get(test, "late");
    oh_health_lateness lateness = {
        .began_ms = vectors_number(test, "began"), .now_ms = vectors_number(test, "now")};

    for (size_t i = 0; i < json_array_size(heard); i++) {
        oh_health_add_late(&lateness, (uint64_t)json_integer_value(json_array_get(heard, i)),
            (uint64_t)json_integer_value(json_array_get(late, i)),
            i != vectors_number(test, "node"));
    }
    CHECK(oh_health_is_late_together(&lateness) == json_is_true(json_object_get(test, "together")));
}

/* ---- Lines of the log ---- */

static void test_told(const json_t *test)
{
    static const char *const edges[] = {"", "down", "still", "back"};
    const json_t *steps = json_object_get(test, "steps");
    uint64_t told = 0;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const char *says = vectors_string(step, "says");
        oh_health_edge edge = OH_HEALTH_DOWN;
        oh_health_line line;
        while (strcmp(edges[edge], vectors_string(step, "edge")) != 0) {
            edge++;
        }
        told = oh_health_told(told, edge, vectors_number(step, "at"), &line);
        bool is_right =
            line.is_due == (strcmp(says, "nothing") != 0) &&
            (strcmp(says, "down") != 0 || line.times == vectors_number(step, "times")) &&
            (strcmp(says, "back") != 0 || line.ms == vectors_number(step, "ms"));
        if (!CHECK(is_right)) {
            printf("  step %zu\n", i + 1);
        }
    }
}

/* Counting, claiming the probe, and a node that stays up cause no line in the log. */
static void test_edges(void)
{
    oh_health_rules rules = {false, 2, 0};
    oh_health_answer answer;
    test_begin("health: which changes are logged");
    uint64_t once = oh_health_failed(0, 0, &rules, OH_HEALTH_EXCHANGE, 0, 1000, 0);
    uint64_t down =
        oh_health_failed(once, 0, &rules, OH_HEALTH_EXCHANGE, oh_health_birth(once, 0), 1000, 0);
    uint64_t probe = oh_health_asked(down, &rules, 2000, 100, &answer);
    uint64_t still =
        oh_health_failed(probe, 0, &rules, OH_HEALTH_EXCHANGE, oh_health_birth(probe, 0), 2000, 0);
    CHECK(oh_health_edge_of(0, once) == OH_HEALTH_NO_EDGE);
    CHECK(oh_health_edge_of(once, down) == OH_HEALTH_DOWN);
    CHECK(oh_health_edge_of(down, probe) == OH_HEALTH_NO_EDGE);
    CHECK(oh_health_edge_of(probe, still) == OH_HEALTH_DOWN_STILL);
    CHECK(oh_health_edge_of(still, oh_health_answered(still, &rules)) == OH_HEALTH_BACK);
    CHECK(oh_health_edge_of(once, oh_health_answered(once, &rules)) == OH_HEALTH_NO_EDGE);
    CHECK(oh_health_edge_of(down, oh_health_rebuilt(down, 5000)) == OH_HEALTH_BACK);
}

static void test_scenarios(void)
{
    json_t *page = vectors_load("health/scenarios/health.json");
    json_t *scenarios = json_object_get(page, "scenarios");
    test_begin("health: there are as many scenarios as the page states");
    CHECK(json_array_size(scenarios) > 0 &&
          json_array_size(scenarios) == vectors_number(page, "numberOfScenarios"));
    for (size_t i = 0; i < json_array_size(scenarios); i++) {
        run_scenario(json_array_get(scenarios, i));
    }
    json_decref(page);
}

void test_health(void)
{
    test_edges();
    vectors_run("health/vectors/health.json", "ToldTest", test_told);
    vectors_run("health/vectors/health.json", "LateTest", test_late);
    test_scenarios();
}
