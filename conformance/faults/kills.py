"""kill -9 of random workers under load, thousands of times: some inside publish, some with a lease.

Large configurations change all the time, so that often some worker is publishing. A victim is
stopped before it is killed, to see what it is doing. Afterwards: was any reply wrong, did any
worker wait for a dead one, were all connections and slots released, and does the shared segment
still match the files?
"""

import collections
import itertools
import os
import random
import threading
import time

from figures import Figure
from house import POOL_SIZE, WORKERS, Callers, House
from table import bold, show
from victims import HOLDING, WITHOUT, WRITING, Hunter

LARGE = 12  # Configurations with this many servers, so that publishing them takes time.
LARGE_SERVERS = 2000
CALLERS = 24  # More than a node has connections; pauses between their rounds leave others time.
# A client checks a file at most this long after a change, even if a worker died in the last check.
CHECK_EVERY_S = 1.1
# A worker that missed the death of the writer, or of a connection's owner, would wait a second.
BLOCKED_MS_MAX = 500
QUERY = {"rounds": 3, "large": LARGE, "pause": 10000}


class Changes(threading.Thread):
    """Rewrites one large configuration after the other; workers check each once a second."""

    def __init__(self, house):
        super().__init__()
        self.house, self.ends = house, threading.Event()
        self.paths = [
            os.path.join(house.directory.name, f"large{number}.yml") for number in range(LARGE)
        ]
        for path in self.paths:
            self._write(path, 0)

    def _write(self, path, version):
        servers = "".join(
            f"    - 127.0.0.1:1:1 server{number}-{version if number < 10 else 0}\n"
            for number in range(LARGE_SERVERS)
        )
        head = "large:\n  listen: 127.0.0.1:22122\n  hash: murmur\n  distribution: random\n"
        self.house.write(f"{head}  servers:\n{servers}", path)

    def run(self):
        for version in itertools.count(1):
            for path in self.paths:
                if self.ends.wait(0.5 / LARGE):
                    return
                self._write(path, version)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()


def run(progress, is_short):
    rounds = 150 if is_short else 10000
    progress.step("kills: starting servers")
    with House(settings={"onehop.shared_memory": "64M"}) as house:
        changes = Changes(house)
        load_calmly(house, 1 if is_short else 2)  # Reads every file for the first time.
        calm = load_calmly(house, 1 if is_short else 5)
        before = house.connections()
        with changes:
            found, seconds, most, load, stops = kill_under_load(house, rounds, progress)
        time.sleep(CHECK_EVERY_S)
        # The first worker that runs this page checks every file; then all workers know.
        house.page("kills.php", job="fingerprints", large=LARGE)
        sums = fingerprints(house)
        places = usable_places(house)
        after = load_calmly(house, 1 if is_short else 3)
        intact = sum(len(of_all) != 1 for of_all in sums.values())
        connections = house.connections()
    progress.done()
    blocked = [blocked_ms(answer, stops) for _, answer in load.answers]
    report(found, seconds, calm, load)
    return [
        Figure("kills", sum(found.values()), rounds, is_least=True),
        Figure("kills inside publish", found[WRITING], rounds // 200, is_least=True),
        Figure(
            "kills of workers holding connections", found[HOLDING], rounds // 100, is_least=True
        ),
        Figure("wrong replies", load.sum("wrong") + after.sum("wrong"), 0, is_hard=True),
        Figure(
            "exceptions in surviving workers",
            load.errors().total() + after.errors().total(),
            0,
            is_hard=True,
        ),
        Figure("connections of a node, peak", most, POOL_SIZE, is_hard=True),
        Figure(
            "connections afterwards, above those before",
            max(0, connections - max(before, POOL_SIZE)),
            0,
            is_hard=True,
        ),
        Figure(
            "usable connections of a node afterwards",
            places,
            POOL_SIZE,
            is_hard=True,
            is_least=True,
        ),
        Figure("configurations that workers disagree about afterwards", intact, 0, is_hard=True),
        Figure("longest wait for a dead worker", max(blocked), BLOCKED_MS_MAX, unit=" ms"),
    ]


def kill_under_load(house, rounds, progress):
    hunter, found, most, began = Hunter(house), collections.Counter(), 0, time.monotonic()
    with Callers(house, "checked.php", CALLERS, nodes=pids(house), **QUERY) as load:
        while found.total() < rounds and not load.failures:
            found.update(hunter.kill_one(wants_writer=random.random() < 0.1))
            if found.total() % 50 == 0:
                most = max(most, house.connections())
                progress.share("kills", found.total(), rounds)
            time.sleep(0.001)
    return found, time.monotonic() - began, most, load, hunter.stops


def load_calmly(house, seconds):
    with Callers(house, "checked.php", CALLERS, nodes=pids(house), **QUERY) as load:
        time.sleep(seconds)
    return load


def pids(house):
    """The nodes' pids. A page subtracts the time that nodes wait for a processor."""
    return ",".join(str(node.process.pid) for node in house.nodes)


def usable_places(house):
    """How many connections to one node several workers can hold at the same time."""
    with Callers(house, "kills.php", POOL_SIZE, job="hold", wanted=POOL_SIZE) as holders:
        time.sleep(0.1)
    return max(answer["most"] for _, answer in holders.answers)


def fingerprints(house):
    """{configuration: its fingerprints, from workers and from a process that reads the file}"""
    sums = collections.defaultdict(set)
    with Callers(house, "kills.php", 8, job="fingerprints", large=LARGE) as callers:
        time.sleep(1)
    for _, answer in callers.answers:
        for path, of_worker in answer.items():
            sums[path].update(of_worker)
    return sums


def blocked_ms(answer, stops):
    """The longest call of a page, in milliseconds.

    Not counted are waits for a processor, of the worker or of a node, and waits for victims that
    were stopped but not yet dead.
    """
    began, ended = answer["began"], answer["began"] + answer["longest"]
    stopped = sum(max(0, min(ended, until) - max(began, since)) for since, until in stops)
    return max(0, answer["longest"] - answer["queued"] - stopped) / 1e6


def report(found, seconds, calm, load):
    what = f"{found.total():,} kills in {seconds:.0f} s, {WORKERS} workers, {CALLERS} callers"
    print(bold(f"\n{what}\n"))
    show(
        ("worker was", "kills"),
        [(state, f"{found[state]:,}") for state in (WRITING, HOLDING, WITHOUT)],
    )
    print()
    show(
        (
            "load",
            "pages",
            "lost with their worker",
            "calls",
            "slowest page",
            "longest call",
            "of it without processor",
        ),
        [load_row("before", calm), load_row("with kills", load)],
    )


def load_row(label, load):
    longest, queued = max((answer["longest"], answer["queued"]) for _, answer in load.answers)
    return (
        label,
        f"{len(load.answers):,}",
        load.lost,
        f"{load.sum('calls'):,}",
        f"{load.slowest * 1e3:.0f} ms",
        f"{longest / 1e6:.1f} ms",
        f"{queued / 1e6:.1f} ms",
    )
