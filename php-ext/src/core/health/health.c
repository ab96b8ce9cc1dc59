/*
 * The states of a node's health. There are two ways to be down, in one word. A node that rests goes
 * through
 *
 *     up ──failed──► resting ──time──► one probes ──answered──► up
 *                       ▲                  │
 *                       └──────failed──────┘        each pause twice the one before, to a limit
 *
 * and a node that is ejected leaves placement and returns when its time is over, as in nutcracker.
 * From its return until it answers, its step is 1.
 *
 * Implements spec/health.
 */
#include "core/health/health.h"

#include <stddef.h>

#include "core/generated/limits.h"
#include "core/generated/timings.h"

#define UNTIL_MAX ((UINT64_C(1) << 40) - 1)
#define FAILURES_MAX 0x3fffu
#define STEP_MAX 15u
#define GENERATIONS 64u

static uint64_t state_of(uint64_t until_ms, uint32_t failures, uint32_t step, uint32_t generation)
{
    return until_ms | (uint64_t)failures << 40 | (uint64_t)step << 54 |
           (uint64_t)(generation % GENERATIONS) << 58;
}

/* 0 means "up", so no instant is 0. */
static uint64_t instant(uint64_t ms)
{
    return ms == 0 ? 1 : ms < UNTIL_MAX ? ms : UNTIL_MAX;
}

static uint32_t limit_of(const oh_health_rules *rules)
{
    uint32_t limit = rules->failure_limit ? rules->failure_limit
                     : rules->ejects      ? 1
                                          : OH_NODE_FAILURES_DEFAULT;

    return limit < FAILURES_MAX ? limit : FAILURES_MAX;
}

uint64_t oh_health_asked(uint64_t state, const oh_health_rules *rules, uint64_t now_ms,
    uint32_t patience_ms, oh_health_answer *answer)
{
    uint64_t until = oh_health_until(state);

    if (rules->ejects || until == 0) {
        *answer = OH_HEALTH_GO;
        return state;
    }
    if (now_ms < until && until - now_ms <= OH_REST_AHEAD_MS_MAX) {
        *answer = OH_HEALTH_REFUSE;
        return state;
    }
    *answer = OH_HEALTH_PROBE;
    patience_ms = patience_ms == 0                ? OH_PROBE_MS_DEFAULT
                  : patience_ms < OH_PROBE_MS_MAX ? patience_ms
                                                  : OH_PROBE_MS_MAX;
    /* A report that comes after the instant set here does not count. */
    return state_of(instant(now_ms + patience_ms + OH_CLOCK_PAUSE_MS), oh_health_failures(state),
        oh_health_step(state), oh_health_generation(state));
}

static uint64_t rest(
    uint64_t state, uint32_t failures, oh_health_cause cause, uint64_t now_ms, uint32_t chance)
{
    uint32_t step = oh_health_step(state);
    uint32_t pause_ms_max = cause == OH_HEALTH_REFUSED ? OH_REST_REFUSED_MS_MAX : OH_REST_MS_MAX;
    uint32_t pause_ms =
        pause_ms_max >> step < OH_REST_MS_FIRST ? pause_ms_max : OH_REST_MS_FIRST << step;

    pause_ms += chance % (pause_ms / 4);
    pause_ms = pause_ms < pause_ms_max ? pause_ms : pause_ms_max;
    return state_of(instant(now_ms + pause_ms), failures, step < STEP_MAX ? step + 1 : step,
        oh_health_generation(state) + 1);
}

/*
 * True if the failure says nothing about the node as it is now: after the attempt began, the
 * generation has changed or, where nodes are not ejected, another call was answered.
 */
static bool says_nothing(
    uint64_t state, uint64_t heard_ms, const oh_health_rules *rules, uint64_t born)
{
    uint64_t known = oh_health_birth(state, heard_ms);

    return rules->ejects ? !oh_health_is_of_one_generation(born, known) : born != known;
}

uint64_t oh_health_failed(uint64_t state, uint64_t heard_ms, const oh_health_rules *rules,
    oh_health_cause cause, uint64_t born, uint64_t now_ms, uint32_t chance)
{
    if (says_nothing(state, heard_ms, rules, born)) {
        return state;
    }
    uint32_t generation = oh_health_generation(state);
    uint32_t failures = oh_health_failures(state);
    failures = failures < FAILURES_MAX ? failures + 1 : failures;
    bool is_over = failures >= limit_of(rules);
    if (rules->ejects && is_over) {
        return state_of(instant(now_ms + rules->retry_ms), 0, 0, generation + 1);
    }
    bool is_down = oh_health_until(state) != 0;
    if (!rules->ejects && (is_over || is_down || cause == OH_HEALTH_REFUSED)) {
        return rest(state, failures, cause, now_ms, chance);
    }
    /* Reports of attempts that began before this failure do not count from now on. */
    return state_of(oh_health_until(state), failures, oh_health_step(state),
        rules->ejects ? generation : generation + 1);
}

uint64_t oh_health_answered(uint64_t state, const oh_health_rules *rules)
{
    bool was_down = oh_health_until(state) != 0;
    bool is_clean = (state & ((UINT64_C(1) << 58) - 1)) <= UNTIL_MAX; /* No failures, no step. */

    if (is_clean && (rules->ejects || !was_down)) {
        return state;
    }
    return state_of(0, 0, 0, oh_health_generation(state) + was_down);
}

uint64_t oh_health_rebuilt(uint64_t state, uint64_t now_ms)
{
    if (oh_health_until(state) == 0 || !oh_health_is_live(state, now_ms)) {
        return state;
    }
    return state_of(0, oh_health_failures(state), 1, oh_health_generation(state) + 1);
}

/* ---- Late together ---- */

/* Other processes write these instants, so one in the future counts as none. */
void oh_health_add_late(
    oh_health_lateness *lateness, uint64_t heard_ms, uint64_t late_ms, bool is_other)
{
    uint64_t now_ms = lateness->now_ms;

    if (heard_ms <= now_ms && heard_ms > lateness->heard_ms) {
        lateness->heard_ms = heard_ms;
    }
    lateness->is_other_late |= is_other && late_ms > lateness->began_ms && late_ms <= now_ms;
}

bool oh_health_is_late_together(const oh_health_lateness *lateness)
{
    return lateness->is_other_late && lateness->heard_ms != 0 &&
           lateness->heard_ms <= lateness->began_ms &&
           lateness->now_ms - lateness->heard_ms <= OH_LATE_TOGETHER_MS_MAX;
}

/* ---- What the log is told ---- */

oh_health_edge oh_health_edge_of(uint64_t before, uint64_t after)
{
    bool was_down = oh_health_until(before) != 0, is_down = oh_health_until(after) != 0;

    if (oh_health_is_of_one_generation(oh_health_generation(before), oh_health_generation(after))) {
        return OH_HEALTH_NO_EDGE;
    }
    return !was_down ? (is_down ? OH_HEALTH_DOWN : OH_HEALTH_NO_EDGE)
           : is_down ? OH_HEALTH_DOWN_STILL
                     : OH_HEALTH_BACK;
}

/*
 * Joins the instant of the last line "down" (0 for none), how often the node went down after that
 * line, and whether that line is about this outage.
 */
static uint64_t told_of(uint64_t line_ms, uint32_t downs, bool is_told)
{
    return line_ms | (uint64_t)(downs < FAILURES_MAX ? downs : FAILURES_MAX) << 40 |
           (uint64_t)is_told << 54;
}

uint64_t oh_health_told(uint64_t told, oh_health_edge edge, uint64_t now_ms, oh_health_line *line)
{
    uint64_t line_ms = told & UNTIL_MAX;
    uint32_t downs = (uint32_t)(told >> 40 & FAILURES_MAX) + (edge == OH_HEALTH_DOWN);

    /* Other processes also write there. */
    bool is_told = told >> 54 & 1, is_bad = line_ms > now_ms;

    *line = (oh_health_line){.is_due = false};
    if (edge == OH_HEALTH_NO_EDGE || (edge == OH_HEALTH_DOWN_STILL && is_told && !is_bad)) {
        return told;
    }
    if (edge == OH_HEALTH_BACK) {
        line->is_due = is_told && !is_bad;
        line->ms = now_ms - line_ms;
        return told_of(is_bad ? 0 : line_ms, downs, false);
    }
    if (line_ms != 0 && !is_bad && now_ms - line_ms < OH_NODE_LINE_EVERY_MS) {
        return told_of(line_ms, downs, false);
    }
    line->is_due = true;
    line->times = downs > 1 ? downs - 1 : 0;
    return told_of(instant(now_ms), 0, true);
}
