"""Long-lived programs that run batches on request, so that contestants can take turns.

A worker's only argument is the path of its *plan*, a text of lines of words:

    batch SIZE                            how many HGETs one batch has
    contestant NAME KIND WORD ...         what it can run; it ignores kinds that it does not know
    key NAME NODE                         a key, and the index of its node

It prints `ready` and then answers each line `run NAME UNTIMED TIMED` on stdin with one line: the
nanoseconds of each timed batch, from the first command appended to the last value received. A batch
reads the field `name` of the next SIZE keys of the plan; the first key follows the last. After each
batch, with the clock stopped, every value is compared with "name of <key>". A wrong one ends the
worker with a message, and the run with it.

    kind        words             languages   what it does
    onehop      CONFIG POOL       PHP, Java   one pipeline through OneHop
    pipeline    HOST PORT         PHP, Java   one pipeline on one connection, to a node or a proxy
    sequential  HOST PORT ...     PHP         one pipeline per node, one node after the other,
                                              keys grouped beforehand
    cluster     HOST PORT ...     Java        RedisClusterClient.pipelined()
    scatter     HOST PORT ...     C           bench/limit
"""

import os
import subprocess
import threading

from tree import ROOT

from built import EXTENSION, JAR
from lab import LabError, Process
from stage import BATCH, KEYS

LIMIT = os.path.join(ROOT, "bench/limit/limit")
ANSWER_SECONDS_MAX = 120

COMMANDS = {
    "C": [LIMIT],
    "PHP": ["php", "-d", f"extension={EXTENSION}", os.path.join(ROOT, "bench/php/worker.php")],
    "Java": ["java", "-cp", JAR, os.path.join(ROOT, "bench/java/Worker.java")],
}


def plan(contestants, owners):
    """The plan's text. `contestants` is {name: (kind, word, ...)}, `owners` {key: node index}."""
    lines = [f"batch {BATCH}"]
    lines += [
        " ".join(map(str, ("contestant", name, *words))) for name, words in contestants.items()
    ]
    lines += [f"key {key} {owners[key]}" for key in KEYS]
    return "\n".join(lines) + "\n"


class Worker:
    """One such program. `run` returns the times of its batches, or raises LabError."""

    def __init__(self, language, contestants, owners, *, namespace=None):
        self.language = language
        self.process = Process(
            [*COMMANDS[language], "plan"],
            name=f"{language}-worker",
            namespace=namespace,
            files={"plan": plan(contestants, owners)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._is_ready = False

    def wait_ready(self):
        """Workers start in parallel; the first request waits until its worker is ready."""
        if not self._is_ready and self._read_line() != "ready":
            raise LabError(
                f"the {self.language} worker did not say ready\n{self.process.log_tail()}"
            )
        self._is_ready = True

    def run(self, contestant, *, timed, untimed=0):
        self.wait_ready()
        try:
            self.process.child.stdin.write(f"run {contestant} {untimed} {timed}\n".encode())
            self.process.child.stdin.flush()
        except BrokenPipeError:
            pass  # The worker has ended; the read below reports why.
        return [int(word) for word in self._read_line().split()]

    def stop(self):
        self.process.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _read_line(self):
        """Kills a worker that hangs, which ends the read."""
        watchdog = threading.Timer(ANSWER_SECONDS_MAX, self.process.kill)
        watchdog.start()
        try:
            line = self.process.child.stdout.readline().decode()
        finally:
            watchdog.cancel()
        if not line.endswith("\n"):
            self.process.child.wait()
            raise LabError(
                f"the {self.language} worker ended with {self.process.child.returncode}\n"
                + self.process.log_tail()
            )
        return line.rstrip("\n")
