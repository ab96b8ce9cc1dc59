"""A small fleet, real and simulated: the same hosts, pages and events, and the figures of both.

One real run is a single draw of chance. So the simulation runs a hundred times, and the real figure
should lie between the extremes of the simulated ones.
"""

import random
import time

from fleet import Fleet, changed_file, outage, reload_wave
from host import Load
from real import Arrivals, RealFleet
from table import bold, show

HOSTS, WORKERS = 3, 16
WARM_S = 3
LOAD = Load(pages=20, page_s=0.1, calls=2, call_s=0.002, pool_size=8)
RUNS = 100


class Small(Fleet):
    def load(self):
        return LOAD


def run(is_short):
    """With --short only the outage. The figures are for people: no test depends on times."""
    down_s, after_s, runs = (2, 3, 20) if is_short else (20, 11, RUNS)
    rows = []
    for measure, simulate in PAIRS[:1] if is_short else PAIRS:
        measured = measure(down_s, after_s)
        simulated = list(simulate(down_s, after_s, runs))
        for name, value in measured.items():
            ordered = sorted(one[name] for one in simulated)
            low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
            is_within = low <= value <= high
            rows.append(
                (
                    name,
                    text(value),
                    text(middle),
                    f"{text(low)} to {text(high)}",
                    "" if is_within else "outside",
                )
            )
    print(
        bold(
            f"\n{HOSTS} hosts x {WORKERS} workers, {LOAD.pages} pages a second each, "
            f"pool_size {LOAD.pool_size}; simulated {runs} times\n"
        )
    )
    show(("figure", "measured", "simulated", "range", ""), rows)


def text(value):
    return f"{value:,.0f}" if isinstance(value, int) else f"{value:.1f}"


# ---- A node is killed and comes back ----


class Outage:
    """A node that refuses, because redis was killed, or is silent, because its wire is cut."""

    def __init__(self, name, is_silent):
        self.name, self.is_silent = name, is_silent

    def figures(self, before, attempts, back, after):
        return {
            f"{self.name}: connections before": before,
            f"{self.name}: attempts in its first second": attempts[0],
            f"{self.name}: attempts after that": attempts[1],
            f"{self.name}: s from return to the last host's first answer": back,
            f"{self.name}: connections, some seconds after the return": after,
        }

    def real(self, down_s, after_s):
        with RealFleet(HOSTS, WORKERS, LOAD) as real, arrivals(real) as pages:
            node = real.wires[0].process if self.is_silent else real.nodes[0].process
            time.sleep(WARM_S)
            before, tried = real.connections(0), [real.attempts()]
            node.pause() if self.is_silent else node.kill()
            for seconds in (1, down_s - 1):
                time.sleep(seconds)
                tried.append(real.attempts())
            back = time.monotonic_ns()
            node.resume() if self.is_silent else node.start()
            time.sleep(after_s)
            after = real.connections(0)
        answered = {}
        for number, page in pages.answers:
            for _, ended, is_answered in page["calls"]:
                if is_answered and ended > back:
                    answered[number] = min(ended, answered.get(number, ended))
        last = (max(answered.values(), default=float("inf")) - back) / 1e9
        return self.figures(before, (tried[1] - tried[0], tried[2] - tried[1]), last, after)

    def simulated(self, down_s, after_s, runs):
        for seed in range(runs):
            seen, back = outage(
                small(), down_s, is_silent=self.is_silent, after_s=after_s, seed=seed, warm_s=WARM_S
            )
            first, *later = (seen.attempts_at(at) for at in range(down_s))
            yield self.figures(
                seen.connections_at(-1),
                (first, sum(later)),
                max(back, default=float("inf")),
                seen.connections_at(down_s + after_s - 1),
            )


# ---- php-fpm reloads ----


def real_reload(*_):
    with RealFleet(HOSTS, WORKERS, LOAD) as real, arrivals(real):
        time.sleep(WARM_S)
        before = real.accepted(0)
        for host in real.hosts:
            host.reload()
        time.sleep(5)
        return {
            "reload: connections opened within 5 s": real.accepted(0) - before - 1,
            "reload: connections after 5 s": real.connections(0),
        }


def many_reloads(_, __, runs):
    found = []
    for seed in range(runs):
        seen = reload_wave(small(), 0.01, after_s=5, seed=seed, warm_s=WARM_S)
        found.append(
            {
                "reload: connections opened within 5 s": sum(map(seen.attempts_at, range(5))),
                "reload: connections after 5 s": seen.connections_at(4),
            }
        )
    return found


# ---- A file that points to another node ----


def real_file(*_):
    with RealFleet(HOSTS, WORKERS, LOAD) as real, arrivals(real) as pages:
        time.sleep(WARM_S + random.random())
        real.point_to(1)
        changed = time.monotonic_ns()
        time.sleep(3)
        opened = real.accepted(1) - 2  # Without this probe, and the one that wrote the key.
        gone = None
        until = time.monotonic() + 10
        while gone is None and time.monotonic() < until:
            if real.connections(0) == 0:
                gone = (time.monotonic_ns() - changed) / 1e9
            time.sleep(0.05)
    adopted = {}
    for number, page in pages.answers:
        if page["port"] == real.nodes[1].port:
            began = page["calls"][0][0]
            adopted[number] = min(began, adopted.get(number, began))
    return {
        "file: s until the last host has adopted it": (
            max(adopted.values(), default=float("inf")) - changed
        )
        / 1e9,
        "file: connections to the new node within 3 s": opened,
        "file: s until the old node has no connections": gone or float("inf"),
    }


def many_files(_, __, runs):
    found = []
    for seed in range(runs):
        old, new, adopted = changed_file(small(), 0.0, after_s=10, seed=seed, warm_s=WARM_S)
        found.append(
            {
                "file: s until the last host has adopted it": max(adopted),
                "file: connections to the new node within 3 s": sum(map(new.attempts_at, range(3))),
                "file: s until the old node has no connections": old.last_change,
            }
        )
    return found


REFUSES, SILENT = Outage("redis killed", False), Outage("wire cut", True)
PAIRS = (
    (REFUSES.real, REFUSES.simulated),
    (SILENT.real, SILENT.simulated),
    (real_reload, many_reloads),
    (real_file, many_files),
)


def small():
    return Small(hosts=HOSTS, sample=HOSTS)


def arrivals(real):
    return Arrivals(
        real.hosts,
        LOAD.pages,
        pool="alpha",
        key=real.key,
        calls=LOAD.calls,
        page_us=int(LOAD.page_s * 1e6),
    )
