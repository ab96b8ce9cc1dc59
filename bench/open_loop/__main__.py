"""Throughput and latency at a fixed arrival rate, in php-fpm and in a JVM.

    make build && /usr/bin/python3 bench/open_loop [--short] [--workers N] [--threads N]
        [--seconds S] [--output FILE] [path ...]

    rising   the rate rises until each path breaks: throughput, p50, p99, p99.9
    cold     the first request of a fresh php-fpm worker
    death    a node that hangs, recovers and dies while requests arrive

paths.py lists the paths, Driver.java explains what a latency is. Every answer is checked; a wrong
one ends the program. All rows go to FILE as JSON, even if the program is stopped. The default is
bench/results/open_loop.json, and no file with --short.
"""

import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tree import ROOT  # The path above finds it; it finds the rest.

import cold
import death
import launch
import machine
import result_file
import rising
from lab import LabError
from paths import JOBS, LABELS, Paths, is_php
from table import Progress


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

    def add(self, part, path, job, result):
        crew = {"workers": self.options.workers} if is_php(path) else {}
        crew["threads"] = self.threads(path)
        row = {"part": part, "path": path, "job": job, **crew, **result}
        self.rows.append(row)
        return row


def measure(load):
    for job in JOBS:
        rising.measure(load, job)
    for path in filter(is_php, load.options.jobs):
        cold.measure(load, path)
    for path in death.PATHS:
        if path in load.options.jobs:
            death.measure(load, path)
    load.progress.done()
    rising.show_table(load.rows)
    cold.show_table(load.rows)
    death.show_table(load.rows)


def test(load):
    """A few requests for every path and job. Speed does not matter here; answers do."""
    for path in load.options.jobs:
        load.progress.step(LABELS[path])
        for job in JOBS:
            row = load.add("short", path, job, load.run(path, job, 200, 0.1))
            if row["failed"] or not row["requests"]:
                raise LabError(f"{path}, {job}: {row}")
        if is_php(path):
            cold.measure(load, path, count=1)
    for path in ("php.onehop", "java.onehop"):
        if path in load.options.jobs:
            death.measure(load, path, ((0.2, "pause"), (0.4, "resume"), (0.6, "kill")), 1)
            if not load.rows[-1]["failed"]:
                raise LabError(f"{path}: no request met the dead node")
    load.progress.done()


def save(load, output):
    result_file.save(output, {"machine": machine.description()}, load.rows)
    print(f"\n  {len(load.rows)} rows are in {os.path.relpath(output)}.")


def arguments():
    parser = launch.job_parser(
        "bench/open_loop", "Raises the arrival rate until each path breaks.", LABELS, "path"
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
    with Paths(options.workers) as paths:
        load = Load(paths, options)
        try:
            (test if options.short else measure)(load)
        finally:
            if options.output:
                save(load, options.output)


if __name__ == "__main__":
    launch.run(main)
