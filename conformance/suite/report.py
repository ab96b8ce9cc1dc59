"""Counts what passed, shows progress, and shows what failed.

If two placements differ, it shows where that begins: at the tag, at the hash, or at the ring.
"""

import sys
import time

SHOWN_PER_PART = 5


class Report:
    def __init__(self):
        self.passed = self.failed = 0
        self.started = time.monotonic()
        self.part = None

    def begin(self, title):
        self.part, self.part_passed, self.part_failed = title, 0, 0
        self.part_started = self.drawn = time.monotonic()

    def check(self, is_right, describe):
        """Counts one check. `describe` is called for the message only if the check fails."""
        self.count(passed=1) if is_right else self.fail(describe())
        return is_right

    def count(self, passed):
        self.passed += passed
        self.part_passed += passed
        if sys.stderr.isatty() and time.monotonic() - self.drawn > 0.2:
            self.drawn = time.monotonic()
            print(
                f"\r{self.part}: {self.part_passed:,} ...",
                end="\033[K",
                file=sys.stderr,
                flush=True,
            )

    def fail(self, words):
        self.failed += 1
        self.part_failed += 1
        if self.part_failed <= SHOWN_PER_PART:
            print(f"{self._fresh_line()}FAILED {self.part}: {words}", flush=True)
        elif self.part_failed == SHOWN_PER_PART + 1:
            print(f"{self._fresh_line()}FAILED {self.part}: further failures", flush=True)

    def note(self, words):
        print(f"{self._fresh_line()}       {words}", flush=True)

    def end(self):
        seconds = time.monotonic() - self.part_started
        counts = f"{self.part_passed:>9,} passed {self.part_failed:>5,} failed"
        print(f"{self._fresh_line()}{self.part:<44} {counts} {seconds:>6.1f} s", flush=True)

    def close(self):
        seconds = time.monotonic() - self.started
        print(f"conformance: {self.passed} passed, {self.failed} failed ({seconds:.0f} s)")
        return 1 if self.failed or not self.passed else 0

    def _fresh_line(self):
        return "\r\033[K" if sys.stderr.isatty() else ""


def first_difference(testees, name, request, key, expected):
    """A report on a key that `name` places wrongly: its stages next to those of the reference."""
    ask = {**request, "op": "explain", "keys": [key]}
    told = {}
    for other in dict.fromkeys((name, "reference")):
        answer = testees.ask([ask], [other]).get(other) if other in testees.all else None
        told[other] = (
            answer[0]["explanations"][0] if answer and "explanations" in answer[0] else None
        )
    stage = stage_of(told.get(name), told.get("reference"))
    return (
        f"key {key or '(empty)'}: {name} differs from {expected}, first at the stage: {stage}\n"
        + "".join(f"         {other}: {words}\n" for other, words in told.items())
        + indented(request["config"])
        + (f"         dead: {request['dead']}" if request.get("dead") else "")
    )


def stage_of(ours, theirs):
    if not ours or not theirs:
        return "unknown, because there is no op explain"
    for stage, field in (
        ("tag", "hashed"),
        ("hash", "hash"),
        ("ring", "point"),
        ("ring, server of the point", "node"),
    ):
        if ours[field] != theirs[field]:
            return stage
    return "none: explain and place contradict each other"


def indented(text, lines=12):
    rows = text.splitlines()
    return "".join(f"         | {row}\n" for row in rows[:lines]) + (
        "         | ...\n" if len(rows) > lines else ""
    )
