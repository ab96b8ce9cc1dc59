#!/usr/bin/python3
"""test.py PART ...: runs parts of the proof, in that order.

test    what the product does: specification, C, PHP and Java, with servers and a live nutcracker
prove   more: valgrind, clang-tidy, fuzzers, coverage, benchmarks, pages, packages
check   the steps of both that need no server, in two minutes
lint    the sources as they are, without a build
trixie  PHP's and Java's suites on Debian trixie

Some steps run side by side, because most of them wait more than they compute. A step that passes is
one line. The output of a step that fails comes before its line; the end of this output is repeated
at the end of the run. A skipped test counts as failed, because it has proven nothing. A test that
passed at its second try has passed, and is named at the end.

The last line is "N passed, N failed". It counts the tests of each step; a step that does not report
a number counts as one.
"""

import os
import re
import signal
import sys
import time

from steps import ENVIRONMENT, PARTS, ROOT

sys.path.insert(0, os.path.join(ROOT, "conformance"))

from lab import LabError, Process  # (the path above finds it)

STEPS_AT_ONCE = os.cpu_count() + 1
# The slowest steps take five minutes; on a busy machine they take three times as long.
STEP_SECONDS_MAX = 1500
ENDING_LINES, ENDING_COLUMNS = 15, 200  # A step's command may name two hundred files.
# These lines are shown even if their step passes. .ci/coverage prints them.
SHOWN = re.compile(r"^  coverage of .*$", re.MULTILINE)
# The names of tests that passed at their second try, as .ci/phpt and Maven print them.
LATE = re.compile(
    r"^passed at the second try: (.*)$|^\[WARNING\] (\S+)\n\[ERROR\]   Run 1:", re.MULTILINE
)
# Maven's total of a module. In the lines of single classes more words follow.
SUREFIRE = re.compile(
    r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?$",
    re.MULTILINE,
)


class Run:
    """A step while it runs."""

    def __init__(self, step):
        self.step, self.started, self.processor = step, time.monotonic(), 0.0
        self.process = Process(step.command, name="test", cwd=ROOT, environment=ENVIRONMENT)

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def has_ended(self):
        """True once the step has ended, or has taken too long. Adds to its `processor` seconds."""
        before = sum(os.times()[2:4])
        has_ended = not self.process.is_running or self.seconds > STEP_SECONDS_MAX
        self.processor += sum(os.times()[2:4]) - before
        return has_ended

    def end(self):
        """(True if the step ended with status 0, all its output)"""
        is_late, status = self.process.is_running, self.process.child.returncode
        with open(self.process.log_path, errors="replace") as log:
            output = log.read()
        if is_late:
            os.killpg(self.process.pid, signal.SIGTERM)  # Includes the processes it has started.
        self.process.stop()
        if is_late or status != 0:
            end = f"ended with {status}"
            if is_late:
                end = f"was stopped because it ran longer than {STEP_SECONDS_MAX} s"
            output += f"\n  {' '.join(self.step.command)} {end}."
        return not is_late and status == 0, output


def main(*parts):
    started, passed, failed, failures, late = time.monotonic(), 0, 0, [], []
    for run in ended(step for part in parts for step in PARTS[part]):
        is_good, output = run.end()
        step_passed, step_failed = counted(output)
        step_late = [
            f"passed at the second try: {phpt or method}" for phpt, method in LATE.findall(output)
        ]
        is_good = is_good and not step_failed
        lines = SHOWN.findall(output) if is_good and not step_late else [output.rstrip()]
        print(*lines, sep="\n", end="\n" if lines else "")
        count = f"{step_passed:,} tests, " if step_passed else ""
        verdict = "passed" if is_good else "FAILED"
        seconds = f"{run.seconds:.0f} s, {run.processor:.0f} s of processor"
        print(f"  {verdict}  {run.step.title} ({count}{seconds})", flush=True)
        passed += step_passed or int(is_good)
        failed += step_failed or int(not is_good)
        failures += [] if is_good else [f"failed: {run.step.title}", *ending(output)]
        late += step_late
    print("", f"{time.monotonic() - started:.0f} s", *failures, *late, sep="\n  ")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failures else 0)


def ending(output):
    """The last lines of a failed step, for those who see only the end of a long run."""
    return [f"    {line[:ENDING_COLUMNS]}" for line in output.splitlines()[-ENDING_LINES:]]


def ended(steps):
    """Runs steps side by side; yields each that has ended or is over its time.

    It uses no threads, because a process of the lab dies with the thread that started it.
    """
    waiting, running = list(steps), []
    while waiting or running:
        for step in list(waiting):
            is_free = not step.place or all(run.step.place != step.place for run in running)
            if is_free and len(running) < STEPS_AT_ONCE:
                waiting.remove(step)
                running.append(Run(step))
        show(running)
        for run in filter(Run.has_ended, list(running)):
            running.remove(run)
            yield run
        time.sleep(0.05)


def show(running):
    """The running steps on the last line of a terminal. The next printed line replaces it."""
    if sys.stdout.isatty():
        titles = "  ...     " + ", ".join(
            f"{run.step.title} {run.seconds:.0f} s" for run in running
        )
        print("\33[K" + titles[: os.get_terminal_size().columns - 1], end="\r", flush=True)


def counted(output):
    """(passed, failed) tests in the output of a step. Skipped tests count as failed."""
    totals = re.findall(r"(\d+) passed, (\d+) failed", output)
    if totals:  # Our own programs end with their total.
        return int(totals[-1][0]), int(totals[-1][1])
    passed = sum(map(int, re.findall(r"^OK \((\d+) tests?, ", output, re.MULTILINE)))  # PHPUnit
    failed = 0
    for line in SUREFIRE.findall(output):
        run, *bad = map(int, line)
        passed, failed = passed + run - sum(bad), failed + sum(bad)
    return passed, failed


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LabError as error:
        sys.exit(f"{error}\n0 passed, 1 failed")
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
