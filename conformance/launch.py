"""Shared by the programs that measure or prove something: their jobs, and their ends."""

import argparse
import sys
import urllib.request

from lab import LabError
from table import red


def run(main, name="benchmark"):
    """Runs `main`. If the lab fails, or at Ctrl-C, the program ends with one line."""
    try:
        main()
    except LabError as error:
        sys.exit(red(f"\nThe {name} failed: {error}"))
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")


def job_parser(name, description, jobs, what="job"):
    """A parser of `[--short] [job ...]`. If no job is named, `options.jobs` has all."""
    parser = argparse.ArgumentParser(prog=name, description=description)
    parser.add_argument(
        "jobs",
        nargs="*",
        metavar=what,
        type=_one_of(jobs),
        default=list(jobs),
        help=f"one of {', '.join(jobs)}; default: all",
    )
    parser.add_argument("--short", action="store_true", help="a short run; its figures are rough")
    return parser


def _one_of(names):
    def check(name):
        if name not in names:
            raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(names)}")
        return name

    return check


# ---- Checks of web pages ----


def fetch(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


class Findings:
    """Prints each expectation that is not met."""

    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, what, is_so, seen=""):
        self.passed, self.failed = self.passed + bool(is_so), self.failed + (not is_so)
        if not is_so:
            print(f"FAILED {what} {seen}")

    def end(self):
        """Prints "N passed, N failed". Returns the status of the program."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
