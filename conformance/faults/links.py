"""A link on the way to the configuration is exchanged, again and again: do workers and a JVM follow it together?

As Kubernetes does it with a ConfigMap, by programs of their own: `ln -s` and `mv -T`. Meanwhile workers and the JVM are
asked all the time which node a key lies on. An answer is late by the time between the moment when what it says was
replaced and the moment when it was asked for: so long at most PHP, Java and any two workers differ.
"""

import os
import random
import subprocess
import threading
import time

from built import JAR, ROOT
from figures import Figure
from house import Callers, House
from lab import LabError, Process
from table import bold, show

WORKERS = 6
CALLERS = 6
DIFFER_S_MAX = 2
QUICK_S = 0.2, 0.9  # Between two swaps: faster than anybody looks,
CALM_S = 2.2, 3.2  # or so slowly that everybody must have followed.
CALM_EVERY = 3  # An odd number: each calm link leads elsewhere than the one before, so all of them are changes.


class Links:
    """`path` leads over a link to a file of node0 or of node1."""

    def __init__(self, house):
        self.directory = house.directory.name
        self.path = os.path.join(self.directory, "linked.yml")
        for number in range(2):
            house.probes[number].command("SET", "where", f"node{number}")
            version = os.path.join(self.directory, f"version{number}")
            os.mkdir(version)
            house.write(house.configuration([number]), os.path.join(version, "linked.yml"))
        self.swaps = []  # (when it began, when it was done, the node from then on)
        self.lead_to(0)
        os.symlink("data/linked.yml", self.path)

    def lead_to(self, number):
        began = time.monotonic()
        command = f"ln -s version{number} beside && mv -T beside data"
        subprocess.run(["sh", "-c", command], cwd=self.directory, check=True)
        self.swaps.append((began, time.monotonic(), f"node{number}"))

    def late(self, asked, answered, where):
        """By how many seconds an answer was late, in view of when it was asked for and was there."""
        known = [
            number
            for number, (began, _, node) in enumerate(self.swaps)
            if node == where and began <= answered
        ]
        if not known:
            raise LabError(f"nobody had written {where!r} when it was answered")
        replaced = self.swaps[known[-1] + 1 : known[-1] + 2]
        return max(0, asked - replaced[0][1]) if replaced else 0


class Jvm(threading.Thread):
    """A client in a JVM, asked all the time: when, when it had answered, and what."""

    def __init__(self, house, path):
        super().__init__()
        program = os.path.join(ROOT, "conformance/faults/Follow.java")
        self.process = Process(
            ["java", "-cp", JAR, program, path],
            name="follow",
            namespace=house.namespace,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.answers, self.is_over = [], False
        self.ask()  # It needs its time to begin.

    def ask(self):
        began = time.monotonic()
        self.process.child.stdin.write(b"\n")
        self.process.child.stdin.flush()
        where = self.process.child.stdout.readline().decode().strip()
        if not where:
            raise LabError("the JVM ended\n" + self.process.log_tail())
        return began, time.monotonic(), where

    def run(self):
        while not self.is_over:
            self.answers.append(self.ask())
            time.sleep(0.01)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.join()
        self.process.stop()


def run(progress, is_short):
    count = 12 if is_short else 500
    progress.step("links: starting servers")
    with House(workers=WORKERS) as house:
        links = Links(house)
        with (
            Jvm(house, links.path) as jvm,
            Callers(house, "follow.php", CALLERS, path=links.path, pause=10000) as load,
        ):
            time.sleep(1)
            for number in range(1, count + 1):
                links.lead_to(number % 2)
                time.sleep(random.uniform(*(CALM_S if number % CALM_EVERY == 0 else QUICK_S)))
                progress.share("swaps", number, count)
            time.sleep(DIFFER_S_MAX)
        pools = house.page("follow.php", path=links.path)["pools"]
        told = [line for line in house.log_lines() if "linked.yml changed: " in line]
    progress.done()
    return [
        *judge(links, load, jvm, count),
        Figure("server pools of that path in the status", pools, 1, is_hard=True),
        Figure(
            "changes that the log tells",
            len(told),
            count // CALM_EVERY,
            is_hard=True,
            is_least=True,
        ),
    ]


def judge(links, load, jvm, count):
    php = [
        links.late(answer["asked"] / 1e9, load.began + answered, answer["where"])
        for answered, answer in load.answers
    ]
    java = [links.late(*answer) for answer in jvm.answers]
    print(bold(f"\n{count} swaps, {WORKERS} workers, {CALLERS} callers, a JVM\n"))
    show(
        ("who", "answers", "of what had been replaced", "latest of them"),
        [
            (who, f"{len(late):,}", f"{sum(map(bool, late)):,}", f"{max(late) * 1e3:.0f} ms")
            for who, late in (("PHP", php), ("Java", java))
        ],
    )
    workers = {answer["pid"] for _, answer in load.answers}
    return [
        Figure("workers that answered", len(workers), WORKERS, is_least=True),
        Figure("PHP behind the file, at most", max(php), DIFFER_S_MAX, is_hard=True, unit=" s"),
        Figure("Java behind the file, at most", max(java), DIFFER_S_MAX, is_hard=True, unit=" s"),
    ]
