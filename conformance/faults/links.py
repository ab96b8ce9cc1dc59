"""A symbolic link on the path of the configuration is swapped again and again.

Do workers and a JVM follow it together? The link is swapped as Kubernetes swaps a ConfigMap, with
`ln -s` and `mv -T`. Meanwhile workers and the JVM are asked all the time which node has a key. The
delay of an answer is the time from the moment its version was replaced to the moment of the
question. It bounds how long PHP, Java and any two workers can differ.
"""

import os
import random
import subprocess
import threading
import time

from built import JAVA, ROOT
from figures import Figure
from house import Callers, House
from lab import LabError, Process
from table import bold, show

WORKERS = 6
CALLERS = 6
DIFFER_S_MAX = 2
FOLLOWED_S_MAX = 30  # On a busy machine.
QUICK_S = 0.2, 0.9  # Between two swaps: faster than clients check,
CALM_S = 2.2, 3.2  # or so slow that all have followed.
CALM_EVERY = 3  # Odd, so that each calm link leads to another node than the calm link before.


class Links:
    """`path` leads over a link to a file with node0 or to one with node1."""

    def __init__(self, house):
        self.directory = house.directory.name
        self.path = os.path.join(self.directory, "linked.yml")
        for number in range(2):
            house.probes[number].command("SET", "where", f"node{number}")
            version = os.path.join(self.directory, f"version{number}")
            os.mkdir(version)
            house.write(house.configuration([number]), os.path.join(version, "linked.yml"))
        self.swaps = []  # (when it began, when it ended, the node from then on)
        self.lead_to(0)
        os.symlink("data/linked.yml", self.path)

    def lead_to(self, number):
        began = time.monotonic()
        command = f"ln -s version{number} beside && mv -T beside data"
        subprocess.run(["sh", "-c", command], cwd=self.directory, check=True)
        self.swaps.append((began, time.monotonic(), f"node{number}"))

    def delay(self, asked, answered, where):
        """How long before the question the answer's version was replaced, in seconds, or 0."""
        known = [
            number
            for number, (began, _, node) in enumerate(self.swaps)
            if node == where and began <= answered
        ]
        if not known:
            raise LabError(f"{where!r} was the answer before it was ever written")
        replaced = self.swaps[known[-1] + 1 : known[-1] + 2]
        return max(0, asked - replaced[0][1]) if replaced else 0


class Jvm(threading.Thread):
    """A client in a JVM, asked all the time. `answers`: (asked, answered, node)."""

    def __init__(self, house, path):
        super().__init__()
        program = os.path.join(ROOT, "conformance/faults/Follow.java")
        self.process = Process(
            [*JAVA, program, path],
            name="follow",
            namespace=house.namespace,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.answers, self.is_over = [], False
        self.ask()  # The first answer takes longer, as the JVM has to start.

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


def followed(links, load, jvm):
    """Waits until both languages answer by the last version. Returns how many do."""
    deadline = time.monotonic() + FOLLOWED_S_MAX
    while True:
        answers = [*(answer["where"] for _, answer in load.answers[-1:]), jvm.answers[-1][2]]
        count = answers.count(links.swaps[-1][2])
        if count == 2 or time.monotonic() > deadline:
            return count
        time.sleep(0.02)


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
                is_calm = number % CALM_EVERY == 0
                time.sleep(random.uniform(*(CALM_S if is_calm else QUICK_S)))
                if is_calm:
                    followed(links, load, jvm)
                progress.share("swaps", number, count)
            at_the_end = followed(links, load, jvm)
        pools = house.page("follow.php", path=links.path)["pools"]
        changes = [line for line in house.log_lines() if "linked.yml changed: " in line]
    progress.done()
    return [
        *judge(links, load, jvm, count, is_short),
        Figure("languages at the last version", at_the_end, 2, is_hard=True, is_least=True),
        Figure("server pools of that path in the status", pools, 1, is_hard=True),
        Figure(
            "changes in the log", len(changes), count // CALM_EVERY, is_hard=True, is_least=True
        ),
    ]


def judge(links, load, jvm, count, is_short):
    php = [
        links.delay(answer["asked"] / 1e9, load.began + answered, answer["where"])
        for answered, answer in load.answers
    ]
    java = [links.delay(*answer) for answer in jvm.answers]
    print(bold(f"\n{count} swaps, {WORKERS} workers, {CALLERS} callers, a JVM\n"))
    show(
        ("client", "answers", "of a replaced version", "longest delay"),
        [
            (client, f"{len(late):,}", f"{sum(map(bool, late)):,}", f"{max(late) * 1e3:.0f} ms")
            for client, late in (("PHP", php), ("Java", java))
        ],
    )
    workers = {answer["pid"] for _, answer in load.answers}
    return [
        Figure("workers that answered", len(workers), WORKERS, is_least=True),
        *(
            Figure(f"longest delay of {client}", max(late), DIFFER_S_MAX, not is_short, unit=" s")
            for client, late in (("PHP", php), ("Java", java))
        ),
    ]
