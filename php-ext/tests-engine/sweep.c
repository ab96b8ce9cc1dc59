/*
 * Each step of a sweep runs the scenario twice: with a fault, then without. The second run must
 * succeed.
 */
#include "sweep.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HANG_S 20

static const char *running;

bool sweep_is_for_rest(const oh_failure *failure)
{
    return strstr(failure->what, "The node is resting") != NULL;
}

static void tell_hang(int signal_number)
{
    (void)signal_number;
    printf("FAILED %s: it hangs\n", running);
    fflush(stdout);
    _exit(1);
}

static void check_failure(
    const scenario *it, const oh_failure *failure, unsigned number, const char *call)
{
    unsigned executed = it->executed(number);
    bool is_whole = failure->what[0] != '\0' && failure->advice && failure->advice[0] != '\0';
    bool is_true = failure->outcome != OH_OUTCOME_NOT_SENT || executed == 0;

    if (!CHECK(is_whole) || !CHECK(is_true) || !CHECK(executed <= 1)) {
        printf("  after %s: %s (%s; executed %u times)\n", call, failure->what,
            oh_failure_outcome_phrase(failure->outcome), executed);
    }
}

/* One run with a fault, and one after it without. False if the run made fewer than `nth` calls. */
static bool run_with(const scenario *it, faults_door door, unsigned nth, unsigned variant,
    bool lasts, unsigned *variants)
{
    unsigned number = caller_number();
    unsigned descriptors = faults_descriptors();
    long memory = faults_memory();
    oh_failure failure = {.advice = ""};

    alarm(HANG_S);
    test_begin("%s: %s %u fails in way %u%s", it->name,
        door == FAULTS_MEMORY ? "allocation" : "system call", nth, variant,
        lasts ? ", and all after it" : "");
    running = it->name;
    faults_arm(door, nth, variant, lasts);
    bool is_answered = it->run(number, &failure);
    faults_report report = faults_disarm();
    faults_pass_time(60);
    if (!is_answered) {
        check_failure(it, &failure, number, report.name);
    }
    CHECK(!is_answered || it->has_no_reply || it->executed(number) == 1);
    if (!CHECK(report.has_failed || is_answered)) {
        printf("  without any fault: %s\n", failure.what);
    }
    while (!(is_answered = it->run(caller_number(), &failure)) && sweep_is_for_rest(&failure)) {
        faults_pass_time(60);
    }
    if (!CHECK(is_answered)) {
        printf("  after %s: %s\n", report.name, failure.what);
    }
    caller_leave();
    if (!CHECK(faults_memory() == memory) || !CHECK(faults_descriptors() == descriptors)) {
        printf("  after %s: %ld allocations and %d descriptors have leaked\n", report.name,
            faults_memory() - memory, (int)(faults_descriptors() - descriptors));
    }
    alarm(0);
    *variants = report.variants;
    return report.has_failed;
}

static void sweep_over(
    const scenario *it, faults_door door, bool lasts, unsigned *calls, unsigned *ways)
{
    unsigned variants;

    for (*calls = *ways = 0;; ++*calls) {
        for (unsigned variant = 0;; variant++, ++*ways) {
            if (!run_with(it, door, *calls + 1, variant, lasts, &variants)) {
                return;
            }
            if (variant + 1 >= variants) {
                ++*ways;
                break;
            }
        }
    }
}

static void sweep_one(const scenario *it)
{
    unsigned allocations = 0, calls, ways, ignored, number = caller_number();
    oh_failure failure;

    it->configure();
    test_begin("%s, without a fault", it->name);
    CHECK(it->run(number, &failure) && (it->has_no_reply || it->executed(number) == 1));
    caller_leave();
    if (it->allocations_min > 0) {
        sweep_over(it, FAULTS_MEMORY, false, &allocations, &ignored);
        sweep_over(it, FAULTS_MEMORY, true, &ignored, &ignored);
    }
    sweep_over(it, FAULTS_KERNEL, false, &calls, &ways);
    printf("  %s: swept over %u allocations, and %u system calls that fail in %u ways\n", it->name,
        allocations, calls, ways);
    test_begin("%s: the sweep covered enough calls", it->name);
    CHECK(allocations >= it->allocations_min && calls >= it->calls_min);
}

void sweep(const scenario *all, size_t count)
{
    signal(SIGALRM, tell_hang);
    for (size_t i = 0; i < count; i++) {
        sweep_one(&all[i]);
    }
}
