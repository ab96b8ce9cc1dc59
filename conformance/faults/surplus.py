"""A node sends surplus replies, 0 to 20 ms late; no call may take one that came before it began.

A surplus reply that arrives between a command and its reply is a race that no client can win. Those
are counted separately.
"""

import concurrent.futures
import contextlib
import json
import os
import random
import subprocess
import tempfile
import threading
import time

from built import EXTENSION, JAVA
from figures import Figure
from lab import LabError
from lab.fpm import Fpm
from lab.node import ScriptedNode, bulk
from lab.process import program
from table import bold, show

CALLERS = 4
SHARE, LATE_S = 0.2, 0.02  # One reply in five is followed by a surplus one within LATE_S.
CALLS_OF_A_PAGE = 20
HERE = os.path.dirname(os.path.abspath(__file__))


class SurplusNode:
    """Answers each command with its key, and sometimes sends one more reply soon afterwards.

    Replies have numbers. On the loopback device a reply has arrived once the kernel has taken it;
    that moment is written down (hrtime(true) in PHP, System.nanoTime() in Java). If a client's call
    began after that moment, that client should have noticed the reply.
    """

    def __init__(self):
        self.sent, self.lock = [], threading.Lock()  # (when it arrived, whether it was surplus)

    def serve(self, talk):
        for words in talk.commands():
            self.send(talk, words[-1])
            if random.random() < SHARE:
                late_s = random.random() * LATE_S
                threading.Timer(late_s, self.send, (talk, "surplus")).start()

    def send(self, talk, text):
        with self.lock, contextlib.suppress(OSError):  # The client is gone.
            talk.give(bulk(f"{text} {len(self.sent)}"))
            self.sent.append((time.monotonic_ns(), text == "surplus"))

    def had_arrived(self, began_ns, value):
        """Whether this answer of a call had arrived before the call began."""
        return self.sent[int(value.rsplit(" ", 1)[1])][0] < began_ns


def run(progress, is_short):
    calls = 4000 if is_short else 100000
    found = []
    for label, ask in (("command line", ask_scripts), ("php-fpm", ask_pages), ("Java", ask_jvm)):
        progress.step(f"surplus: {label}")
        found.append((label, *measure(ask, calls)))
    progress.done()
    print(bold(f"\nOne reply in five is followed by a surplus one; {CALLERS} callers\n"))
    show(
        (
            "client",
            "calls answered",
            "failed",
            "surplus replies",
            "taken in flight",
            "arrived before the call",
        ),
        [
            (
                label,
                f"{answer['calls']:,}",
                f"{answer['errors']:,}",
                f"{surplus:,}",
                len(answer["wrong"]) - broken,
                broken,
            )
            for label, answer, surplus, broken in found
        ],
    )
    return [
        figure
        for label, answer, surplus, broken in found
        for figure in (
            Figure(f"{label}: calls answered", answer["calls"], calls, is_hard=True, is_least=True),
            Figure(f"{label}: surplus replies", surplus, calls // 20, is_least=True),
            Figure(f"{label}: surplus replies taken by a later call", broken, 0, is_hard=True),
        )
    ]


def measure(ask, calls):
    answering = SurplusNode()
    with (
        tempfile.TemporaryDirectory(prefix="onehop-surplus-") as directory,
        ScriptedNode(answering.serve) as node,
    ):
        config = os.path.join(directory, "onehop.yml")
        with open(config, "w") as file:
            file.write(
                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 30000\n"
                f"  servers:\n    - 127.0.0.1:{node.port}:1 odd\n"
            )
        answers = ask(config, calls)
    total = {
        "calls": sum(one["calls"] for one in answers),
        "errors": sum(one["errors"] for one in answers),
        "wrong": [wrong for one in answers for wrong in one["wrong"]],
    }
    broken = sum(answering.had_arrived(*wrong) for wrong in total["wrong"])
    return total, sum(is_surplus for _, is_surplus in answering.sent), broken


def ask_scripts(config, calls):
    script = [os.path.join(HERE, "surplus.php"), config, str(calls // CALLERS)]
    command = [program("php"), "-d", f"extension={EXTENSION}", *script]
    scripts = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(CALLERS)]
    return [json.loads(script.communicate()[0]) for script in scripts]


def ask_jvm(config, calls):
    source = os.path.join(HERE, "Surplus.java")
    command = [*JAVA, source, config, str(calls), str(CALLERS)]
    jvm = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in jvm.stdout.splitlines()]


def ask_pages(config, calls):
    def ask(_):
        status, body = fpm.request(
            os.path.join(HERE, "surplus.php"),
            query=f"config={config}&calls={CALLS_OF_A_PAGE}",
            seconds=60,
        )
        if status != 200:
            raise LabError(f"surplus.php ended with {status}: {body[:300]!r}")
        return json.loads(body)

    with (
        Fpm(workers=CALLERS, settings={"extension": EXTENSION}) as fpm,
        concurrent.futures.ThreadPoolExecutor(CALLERS) as pool,
    ):
        return list(pool.map(ask, range(calls // CALLS_OF_A_PAGE)))
