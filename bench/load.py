#!/usr/bin/python3
"""What sharing connections costs: three contestants with many workers each, taking turns.

So a slow minute of the machine meets all contestants. They are OneHop with the host's pool, OneHop
with a pool per worker (onehop.pool_scope = process), and stock phpredis with pconnect, without its
ECHO and with a given node for each key. A page creates a client and reads 20 keys. It times each
GET itself, so the web server's time is not in the figures.

    make build && /usr/bin/python3 bench/load.py [--short]     as root, for a network namespace
"""

import argparse
import contextlib
import os
import random
import time

from tree import ROOT

import figures
import launch
from figures import Figure
from house import POOL_SIZE, WORKERS, Callers, House
from statistic import median, percentile
from table import Progress, bold, show

PAGE = os.path.join(ROOT, "bench/php/timed.php")
TURNS = 30  # Short turns: what slows down one contestant slows down the next, too.
CONTESTANTS = (  # Label, client, onehop.pool_scope.
    ("OneHop, pool of the host", "onehop", "host"),
    ("OneHop, pool of each worker", "onehop", "process"),
    ("phpredis, pconnect", "phpredis", "host"),
)
CALLERS = 16  # Each page goes to any idle worker.


class Contestant:
    """One house and its measurements."""

    def __init__(self, house, label, client):
        self.house, self.label, self.client = house, label, client
        self.firsts, self.gets, self.most, self.pages = [], [], 0, 0
        self.turns = []  # Medians of (first GETs, other GETs) of each turn.
        self.waits_before = house.time_waits()

    def run(self, seconds):
        with Callers(self.house, PAGE, CALLERS, client=self.client) as callers:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                time.sleep(0.05)
                self.most = max(self.most, self.house.connections())
        times = [answer for _, answer in callers.answers]
        firsts, gets = [first for first, *_ in times], [one for _, *rest in times for one in rest]
        self.turns.append((median(firsts), median(gets)))
        self.firsts += firsts
        self.gets += gets
        self.pages += len(times)


def run(progress, is_short):
    seconds = 3 if is_short else 30
    with contextlib.ExitStack() as stack:
        contestants = []
        for label, client, scope in CONTESTANTS:
            progress.step(f"load: starting {label}")
            house = stack.enter_context(House(settings={"onehop.pool_scope": scope}))
            contestants.append(Contestant(house, label, client))
        for turn in range(TURNS):
            for contestant in random.sample(contestants, len(contestants)):
                progress.step(f"load: turn {turn + 1} of {TURNS}, {contestant.label}")
                contestant.run(seconds / TURNS)
        host, own, stock = contestants
        waits = host.house.time_waits() - host.waits_before
    progress.done()
    report(contestants, seconds)
    return [
        # A wrong reply would have ended the program before this line.
        Figure("wrong replies", 0, 0, is_hard=True),
        Figure("connections of a node, peak", host.most, POOL_SIZE, is_hard=True),
        Figure("TIME_WAIT sockets, above those before", waits, 50),
        Figure("GET p50: pool of the host / of each worker", ratio(host, own, 1), 1.2),
        Figure("client + first GET / pconnect GET", ratio(host, stock, 0), 1.15),
    ]


def ratio(one, other, which):
    """The median of the turns' ratios: load in one turn meets all contestants."""
    return median(mine[which] / theirs[which] for mine, theirs in zip(one.turns, other.turns))


def report(contestants, seconds):
    setting = f"{WORKERS} workers each, 4 nodes, pool_size {POOL_SIZE}, {seconds} s of load each"
    print(bold(f"\n{setting}\n"))
    show(
        ("contestant", "pages", "connections of a node", "client + first GET", "GET p50", "p99"),
        [
            (
                one.label,
                f"{one.pages:,}",
                one.most,
                f"{median(one.firsts) / 1e3:.0f} us",
                f"{median(one.gets) / 1e3:.1f} us",
                f"{percentile(one.gets, 99) / 1e3:.0f} us",
            )
            for one in contestants
        ],
    )


def main():
    parser = argparse.ArgumentParser(description="Measures what sharing connections costs.")
    parser.add_argument("--short", action="store_true", help="takes seconds; the figures are rough")
    is_short = parser.parse_args().short
    figures.end_with([run(Progress(), is_short)])


if __name__ == "__main__":
    launch.run(main)
