#!/usr/bin/python3
"""make test: all proofs. make check: those without a server. `test.py trixie`: on Debian trixie.

Two lanes of steps run side by side, because most steps wait more than they compute. A step that
passes is one line; a step that fails is followed by its output. A skipped test counts as failed,
because it has proven nothing. The last line is "N passed, N failed". It counts the tests of each
step; a step that does not report a number counts as one.
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
# The slowest steps take five minutes; on a busy machine they take three times as long.
STEP_SECONDS_MAX = 1500
PHPT = [
    *("php", "php-ext/run-tests.php", "-q", "-j3", "--no-progress", "--no-color", "--show-diff"),
    *("--set-timeout", "300", "-d", f"extension={ROOT}/php-ext/modules/onehop.so"),
]
PHPUNIT = [
    *("php", "-d", f"extension={ROOT}/php-ext/modules/onehop.so"),
    *("/usr/bin/phpunit", "-c", "php-ext/tests-docs"),
]

# With valgrind everything is thirty times slower. So tests that move millions of bytes or only wait
# are left out, and tests whose point valgrind does not see. Such a test gives the reason in its
# --DESCRIPTION--. Servers run without valgrind, and PCRE without its JIT, which confuses valgrind.
NOT_BENEATH_VALGRIND = re.compile("^Not beneath valgrind: ", re.MULTILINE)


def is_beneath_valgrind(path):
    with open(os.path.join(ROOT, path)) as test:
        return not NOT_BENEATH_VALGRIND.search(test.read())


VALGRIND_TESTS = [
    path
    for path in sorted(glob.glob("php-ext/tests/*/*.phpt", root_dir=ROOT))
    if is_beneath_valgrind(path)
]
UNWATCHED = ("setpriv", "redis-server", "nutcracker", "openssl", "php-fpm*", "cgi-fcgi")
ENVIRONMENT = {
    "NO_INTERACTION": "1",
    "VALGRIND_OPTS": f"--trace-children-skip={','.join(f'*/{name}' for name in UNWATCHED)}",
}


class Proof(NamedTuple):
    """A step of `make test`, and its part in `make check`: none if all of it needs a server."""

    title: str
    command: list
    check: list = None


def serverless(title, command):
    return Proof(title, command, check=command)


def each(*commands):
    return ["sh", "-c", " && ".join(commands)]


JAVA = ["mvn", "-B", "-ntp", "-f", "java/pom.xml", "test"]
# The core, and packages of the client on their own. Of these only two tests need servers.
JAVA_UNITS = [
    *JAVA,
    "-pl",
    "core,jedis",
    "-Dtest=io/onehop/core/**,io/onehop/jedis/internal/**,!KeysTest,!SentinelNewsTest",
]
ENGINE = ["make", "-s", "-j2", "-C", "php-ext/tests-engine"]
FUZZ = ["make", "-s", "-j2", "-C", "php-ext/fuzz", "run"]

# Lines that are shown of a step that passes, too: those of .ci/coverage.
SHOWN = re.compile(r"^  coverage of .*$", re.MULTILINE)

LINT = [".ci/lint"]
# What `make lint` runs: the sources as they are, without a build.
LINTS = (
    serverless("formats of C, Java and Python", [*LINT, "formats"]),
    serverless("Python: ruff", [*LINT, "python"]),
    serverless("subjects of commits", [*LINT, "subjects"]),
    serverless("one version of PHP and Java", [".ci/version"]),
    Proof(
        "the extension: more warnings, as errors",
        [*LINT, "strict"],
        check=[*LINT, "strict", "quick"],
    ),
    Proof("the extension: clang-tidy", [*LINT, "tidy"], check=[*LINT, "tidy", "quick"]),
)

# Steps that share files are in one lane: PHP's two suites write next to php-ext/tests, Java's steps
# write to java/*/target. Within a lane the cheapest come first, so that simple mistakes show early.
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
        "many workers: killed, reloaded, without a node, with constant changes of configuration,"
        " with surplus replies, with swapped links, over a long life, with slow DNS",
        [
            PYTHON,
            "conformance/faults",
            "kills",
            "outage",
            "reload",
            "changes",
            "surplus",
            "links",
            "lifetime",
            "names",
            "rotations",
            "--short",
        ],
    ),
    Proof(
        "a Redis Cluster with moving slots and dying masters, under load from PHP and Java",
        [PYTHON, "conformance/faults", "move", "failover", "--short"],
    ),
    Proof(
        "nodes of a plain server pool are replaced under load, as docs/replacing-a-node.md has it",
        [PYTHON, "conformance/faults", "replace", "--short"],
    ),
    Proof(
        "masters that Sentinels replace under load",
        [PYTHON, "conformance/faults", "sentinel", "--short"],
    ),
    Proof(
        "the benchmark of all jobs: every contestant of PHP, every value right",
        each(
            f"{PYTHON} bench/jobs.py --short --contestants php --output /dev/null"
            " --only pipeline,mget,mset,del,values,cold,dead"
        ),
    ),
    Proof(
        "the same jobs: every contestant of Java, Lettuce and Redisson, every value right",
        each(
            "mvn -q -B -ntp -f bench/java/pom.xml package",
            f"{PYTHON} bench/jobs.py --short --contestants java --output /dev/null"
            " --only pipeline,mset,del,cold,threads",
        ),
    ),
    Proof(
        "two of these jobs in JMH, every value right",
        each(
            "java -cp 'bench/java/target/classes:bench/java/target/jars/*'"
            " io.onehop.bench.JobBenchmark -p contestant=java.onehop,java.redisson -p job=hget,del"
            " -p keys=10 -f 1 -wi 1 -w 10ms -i 1 -r 50ms"
        ),
    ),
    Proof(
        "load at a fixed rate on every path, every answer right",
        [PYTHON, "bench/open_loop", "--short"],
    ),
    Proof(
        "a fleet of hosts: simulated, next to a small real one",
        [PYTHON, "bench/fleet", "simulate", "compare", "--short"],
    ),
    Proof(
        "what a host pays for its nodes, and how many calls wait for a connection",
        [PYTHON, "bench/fleet", "pool", "host", "--short"],
    ),
    Proof("what a command costs: instructions, bytes, system calls", [PYTHON, "bench/guard"]),
    Proof("the documentation as a site: no link leads nowhere", [".ci/site"]),
    Proof("Java", [".ci/coverage", "java"], check=JAVA_UNITS),
)
C_AND_PHP = (
    serverless("which room imports which", [PYTHON, "conformance/checks/imports.py"]),
    serverless("no circles", [PYTHON, "conformance/checks/circles.py"]),
    serverless(
        "spec/terms.md: it names every room and type",
        each(
            f"{PYTHON} conformance/checks/terms.py --self", f"{PYTHON} conformance/checks/terms.py"
        ),
    ),
    serverless(
        "docs/architecture.md: its rooms; all quotations of the documentation",
        each(
            f"{PYTHON} conformance/checks/architecture.py",
            f"{PYTHON} conformance/checks/quotations.py",
        ),
    ),
    serverless(
        "docs/performance.md: its figures are those of the results",
        [PYTHON, "bench/report.py", "--check"],
    ),
    serverless("size budgets", [PYTHON, "conformance/checks/sizes.py"]),
    serverless("at most 100 columns", [PYTHON, "conformance/checks/width.py"]),
    serverless(
        "messages of failures: from one page, all in use",
        each(
            f"{PYTHON} conformance/checks/messages.py --self",
            f"{PYTHON} conformance/checks/messages.py",
        ),
    ),
    serverless(
        "PHP's signatures: the header belongs to the stub",
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
    Proof("coverage of the C core and engine by their own tests", [".ci/coverage", "c"]),
    Proof(
        "alert rules and dashboard, with a real Prometheus", [PYTHON, "monitoring/tests/check.py"]
    ),
    Proof("PHP: the status page in a browser", [PYTHON, "php-ext/tests-page/check.py"]),
    Proof("PHP: what the documentation shows, run", PHPUNIT),
    Proof(
        "PHP: random calls of phpredis and of OneHop look the same",
        [PYTHON, "php-ext/fuzz/lane/fuzz.py", "--seconds", "12"],
    ),
    Proof("PHP extension", [*PHPT, "php-ext/tests"]),
    Proof("PHP extension under valgrind", [*PHPT, "-m", "-d", "pcre.jit=0", *VALGRIND_TESTS]),
)
PHP_ON_TRIXIE = (Proof("PHP extension on PHP 8.4 and phpredis 6.2", [".ci/test-trixie"]),)
JAVA_ON_TRIXIE = (
    Proof("Java on JDK 25", [".ci/test-jdk25"]),
    Proof("the Debian package, in bare roots of bookworm and trixie", [".ci/test-deb"]),
    Proof("what would go to Maven Central, built twice", [".ci/check-release"]),
)
HERE = (LINTS + SPECIFICATION_FAULTS_JAVA, C_AND_PHP)
LANES = {
    "test": [[(proof.title, proof.command) for proof in lane] for lane in HERE],
    "lint": [[(proof.title, proof.command) for proof in LINTS]],
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
        """(True if it ended with 0, all its output)"""
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
            output += f"\n  {' '.join(self.command)} {end}."
        return not is_late and status == 0, output


def main(where="test"):
    started, passed, failed, failures = time.monotonic(), 0, 0, []
    for step in ended(*LANES[where]):
        is_good, output = step.end()
        step_passed, step_failed = counted(output)
        if step_failed or not is_good:
            failures.append(step.title)
        lines = [output.rstrip()] if step.title in failures else SHOWN.findall(output)
        print(*lines, sep="\n", end="\n" if lines else "")
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
    """Runs the lanes side by side; yields each step that has ended or is over its time.

    It uses no threads, because a process of the lab dies with the thread that started it.
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
    """The running steps on the last line of a terminal. The next printed line replaces it."""
    if sys.stdout.isatty():
        titles = "  ...     " + ", ".join(step.title for step in running if step)
        print("\33[K" + titles[: os.get_terminal_size().columns - 1], end="\r", flush=True)


def counted(output):
    """(passed, failed) tests in the output of a step. Skipped tests count as failed."""
    totals = re.findall(r"(\d+) passed, (\d+) failed", output)
    if totals:  # Our own programs end with their total.
        return int(totals[-1][0]), int(totals[-1][1])
    passed = total(r"Tests passed +: +(\d+)", output)  # run-tests.php
    failed = total(r"Tests (?:failed|skipped|warned|leaked) +: +(\d+)", output)
    passed += total(r"^OK \((\d+) tests?, ", output)  # PHPUnit, if all is well; otherwise:
    for line in re.findall(r"^Tests: (\d+), Assertions: \d+(.*)\.$", output, re.MULTILINE):
        bad = total(r": (\d+)", line[1])
        passed, failed = passed + int(line[0]) - bad, failed + bad
    # The line of a module; in the lines of its classes more follows after "Skipped".
    surefire = r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$"
    for line in re.findall(surefire, output, re.MULTILINE):
        run_count, *bad = map(int, line)
        passed, failed = passed + run_count - sum(bad), failed + sum(bad)
    return passed, failed


def total(pattern, output):
    return sum(map(int, re.findall(pattern, output, re.MULTILINE)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LabError as error:
        sys.exit(f"{error}\n0 passed, 1 failed")
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
