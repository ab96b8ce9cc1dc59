"""Throughput and latency at a fixed arrival rate, in php-fpm and in a JVM.

    make build && mvn -q -f bench/java/pom.xml package
    /usr/bin/python3 bench/open_loop.py [--short] [--workers N] [--threads N]
        [--seconds S] [--output FILE] [path ...]

    rising   the rate rises until each path breaks: throughput, p50, p99, p99.9
    cold     the first request of a fresh php-fpm worker
    death    a node that hangs, recovers and dies while requests arrive

paths.py lists the paths, OpenLoop.java explains what a latency is. Every answer is checked; a wrong
one ends the program. All rows go to FILE as JSON, even if the program is stopped. The default is
bench/results/open_loop.json, and no file with --short.
"""

import math
import os
import random
import signal
import time

from tree import ROOT

import launch
from lab import LabError
from lab.fpm import Fpm
from paths import JOBS, LABELS, PAGE, Paths, is_php
from result import machine, save_rows
from statistic import median
from table import Progress, bold, show

TIMEOUT_MS = 1000
# A short run proves that the answers are right; a busy machine may be late with them.
SHORT_TIMEOUT_MS = 30_000
DEATHS_MAX = 10


class Load:
    """The rows so far, and what a part needs to add some."""

    def __init__(self, paths, options):
        self.paths, self.options, self.rows = paths, options, []
        self.progress = Progress()

    def threads(self, path):
        """For a page, twice the workers: requests wait at php-fpm, as they do on a site."""
        return 2 * self.options.workers if is_php(path) else self.options.threads

    def run(self, path, job, rate, seconds):
        return self.paths.driver.run(
            path, job, threads=self.threads(path), rate=rate, seconds=seconds
        )

    def add(self, part, path, job, measured):
        crew = {"workers": self.options.workers} if is_php(path) else {}
        crew["threads"] = self.threads(path)
        row = {"part": part, "path": path, "job": job, **crew, **measured}
        self.rows.append(row)
        return row

    def of(self, part):
        return [row for row in self.rows if row["part"] == part]


# ---- Rising load ----
#
# A path holds a rate if it answers 95 % of the requests in time, none fails, and the p99 stays
# below 50 ms. It breaks when it misses two rates in a row. At each rate the paths take turns in a
# random order, so a slow minute of the machine meets all of them.

P99_MS_MAX = 50
ANSWERED_MIN = 0.95
MISSED_MAX = 2  # One rate may be missed because of a neighbour on the machine.
STEP = 2 ** (1 / 3)  # Each rate is a power of STEP, so all paths have the same rates.
FLOOD = 200_000  # Requests a second: more than any path answers.


def raise_rates(load, job):
    """Each rate in turn, the lowest first, for all paths that are not broken."""
    climbs = [Climb(load, path, job) for path in load.options.jobs]
    while climbs:
        step = min(climb.step for climb in climbs)
        here = [climb for climb in climbs if climb.step == step]
        for climb in random.sample(here, len(here)):
            climb.run()
        climbs = [climb for climb in climbs if climb.missed < MISSED_MAX]


class Climb:
    """One path on its way up: `step` is the power of its next rate."""

    def __init__(self, load, path, job):
        self.load, self.path, self.job, self.missed = load, path, job, 0
        self.step = first_step(load, path, job)
        self.is_first = True

    def run(self):
        rate = STEP**self.step
        measured = self.load.run(self.path, self.job, rate, self.load.options.seconds)
        row = self.load.add("rising", self.path, self.job, measured)
        self.load.progress.step(f"{JOBS[self.job]}: {LABELS[self.path]}: {words(row)}")
        self.missed = 0 if is_held(row) else self.missed + 1
        # The first rate is far below the rate at which the path breaks.
        self.step += 3 if self.is_first and not self.missed else 1
        self.is_first = False


def first_step(load, path, job):
    """A quarter of what the path answers when it is flooded. A JVM is flooded twice, to warm up."""
    for _ in range(1 if is_php(path) else 2):
        load.progress.step(f"{JOBS[job]}: flooding {LABELS[path]}")
        flooded = load.run(path, job, FLOOD, 1)
    return math.floor(math.log(max(flooded["achieved"], 16) / 4, STEP))


def words(row):
    return (
        f"{row['achieved']:,.0f} of {row['offered']:,.0f}/s, p50 {row['p50_us'] / 1e3:.2f} ms, "
        f"p99 {row['p99_us'] / 1e3:.2f} ms, p99.9 {row['p999_us'] / 1e3:.2f} ms, "
        f"{row['failed']} failed"
    )


def is_held(row):
    return (
        row["achieved"] >= ANSWERED_MIN * row["offered"]
        and row["failed"] == 0
        and row["p99_us"] <= P99_MS_MAX * 1000
    )


def knees(rows):
    """{(job, path): (the lowest rate's row, the highest held row)}"""
    found = {}
    for row in rows:
        if row["part"] == "rising" and is_held(row):
            low, _ = found.get((row["job"], row["path"]), (row, row))
            found[row["job"], row["path"]] = low, row
    return found


def show_rising(load):
    found = knees(load.rows)
    measured = {row["path"] for row in load.of("rising")}
    for job, title in JOBS.items():
        print(bold(f"\n{title}: at a low rate, and at the highest rate that was held\n"))
        show(
            ("path", *("rate/s", "p50 ms", "p99", "p99.9") * 2),
            [
                (LABELS[path], *(cell for row in found[job, path] for cell in cells(row)))
                if (job, path) in found
                else (LABELS[path], "none held", *[""] * 7)
                for path in LABELS
                if path in measured
            ],
        )


def cells(row):
    return (
        f"{row['offered']:,.0f}",
        *(f"{row[name] / 1e3:.2f}" for name in ("p50_us", "p99_us", "p999_us")),
    )


# ---- The cold start: the first and the second request of a fresh php-fpm worker ----

FRESH_WORKERS = 15  # For each path.


def start_cold(load, path, count=FRESH_WORKERS):
    load.progress.step(f"cold start: {LABELS[path]}")
    settings = load.paths.settings[load.paths.kind(path)]
    firsts, seconds = [], []
    with Fpm(workers=1, settings=settings) as fpm:
        for number in range(count):
            firsts.append(request(fpm, load.paths.queries[path], number))
            seconds.append(request(fpm, load.paths.queries[path], number))
            replace_worker(fpm)
    times = {"first_p50_us": median(firsts) / 1e3, "second_p50_us": median(seconds) / 1e3}
    load.add("cold", path, "hgets", {"count": count, **times})


def request(fpm, query, number):
    """Its nanoseconds. It goes straight to php-fpm, without nginx."""
    begun = time.perf_counter_ns()
    answer = fpm.request(PAGE, query=f"{query}&job=hgets&number={number}")
    taken = time.perf_counter_ns() - begun
    if answer != (200, b"100"):
        raise LabError(f"cold start, {query}: {answer}")
    return taken


def replace_worker(fpm):
    """Ends the only worker; the master starts another one."""
    (old,) = fpm.worker_pids()
    os.kill(old, signal.SIGTERM)
    fpm.process.wait_until(
        lambda: len(fpm.worker_pids()) == 1 and fpm.worker_pids() != [old],
        what="replace its worker",
    )


def show_cold(load):
    print(bold("\nA batch of 100 HGETs by a fresh php-fpm worker\n"))
    show(
        ("path", "first request", "second request"),
        [
            (
                LABELS[row["path"]],
                f"{row['first_p50_us'] / 1e3:.2f} ms",
                f"{row['second_p50_us'] / 1e3:.2f} ms",
            )
            for row in load.of("cold")
        ],
    )


# ---- A node that hangs, recovers and dies, while requests arrive ----
#
# Each request is one GET, so three of four requests do not need the node. The tables show what
# happens to those three.

DEATH_PATHS = ("php.onehop", "php.nodes", "php.proxy", "java.onehop", "java.proxy")
SCENE = ((2, "pause"), (5, "resume"), (7, "kill"))  # (second, what happens to node 0)
SCENE_SECONDS = 10
# Requests a second: easy for every path, but too many for its threads if each waits a second.
PHP_RATE, JAVA_RATE = 500, 2000
# The driver prepares its threads and the arrivals before the first request.
LEAD_S = 0.1


def let_die(load, path, scene=SCENE, seconds=SCENE_SECONDS):
    load.progress.step(f"a node hangs, recovers and dies: {LABELS[path]}")
    paths, node = load.paths, load.paths.nodes[0]
    rate = PHP_RATE if is_php(path) else JAVA_RATE
    begun = time.monotonic() + LEAD_S
    paths.driver.begin(path, "get", threads=load.threads(path), rate=rate, seconds=seconds)
    for second, action in scene:
        time.sleep(max(0, begun + second - time.monotonic()))
        getattr(node, action)()
    measured = paths.driver.result()
    paths.revive(0)
    load.add("death", path, "get", {"scene": scene, **measured})


def show_deaths(load):
    rows = load.of("death")
    if not rows:
        return
    print(bold("\nOne GET; one node of four hangs, recovers and dies\n"))
    events = ", ".join(f"{action} at {second} s" for second, action in rows[0]["scene"])
    print(f"  {events}; the requests that arrived in each second\n")
    table = []
    for row in rows:
        seconds = row["seconds"]
        label = f"{LABELS[row['path']]}, {row['offered']:,.0f}/s"
        table.append((label, "p50 ms", *(f"{each['p50_us'] / 1e3:,.1f}" for each in seconds)))
        table.append(("", "p99 ms", *(f"{each['p99_us'] / 1e3:,.1f}" for each in seconds)))
        failed = (each["failed"] / max(1, each["requests"]) for each in seconds)
        table.append(("", "failed", *(f"{share:.0%}" for share in failed)))
    show(("second", "", *range(len(rows[0]["seconds"]))), table, left=2)


# ---- The program ----


def measure(load):
    for job in JOBS:
        raise_rates(load, job)
    for path in filter(is_php, load.options.jobs):
        start_cold(load, path)
    for path in DEATH_PATHS:
        if path in load.options.jobs:
            let_die(load, path)
    load.progress.done()
    show_rising(load)
    show_cold(load)
    show_deaths(load)


def test(load):
    """A few requests for every path and job. Speed does not matter here; answers do."""
    for path in load.options.jobs:
        load.progress.step(LABELS[path])
        for job in JOBS:
            row = load.add("short", path, job, load.run(path, job, 200, 0.1))
            if row["failed"] or not row["requests"]:
                raise LabError(f"{path}, {job}: {row}")
        if is_php(path):
            start_cold(load, path, count=1)
    for path in ("php.onehop", "java.onehop"):
        if path in load.options.jobs:
            meet_death(load, path)
    load.progress.done()


def meet_death(load, path):
    """On a busy machine all requests may be over before the node dies; then it dies once more."""
    for _ in range(DEATHS_MAX):
        let_die(load, path, ((0.2, "pause"), (0.4, "resume"), (0.6, "kill")), 1)
        if load.rows[-1]["failed"]:
            return
    raise LabError(f"{path}: in {DEATHS_MAX} runs no request met the dead node")


def arguments():
    parser = launch.job_parser(
        "bench/open_loop.py", "Raises the arrival rate until each path breaks.", LABELS, "path"
    )
    parser.add_argument("--workers", type=int, default=16, help="of php-fpm, 1-128")
    parser.add_argument("--threads", type=int, default=32, help="of the JVM, 1-200")
    parser.add_argument("--seconds", type=float, default=1.5, help="at each rate")
    parser.add_argument("--output", metavar="FILE", help="default: bench/results/open_loop.json")
    options = parser.parse_args()
    if options.short:
        options.workers = options.threads = 4
    else:
        options.output = options.output or os.path.join(ROOT, "bench/results/open_loop.json")
    return options


def main():
    options = arguments()
    with Paths(options.workers, SHORT_TIMEOUT_MS if options.short else TIMEOUT_MS) as paths:
        load = Load(paths, options)
        try:
            (test if options.short else measure)(load)
        finally:
            if options.output:
                save_rows(options.output, {"machine": machine()}, load.rows)
                print(f"\n  {len(load.rows)} rows are in {os.path.relpath(options.output)}.")


if __name__ == "__main__":
    launch.run(main)
