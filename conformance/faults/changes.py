"""The configuration changes 100 times a second; half of the versions are garbage.

Good versions name other nodes with other weights. Half of all versions are written in place, so
readers may find an empty or incomplete file.
"""

import random
import re
import threading
import time

from figures import Figure
from house import POOL_SIZE, WORKERS, Callers, House
from table import bold, show

CALLERS = 8
PER_SECOND = 100
FOLLOWED_S_MAX = 30  # On a busy machine; workers look at the file once a second.


class Writer(threading.Thread):
    def __init__(self, house):
        super().__init__()
        self.house, self.ends, self.count, self.garbage_count = house, threading.Event(), 0, 0
        self.good = [
            house.configuration(nodes)
            for nodes in ((0, 1, 2, 3), (0, 1, 2), (1, 2, 3), (3, 2), (0,))
        ]
        self.good.append(re.sub(r"(\d):1 node", r"\1:7 node", self.good[0]))
        whole = self.good[0]
        self.garbage = [
            "",
            "rubbish",
            "alpha:\n",
            whole[:40],
            whole.replace("hash: murmur", "hash: none of these"),
            whole.replace(":1 node", ":x node"),
            whole.replace("servers:", "servers: ["),
            whole.replace("alpha", "beta"),
            whole + whole,
            "\0" * 500,
            random.Random(1).randbytes(3000).decode("latin-1"),
        ]

    def run(self):
        due = time.monotonic()
        while not self.ends.is_set():
            # Random: if kinds alternated, workers, which check once a second, would find only one.
            is_garbage = random.random() < 0.5
            text = random.choice(self.garbage if is_garbage else self.good)
            if random.random() < 0.5:
                self.house.write(text)
            else:
                with open(self.house.path, "w") as file:
                    file.write(text)
            self.count += 1
            self.garbage_count += is_garbage
            due += 1 / PER_SECOND
            time.sleep(max(0, due - time.monotonic()))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        """Ends with a good version."""
        self.ends.set()
        self.join()
        self.house.write(self.good[0])


def at_last(house, good):
    """Calls until all workers use the last good version: (these calls, what the workers use)"""
    deadline = time.monotonic() + FOLLOWED_S_MAX
    while True:
        with Callers(house, "checked.php", CALLERS, rounds=2) as after:
            time.sleep(0.5)
        last = {answer["nodes"] for _, answer in after.answers}
        if last == {good} or time.monotonic() > deadline:
            return after, last


def run(progress, is_short):
    seconds = 4 if is_short else 15
    progress.step("changes: starting servers")
    with House() as house:
        writer, most = Writer(house), 0
        known = {nodes_of(text) for text in writer.good}
        with Callers(house, "checked.php", CALLERS, rounds=2) as load:
            time.sleep(0.5)
            progress.step(f"changes: {seconds} s of load")
            with writer:
                until = time.monotonic() + seconds
                while time.monotonic() < until:
                    time.sleep(0.05)
                    most = max(most, house.connections())
            time.sleep(1.5)
        after, last = at_last(house, nodes_of(writer.good[0]))
        log = house.log_lines()
    progress.done()
    seen = {answer["nodes"] for _, answer in load.answers}
    generations = [
        int(number) for line in log for number in re.findall(r"\(generation (\d+)\)", line)
    ]
    warnings = [line for line in log if "the configuration read before stays in use" in line]
    print(
        bold(
            f"\n{writer.count:,} changes in {seconds} s, {writer.garbage_count:,} of them garbage, "
            f"{WORKERS} workers, {CALLERS} callers\n"
        )
    )
    show(
        ("pages", "calls", "topologies seen", "switches", "refused", "longest call"),
        [
            (
                f"{len(load.answers):,}",
                f"{load.sum('calls'):,}",
                len(seen),
                len(generations),
                len(warnings),
                f"{max(answer['longest'] for _, answer in load.answers) / 1e6:.1f} ms",
            )
        ],
        left=0,
    )
    return [
        Figure("topologies never written", len(seen - known), 0, is_hard=True),
        Figure("wrong replies", load.sum("wrong") + after.sum("wrong"), 0, is_hard=True),
        Figure("exceptions", (load.errors() + after.errors()).total(), 0, is_hard=True),
        Figure("connections of a node, peak", most, POOL_SIZE, is_hard=True),
        Figure("switches", max(generations, default=1) - 1, seconds + 3, is_hard=True),
        Figure("switches, at least", len(generations), 1, is_least=True),
        Figure(
            "versions in use afterwards, but for the last good one",
            len(last ^ {nodes_of(writer.good[0])}),
            0,
            is_hard=True,
        ),
    ]


def nodes_of(text):
    """The nodes of a configuration and their weights, as checked.php reports them."""
    servers = re.findall(r":(\d+) (node\d)", text)
    return " ".join(sorted(f"{name}:{weight}" for weight, name in servers))
