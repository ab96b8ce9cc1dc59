"""Counts what passed, shows what failed, and shows progress."""

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
