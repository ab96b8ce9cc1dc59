"""kill -9 of random workers under load, thousands of times: some inside publish, some holding connections.

Beside the load, large configurations change all the time, so that somebody is often publishing. A victim is stopped first,
to see what it is doing. Then: was any reply wrong, did any other worker wait for a dead one, did connections and places come
back, is what the segment holds still what the files say?
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

LARGE = 12  # Configurations of so many servers, so that publishing them takes its time.
LARGE_SERVERS = 2000
CALLERS = 24  # More than there are connections of a node; what they do between two rounds leaves time for others.
# So long after a change the next client looks for it, whoever died over the look before.
LOOK_EVERY_S = 1.1
BLOCKED_MS_MAX = 500  # Who does not notice that the writer's lock, or a connection, is a dead one's, waits for a second at least.
QUERY = {"rounds": 3, "large": LARGE, "pause": 10000}


class Changes(threading.Thread):
    """Changes one large configuration after the other; each is looked at once a second."""

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
        self.house.write(
            f"large:\n  listen: 127.0.0.1:22122\n  hash: murmur\n  distribution: random\n  servers:\n{servers}",
            path,
        )

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
        load_calmly(house, 1 if is_short else 2)  # Everything is read for the first time.
        calm = load_calmly(house, 1 if is_short else 5)
        before = house.connections()
        with changes:
            found, seconds, most, load, stops = kill_under_load(house, rounds, progress)
        time.sleep(LOOK_EVERY_S)
        house.page(
            "fingerprints.php", large=LARGE
        )  # The first who comes by after that looks at every file; then all know.
        sums = fingerprints(house)
        places = usable_places(house)
        after = load_calmly(house, 1 if is_short else 3)
        intact = sum(len(of_all) != 1 for of_all in sums.values())
        connections = house.connections()
    progress.done()
    blocked = [blocked_ms(answer, stops) for _, answer in load.answers]
    tell(found, seconds, calm, load)
    return [
        Figure("kills", sum(found.values()), rounds, is_least=True),
        Figure("kills inside publish", found[WRITING], rounds // 200, is_least=True),
        Figure(
            "kills of workers holding connections", found[HOLDING], rounds // 100, is_least=True
        ),
        Figure("wrong replies", load.sum("wrong") + after.sum("wrong"), 0, is_hard=True),
        Figure(
            "exceptions in the workers that live",
            load.errors().total() + after.errors().total(),
            0,
            is_hard=True,
        ),
        Figure("connections of a node, at most", most, POOL_SIZE, is_hard=True),
        Figure(
            "connections afterwards more than before",
            max(0, connections - max(before, POOL_SIZE)),
            0,
            is_hard=True,
        ),
        Figure(
            "places of a node that can be used at once afterwards",
            places,
            POOL_SIZE,
            is_hard=True,
            is_least=True,
        ),
        Figure("configurations that workers disagree about afterwards", intact, 0, is_hard=True),
        Figure(
            "longest a worker was blocked by a dead one", max(blocked), BLOCKED_MS_MAX, unit=" ms"
        ),
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
    """Of the nodes: what they wait for a processor is not the workers' fault."""
    return ",".join(str(node.process.pid) for node in house.nodes)


def usable_places(house):
    """How many connections to one node several workers can hold at once."""
    with Callers(house, "hold.php", POOL_SIZE, wanted=POOL_SIZE) as holders:
        time.sleep(0.1)
    return max(answer["most"] for _, answer in holders.answers)


def fingerprints(house):
    """{configuration: what workers, and a process that reads the file itself, take it for}"""
    sums = collections.defaultdict(set)
    with Callers(house, "fingerprints.php", 8, large=LARGE) as callers:
        time.sleep(1)
    for _, answer in callers.answers:
        for path, of_worker in answer.items():
            sums[path].update(of_worker)
    return sums


def blocked_ms(answer, stops):
    """Of the longest call of a page, without what it or a node waited for a processor, and for victims that were stopped but not dead yet."""
    began, ended = answer["began"], answer["began"] + answer["longest"]
    stopped = sum(max(0, min(ended, until) - max(began, since)) for since, until in stops)
    return max(0, answer["longest"] - answer["queued"] - stopped) / 1e6


def tell(found, seconds, calm, load):
    print(
        bold(
            f"\n{found.total():,} kills in {seconds:.0f} s, {WORKERS} workers, {CALLERS} callers\n"
        )
    )
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
        [
            (
                label,
                f"{len(one.answers):,}",
                one.lost,
                f"{one.sum('calls'):,}",
                f"{one.slowest * 1e3:.0f} ms",
                *(
                    f"{value / 1e6:.1f} ms"
                    for value in max(
                        (answer["longest"], answer["queued"]) for _, answer in one.answers
                    )
                ),
            )
            for label, one in (("before", calm), ("with kills", load))
        ],
    )
