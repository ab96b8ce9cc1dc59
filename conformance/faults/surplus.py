"""A node that sends replies nobody asked for, 0 to 20 ms late: none that has arrived before a call begins is its answer.

One that arrives between a command and its reply is a race that no client can win: those are counted, too.
"""

import concurrent.futures
import json
import os
import struct
import subprocess
import sys
import tempfile

from built import EXTENSION, JAR
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
    """When the node had sent which reply."""

    def __init__(self, path):
        self.path = path

    def had_arrived(self, began_ns, value):
        """Whether what a call was answered with was there before the call began."""
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
        found.append((label, *look_at(ask, calls)))
    progress.done()
    print(
        bold(f"\nOne reply in five is followed by one that nobody asked for; {CALLERS} callers\n")
    )
    show(
        (
            "client",
            "calls answered",
            "failed",
            "replies too many",
            "met in flight",
            "had arrived before",
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
            Figure(f"{label}: replies too many", surplus, calls // 20, is_least=True),
            Figure(
                f"{label}: wrong replies that had arrived before the call", broken, 0, is_hard=True
            ),
        )
    ]


def look_at(ask, calls):
    with tempfile.TemporaryDirectory(prefix="onehop-surplus-") as directory:
        ledger, port = Ledger(os.path.join(directory, "ledger")), free_port()
        node = Process(
            [
                sys.executable,
                os.path.join(HERE, "surplus_node.py"),
                ledger.path,
                "--port",
                str(port),
            ],
            name="surplus node",
        )
        try:
            node.wait_until(lambda: os.path.exists(ledger.path), what="listen")
            config = os.path.join(directory, "onehop.yml")
            with open(config, "w") as file:
                file.write(
                    f"alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n  servers:\n    - 127.0.0.1:{port}:1 odd\n"
                )
            answers = ask(config, calls)
        finally:
            node.stop()
        total = {
            "calls": sum(one["calls"] for one in answers),
            "errors": sum(one["errors"] for one in answers),
            "wrong": [wrong for one in answers for wrong in one["wrong"]],
        }
        return (
            total,
            ledger.count_surplus(),
            sum(ledger.had_arrived(*wrong) for wrong in total["wrong"]),
        )


def ask_scripts(config, calls):
    command = [
        program("php"),
        "-d",
        f"extension={EXTENSION}",
        os.path.join(HERE, "surplus.php"),
        config,
        str(calls // CALLERS),
    ]
    scripts = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(CALLERS)]
    return [json.loads(script.communicate()[0]) for script in scripts]


def ask_jvm(config, calls):
    source = os.path.join(HERE, "Surplus.java")
    command = ["java", "-cp", JAR, source, config, str(calls), str(CALLERS)]
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
