#!/usr/bin/python3
"""make test: every proof of the repository, one after another, cheapest first.

A step that passes is one line; a step that fails is followed by everything it said. A skipped test counts as failed:
what cannot run here was not proven. Ends with the line "N passed, N failed", which counts tests where a step tells
how many it has, and the step itself where not.
"""

import glob
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "conformance"))

from lab import LabError, Process  # noqa: E402 (the path above finds it)

PYTHON = "/usr/bin/python3"
STEP_SECONDS_MAX = 480
PHPT = ["php", "php-ext/run-tests.php", "-q", "-j3", "--no-progress", "--no-color", "--show-diff",
        "-d", f"extension={ROOT}/php-ext/modules/onehop.so"]

# Beneath valgrind everything is thirty times slower, so what moves millions of bytes or only waits is left out, and so
# is what runs in php-fpm, whose workers valgrind does not follow. Servers run without it, and PCRE without its compiler,
# which valgrind cannot look into.
NOT_BENEATH_VALGRIND = re.compile(r"lab_fpm\(|unshare|strace", re.ASCII)
TOO_SLOW = ("018_", "033_", "035_", "037_", "045_", "050_", "051_", "056_", "060_", "074_", "090_")


def is_beneath_valgrind(path):
    with open(os.path.join(ROOT, path)) as test:
        return not os.path.basename(path).startswith(TOO_SLOW) and not NOT_BENEATH_VALGRIND.search(test.read())


VALGRIND_TESTS = [path for path in sorted(glob.glob("php-ext/tests/*.phpt", root_dir=ROOT)) if is_beneath_valgrind(path)]
ENVIRONMENT = {"NO_INTERACTION": "1",
               "VALGRIND_OPTS": "--trace-children-skip=*/setpriv,*/redis-server,*/nutcracker,*/php-fpm*,*/cgi-fcgi"}

STEPS = (
    ("the specification: schemas, vectors, generated files", [PYTHON, "spec/check.py"]),
    ("the command table: fresh, and its vectors hold", ["sh", "-c", f"{PYTHON} spec/route/build.py --check && {PYTHON} spec/route/check_vectors.py && "
     f"{PYTHON} spec/route/check_ssdb.py && {PYTHON} spec/route/ssdb_page.py --check"]),
    ("the command table against a live server", [PYTHON, "spec/route/check_getkeys.py", "--start", "redis-server"]),
    ("splits and merges: four nodes answer as one", [PYTHON, "spec/route/check_fleet.py", "--start", "redis-server"]),
    ("the method table against the loaded phpredis", ["sh", "-c", "php spec/route/methods_check.php && php spec/route/probe.php"]),
    ("docs/commands.md: fresh, and true of Jedis and of a live nutcracker", ["sh", "-c", f"{PYTHON} spec/route/capture_jedis.py --check && {PYTHON} spec/route/capture_nutcracker.py --check && {PYTHON} spec/route/commands_page.py --check"]),
    ("who may import whom", [PYTHON, "conformance/checks/imports.py"]),
    ("size budgets", [PYTHON, "conformance/checks/sizes.py"]),
    ("the lab itself", [PYTHON, "conformance/lab/selftest.py"]),
    ("C core under the address and undefined-behaviour sanitizers", ["make", "-s", "-C", "php-ext/tests-core"]),
    ("C core against random bytes, under the same sanitizers", ["make", "-s", "-C", "php-ext/fuzz", "run"]),
    ("PHP extension", [*PHPT, "php-ext/tests"]),
    ("PHP extension under valgrind", [*PHPT, "-m", "-d", "pcre.jit=0", *VALGRIND_TESTS]),
    ("Java", ["mvn", "-B", "-ntp", "-f", "java/pom.xml", "test"]),
    ("conformance: C, Java, reference and a live nutcracker", [PYTHON, "conformance/run.py"]),
)


def main():
    started, passed, failed, failures = time.monotonic(), 0, 0, []
    for title, command in STEPS:
        is_good, output, seconds = run(title, command)
        step_passed, step_failed = counted(output)
        if step_failed or not is_good:
            failures.append(title)
            print(output.rstrip())
        verdict, count = "FAILED" if title in failures else "passed", f"{step_passed:,} tests, " if step_passed else ""
        print(f"  {verdict}  {title} ({count}{seconds:.0f} s)", flush=True)
        passed += step_passed or (0 if title in failures else 1)
        failed += step_failed or (1 if title in failures else 0)
    print(f"\n  {time.monotonic() - started:.0f} s" + "".join(f"\n  failed: {title}" for title in failures))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failures else 0)


def run(title, command):
    """(whether it ended with 0, everything it said, seconds)"""
    if sys.stdout.isatty():
        print(f"  ...     {title}", end="\r", flush=True)
    started = time.monotonic()
    with Process(command, name="test", cwd=ROOT, environment=ENVIRONMENT) as process:
        try:
            status = process.child.wait(STEP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            status = f"nothing: it was stopped after {STEP_SECONDS_MAX} s"
        with open(process.log_path, errors="replace") as log:
            output = log.read()
    if status != 0:
        output += f"\n  {' '.join(command)} ended with {status}."
    return status == 0, output, time.monotonic() - started


def counted(output):
    """(passed, failed) tests, as far as the step's output tells; a skipped test is a failed one."""
    passed = total(r"Tests passed +: +(\d+)", output)  # run-tests.php
    failed = total(r"Tests (?:failed|skipped|warned|leaked) +: +(\d+)", output)
    for line in re.findall(r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$", output, re.MULTILINE):
        run_count, *bad = map(int, line)  # Surefire's total of one module; its lines per class go on after "Skipped".
        passed, failed = passed + run_count - sum(bad), failed + sum(bad)
    for line in re.findall(r"(\d+) passed, (\d+) failed", output)[-1:]:  # Our own programs end with their total.
        passed, failed = passed + int(line[0]), failed + int(line[1])
    return passed, failed


def total(pattern, output):
    return sum(map(int, re.findall(pattern, output)))


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"{error}\n0 passed, 1 failed")
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
