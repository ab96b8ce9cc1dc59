#!/usr/bin/python3
"""make test: every proof of the repository. make check: what of it needs no server. `test.py trixie`: on Debian trixie.

Two lanes of steps run side by side, because most steps wait more than they compute. A step that passes is one line;
a step that fails is followed by everything it said. A skipped test counts as failed: what cannot run here was not
proven. Ends with the line "N passed, N failed", which counts tests where a step tells how many it has, and the step
itself where not.
"""

import glob
import os
import re
import signal
import sys
import time
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "conformance"))

from lab import LabError, Process  # noqa: E402 (the path above finds it)

PYTHON = "/usr/bin/python3"
# The slowest take five minutes; on a machine that does much else, three times that.
STEP_SECONDS_MAX = 1500
PHPT = [
    "php",
    "php-ext/run-tests.php",
    "-q",
    "-j3",
    "--no-progress",
    "--no-color",
    "--show-diff",
    "--set-timeout",
    "300",
    "-d",
    f"extension={ROOT}/php-ext/modules/onehop.so",
]

# Beneath valgrind everything is thirty times slower, so a test that moves millions of bytes or only waits is left out,
# and so is one whose point valgrind does not see. Such a test says so, and why, in its --DESCRIPTION--. Servers run
# without it, and PCRE without its compiler, which valgrind cannot look into.
NOT_BENEATH_VALGRIND = re.compile("^Not beneath valgrind: ", re.MULTILINE)


def is_beneath_valgrind(path):
    with open(os.path.join(ROOT, path)) as test:
        return not NOT_BENEATH_VALGRIND.search(test.read())


VALGRIND_TESTS = [
    path
    for path in sorted(glob.glob("php-ext/tests/*/*.phpt", root_dir=ROOT))
    if is_beneath_valgrind(path)
]
ENVIRONMENT = {
    "NO_INTERACTION": "1",
    "VALGRIND_OPTS": "--trace-children-skip=*/setpriv,*/redis-server,*/nutcracker,*/php-fpm*,*/cgi-fcgi",
}


class Proof(NamedTuple):
    """A step of `make test`, and what `make check` runs of it: nothing if all of it needs a server."""

    title: str
    command: list
    check: list = None


def serverless(title, command):
    return Proof(title, command, check=command)


def each(*commands):
    return ["sh", "-c", " && ".join(commands)]


JAVA = ["mvn", "-B", "-ntp", "-f", "java/pom.xml", "test"]
# The core, and rooms of the client by themselves; KeysTest alone of these asks a server.
JAVA_UNITS = [
    *JAVA,
    "-pl",
    "core,jedis",
    "-Dtest=io/onehop/core/**,io/onehop/jedis/internal/**,!KeysTest",
]
ENGINE = ["make", "-s", "-j2", "-C", "php-ext/tests-engine"]
FUZZ = ["make", "-s", "-j2", "-C", "php-ext/fuzz", "run"]

# Side by side is what shares no file: PHP's two suites write beside php-ext/tests, Java's steps into java/*/target.
# Within a lane the cheapest come first, so that a slip of the pen is told at once.
SPECIFICATION_FAULTS_JAVA = (
    serverless("the specification: schemas, vectors, generated files", [PYTHON, "spec/check.py"]),
    serverless(
        "the command table: fresh, and its vectors hold",
        each(
            f"{PYTHON} spec/tools/generate/build_cluster.py --check",
            f"{PYTHON} spec/tools/generate/build.py --check",
            f"{PYTHON} spec/tools/prove/check_vectors.py",
            f"{PYTHON} spec/tools/prove/check_ssdb.py",
            f"{PYTHON} spec/tools/generate/ssdb_page.py --check",
        ),
    ),
    Proof(
        "the command table against a live server",
        [PYTHON, "spec/tools/prove/check_getkeys.py", "--start", "redis-server"],
    ),
    serverless(
        "docs/commands.md: fresh, and true of Jedis",
        each(
            f"{PYTHON} spec/tools/capture/capture_jedis.py --check",
            f"{PYTHON} spec/tools/generate/commands_page.py --check",
        ),
    ),
    Proof(
        "docs/commands.md: true of a live nutcracker",
        [PYTHON, "spec/tools/capture/capture_nutcracker.py", "--check"],
    ),
    Proof(
        "splits and merges: four nodes answer as one",
        [PYTHON, "spec/tools/prove/check_fleet.py", "--start", "redis-server"],
    ),
    Proof("the lab itself", [PYTHON, "conformance/lab/selftest.py"]),
    Proof("conformance: C, Java, reference and a live nutcracker", [PYTHON, "conformance/run.py"]),
    Proof(
        "many workers: killed, reloaded, without a node, with a configuration that never rests, with replies nobody"
        " asked for, behind links that are exchanged, with slow name servers",
        [
            PYTHON,
            "conformance/faults",
            "kills",
            "outage",
            "reload",
            "changes",
            "surplus",
            "links",
            "names",
            "rotations",
            "--short",
        ],
    ),
    Proof(
        "a Redis Cluster whose slots move and whose masters die, under PHP and Java at once",
        [PYTHON, "conformance/faults", "move", "failover", "--short"],
    ),
    Proof("Java", JAVA, check=JAVA_UNITS),
)
C_AND_PHP = (
    serverless("who may import whom", [PYTHON, "conformance/checks/imports.py"]),
    serverless("no circles", [PYTHON, "conformance/checks/circles.py"]),
    serverless(
        "docs/architecture.md: its quotations and its rooms",
        [PYTHON, "conformance/checks/architecture.py"],
    ),
    serverless("size budgets", [PYTHON, "conformance/checks/sizes.py"]),
    serverless(
        "PHP's signatures: the header is that of the stub",
        [PYTHON, "conformance/checks/arginfo.py"],
    ),
    serverless(
        "the method table against the loaded phpredis",
        ["php", "spec/tools/prove/methods_check.php"],
    ),
    Proof(
        "the method table against phpredis and a live server", ["php", "spec/tools/prove/probe.php"]
    ),
    serverless(
        "C core under the address and undefined-behaviour sanitizers",
        ["make", "-s", "-j2", "-C", "php-ext/tests-core"],
    ),
    Proof(
        "C core and engine against random bytes, under the same sanitizers",
        FUZZ,
        check=[*FUZZ, "COUNT=20000"],
    ),
    Proof(
        "C engine by itself, with every allocation and system call failing in turn",
        ENGINE,
        check=[*ENGINE, "alone"],
    ),
    Proof("PHP: the status page in a browser", [PYTHON, "php-ext/tests-page/check.py"]),
    Proof("PHP extension", [*PHPT, "php-ext/tests"]),
    Proof("PHP extension under valgrind", [*PHPT, "-m", "-d", "pcre.jit=0", *VALGRIND_TESTS]),
)
PHP_ON_TRIXIE = (Proof("PHP extension on PHP 8.4 and phpredis 6.2", [".ci/test-trixie"]),)
JAVA_ON_TRIXIE = (Proof("Java on JDK 25", [".ci/test-jdk25"]),)
HERE = (SPECIFICATION_FAULTS_JAVA, C_AND_PHP)
LANES = {
    "test": [[(proof.title, proof.command) for proof in lane] for lane in HERE],
    "check": [[(proof.title, proof.check) for proof in lane if proof.check] for lane in HERE],
    "trixie": [
        [(proof.title, proof.command) for proof in lane] for lane in (PHP_ON_TRIXIE, JAVA_ON_TRIXIE)
    ],
}


class Step:
    """One step while it runs."""

    def __init__(self, title, command):
        self.title, self.command, self.started = title, command, time.monotonic()
        self.process = Process(command, name="test", cwd=ROOT, environment=ENVIRONMENT)

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def end(self):
        """(whether it ended with 0, everything it said)"""
        is_late, status = self.process.is_running, self.process.child.returncode
        with open(self.process.log_path, errors="replace") as log:
            output = log.read()
        if is_late:
            os.killpg(self.process.pid, signal.SIGTERM)  # What it has started, too.
        self.process.stop()
        if is_late or status != 0:
            end = (
                f"was stopped: it had not ended after {STEP_SECONDS_MAX} s"
                if is_late
                else f"ended with {status}"
            )
            output += f"\n  {' '.join(self.command)} {end}."
        return not is_late and status == 0, output


def main(where="test"):
    started, passed, failed, failures = time.monotonic(), 0, 0, []
    for step in ended(*LANES[where]):
        is_good, output = step.end()
        step_passed, step_failed = counted(output)
        if step_failed or not is_good:
            failures.append(step.title)
            print(output.rstrip())
        verdict = "FAILED" if step.title in failures else "passed"
        count = f"{step_passed:,} tests, " if step_passed else ""
        print(f"  {verdict}  {step.title} ({count}{step.seconds:.0f} s)", flush=True)
        passed += step_passed or (0 if step.title in failures else 1)
        failed += step_failed or (1 if step.title in failures else 0)
    print(
        f"\n  {time.monotonic() - started:.0f} s"
        + "".join(f"\n  failed: {title}" for title in failures)
    )
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failures else 0)


def ended(*lanes):
    """Runs the lanes side by side and yields each step when it has ended, or has to be ended.

    Without threads: what the lab starts dies with the thread that started it.
    """
    waiting = [list(lane) for lane in lanes]
    running = [Step(*lane.pop(0)) for lane in waiting]
    while any(running):
        show(running)
        for i, step in enumerate(running):
            if step and (not step.process.is_running or step.seconds > STEP_SECONDS_MAX):
                yield step
                running[i] = Step(*waiting[i].pop(0)) if waiting[i] else None
        time.sleep(0.05)


def show(running):
    """What runs, on the last line of a terminal; the next line that is printed takes its place."""
    if sys.stdout.isatty():
        titles = "  ...     " + ", ".join(step.title for step in running if step)
        print("\33[K" + titles[: os.get_terminal_size().columns - 1], end="\r", flush=True)


def counted(output):
    """(passed, failed) tests, as far as the step's output tells; a skipped test is a failed one."""
    for line in re.findall(r"(\d+) passed, (\d+) failed", output)[
        -1:
    ]:  # Our own programs end with their total.
        return int(line[0]), int(line[1])
    passed = total(r"Tests passed +: +(\d+)", output)  # run-tests.php
    failed = total(r"Tests (?:failed|skipped|warned|leaked) +: +(\d+)", output)
    for line in re.findall(
        r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$", output, re.MULTILINE
    ):
        run_count, *bad = map(
            int, line
        )  # Surefire's total of one module; its lines per class go on after "Skipped".
        passed, failed = passed + run_count - sum(bad), failed + sum(bad)
    return passed, failed


def total(pattern, output):
    return sum(map(int, re.findall(pattern, output)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LabError as error:
        sys.exit(f"{error}\n0 passed, 1 failed")
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
