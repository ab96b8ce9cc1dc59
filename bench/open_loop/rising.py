"""Rising load: every path and job at one rate after the other, until the path breaks.

A path holds a rate if it answers 95 % of the requests in time, none fails, and the p99 stays below
50 ms. It breaks when it misses two rates in a row. At each rate the paths take turns in a random
order, so a slow minute of the machine meets all of them.
"""

import math
import random

from paths import JOBS, LABELS, is_php
from table import bold, show

P99_MS_MAX = 50
ANSWERED_MIN = 0.95
MISSED_MAX = 2  # One rate may be missed because of a neighbour on the machine.
STEP = 2 ** (1 / 3)  # Rates are powers of it, the same for all paths.
FLOOD = 200_000  # Requests a second: more than any path answers.


def measure(load, job):
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
        result = self.load.run(self.path, self.job, rate, self.load.options.seconds)
        row = self.load.add("rising", self.path, self.job, result)
        self.load.progress.step(f"{JOBS[self.job]}: {LABELS[self.path]}: {words(row)}")
        self.missed = 0 if is_held(row) else self.missed + 1
        # The first rate is a low one, far from where it breaks.
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


def show_table(rows):
    found = knees(rows)
    measured = {row["path"] for row in rows if row["part"] == "rising"}
    for job, words in JOBS.items():
        print(bold(f"\n{words}: at a low rate, and at the highest rate that was held\n"))
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
