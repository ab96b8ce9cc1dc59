"""A node sends surplus replies, 0 to 20 ms late; no call may take one that came before it began.

A surplus reply that arrives between a command and its reply is a race that no client can win. Those
are counted separately.
"""

import concurrent.futures
import json
import os
import struct
import subprocess
import sys
import tempfile

from built import EXTENSION, JAVA
from figures import Figure
from lab import LabError
from lab.fpm import Fpm
from lab.ports import free_port
from lab.process import Process, program
from table import bold, show

CALLERS = 4
CALLS_OF_A_PAGE = 20
HERE = os.path.dirname(os.path.abspath(__file__))


class Ledger:
    """When the node sent which reply."""

    def __init__(self, path):
        self.path = path

    def had_arrived(self, began_ns, value):
        """Whether this answer of a call had arrived before the call began."""
        with open(self.path, "rb") as file:
            file.seek(16 * int(value.rsplit(" ", 1)[1]))
            return struct.unpack("<qq", file.read(16))[0] < began_ns

    def count_surplus(self):
        with open(self.path, "rb") as file:
            return sum(kind for _, kind in struct.iter_unpack("<qq", file.read()))


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
    with tempfile.TemporaryDirectory(prefix="onehop-surplus-") as directory:
        ledger, port = Ledger(os.path.join(directory, "ledger")), free_port()
        python = [sys.executable, os.path.join(HERE, "surplus_node.py")]
        node = Process([*python, ledger.path, "--port", port], name="surplus node")
        try:
            node.wait_until(lambda: os.path.exists(ledger.path), what="listen")
            config = os.path.join(directory, "onehop.yml")
            with open(config, "w") as file:
                file.write(
                    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n"
                    f"  servers:\n    - 127.0.0.1:{port}:1 odd\n"
                )
            answers = ask(config, calls)
        finally:
            node.stop()
        total = {
            "calls": sum(one["calls"] for one in answers),
            "errors": sum(one["errors"] for one in answers),
            "wrong": [wrong for one in answers for wrong in one["wrong"]],
        }
        broken = sum(ledger.had_arrived(*wrong) for wrong in total["wrong"])
        return total, ledger.count_surplus(), broken


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
