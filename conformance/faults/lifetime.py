"""A PHP worker and a JVM live through a hundred changed configurations.

Each has ten clients, of ten files. In each round all files change together, because a file is
looked at once a second: so ten changes take one second. A client must follow its file within two
seconds, write where the file says from then on, and leave neither memory nor descriptors behind.
"""

import json
import os
import subprocess
import tempfile
import time

from built import JAVA, PHP
from figures import Figure
from lab import LabError, Process, RedisNode
from table import bold, show

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = 10
NODES = 4
FOLLOWED_S_MAX = 2.0
WAITED_S_MAX = 30
# After these rounds every node was used, and everything that is made only once exists.
SETTLED_ROUNDS = 3
MEMORY_MAX = {"PHP": 1_000_000, "Java": 4_000_000}


class Worker:
    """A process with a client of each file, asked line by line."""

    def __init__(self, command, paths):
        self.process = Process(
            [*command, *paths], name="lifetime", stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.followed_s, self.misplaced, self.states = [], 0, []

    def ask(self):
        self.process.child.stdin.write(b"\n")
        self.process.child.stdin.flush()
        answer = self.process.child.stdout.readline()
        if not answer:
            raise LabError("the worker ended\n" + self.process.log_tail())
        return json.loads(answer)

    def follow(self, wanted, since):
        """Asks until each client uses the wanted node."""
        while (answer := self.ask())["where"] != wanted:
            if time.monotonic() - since > WAITED_S_MAX:
                raise LabError(f"a client has not followed: {answer['where']}, not {wanted}")
            time.sleep(0.02)
        self.followed_s.append(time.monotonic() - since)

    def check(self, wanted, probes):
        """Writes with each client, and finds what it has written on the node of its file."""
        answer = self.ask()
        for file, (node, value) in enumerate(zip(wanted, answer["written"])):
            found = probes[int(node[-1])].command("GET", f"written:{file}")
            self.misplaced += found != value.encode()
        self.states.append(answer)

    def growth(self, what):
        """By how much the least of the last rounds exceeds the most of the first ones."""
        values = [state[what] for state in self.states]
        return max(0, min(values[-SETTLED_ROUNDS:]) - max(values[:SETTLED_ROUNDS]))


def write(path, node):
    with open(path + ".new", "w") as file:
        file.write(f"alpha:\n  engine: redis\n  servers:\n    - {node.server_line(name='one')}\n")
    os.rename(path + ".new", path)


def run(progress, is_short):
    rounds = 3 if is_short else 100
    progress.step("lifetime: starting servers")
    with tempfile.TemporaryDirectory(prefix="onehop-lifetime-") as directory:
        nodes, workers = [RedisNode() for _ in range(NODES)], {}
        try:
            probes = [node.connect() for node in nodes]
            for number, probe in enumerate(probes):
                probe.command("SET", "where", f"node{number}")
            paths = [os.path.join(directory, f"file{file}.yml") for file in range(FILES)]
            for round_number in range(rounds + 1 + SETTLED_ROUNDS):
                wanted = [(file + round_number) % NODES for file in range(FILES)]
                since = time.monotonic()
                for path, node in zip(paths, wanted):
                    write(path, nodes[node])
                if not workers:
                    workers = {
                        "PHP": Worker([*PHP, os.path.join(HERE, "lifetime.php")], paths),
                        "Java": Worker([*JAVA, os.path.join(HERE, "Lifetime.java")], paths),
                    }
                    for worker in workers.values():
                        worker.ask()
                    continue
                names = [f"node{node}" for node in wanted]
                for worker in workers.values():
                    worker.follow(names, since)
                for worker in workers.values():
                    worker.check(names, probes)
                progress.share("changes", round_number, rounds + SETTLED_ROUNDS)
        finally:
            for process in (*(worker.process for worker in workers.values()), *nodes):
                process.stop()
    progress.done()
    return judge(workers, FILES * (rounds + SETTLED_ROUNDS))


def judge(workers, changes):
    print(bold(f"\n{changes} changed configurations, {FILES} clients of each worker\n"))
    show(
        ("worker", "followed after, longest", "memory", "descriptors"),
        [
            (
                name,
                f"{max(worker.followed_s):.2f} s",
                f"{worker.states[-1]['memory']:,}",
                worker.states[-1]["descriptors"],
            )
            for name, worker in workers.items()
        ],
    )
    return [
        figure
        for name, worker in workers.items()
        for figure in (
            Figure(f"{name}: slowest to follow", max(worker.followed_s), FOLLOWED_S_MAX, unit=" s"),
            Figure(f"{name}: values on another node", worker.misplaced, 0, is_hard=True),
            Figure(f"{name}: descriptors more", worker.growth("descriptors"), FILES, is_hard=True),
            Figure(f"{name}: bytes more", worker.growth("memory"), MEMORY_MAX[name], is_hard=True),
        )
    ]
