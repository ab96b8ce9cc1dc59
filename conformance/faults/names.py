"""A DNS server that is slow or does not know a name: how long do calls take, do other keys suffer?

A busy machine may stop a node or a worker for longer than the timeout, which is short here. So a
thread pings the other nodes meanwhile. Failures of these nodes count if the nodes answered the
thread in time, and only if this happens in three measurements.

The clients run in a namespace with their own DNS server (conformance/lab/dns.py). There this file
runs a second time, as `names.py SECONDS FILE`, and writes its results to FILE.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

if __name__ == "__main__":
    sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from built import EXTENSION, ROOT
from figures import Figure
from lab.fpm import Fpm
from lab.process import Running, program
from lab.redis import RedisNode
from table import bold, show

TIMEOUT_MS, LONGEST_MS, WORKERS, TRIES, FAILED = 200, 225.0, 3, 10, 3
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {
    "at-once": {"a": ["127.0.0.1"], "ttl": 1},
    "after-1-s": {"a": ["127.0.0.1"], "ttl": 1, "delay": 1},
    "after-5-s": {"a": ["127.0.0.1"], "ttl": 1, "delay": 5},
    "never": {"drop": True},
}


def run(progress, is_short):
    progress.step("names: php and php-fpm with five kinds of names")
    with tempfile.TemporaryDirectory(prefix="onehop-names-") as directory:
        zone, found = os.path.join(directory, "zone"), os.path.join(directory, "found")
        with open(zone, "w") as file:
            json.dump({f"{name}.test": entry for name, entry in NAMES.items()}, file)
        inner = [os.path.join(HERE, "names.py"), "1" if is_short else "8", found]
        server = [os.path.join(ROOT, "conformance/lab/dns.py"), zone]
        python = sys.executable
        subprocess.run(
            ["unshare", "-m", "-n", "--", python, *server, "--", python, *inner], check=True
        )
        with open(found) as file:
            rows = json.load(file)
    progress.done()
    print(bold(f"\nOne node of three has a name, timeout: {TIMEOUT_MS}\n"))
    show(
        ("client", "DNS answered", "calls", "longest", "failed: by name", "failed: others"),
        [
            (
                row["client"],
                row["name"],
                f"{row['calls']:,}",
                f"{row['longest']:.1f} ms",
                row["named"],
                row["others"],
            )
            for row in rows
        ],
    )
    return [
        figure
        for row in rows
        for figure in (
            Figure(
                f"{row['client']}, {row['name']}: longest call",
                row["longest"],
                LONGEST_MS,
                unit=" ms",
            ),
            Figure(
                f"{row['client']}, {row['name']}: failures of other nodes",
                row["others"],
                0,
                is_hard=True,
            ),
            Figure(
                f"{row['client']}, {row['name']}: may have been sent", row["sent"], 0, is_hard=True
            ),
        )
    ]


def ask_all(seconds):
    rows, nodes = [], [RedisNode() for _ in range(3)]
    try:
        for name in (*NAMES, "no-such-name"):
            for client, ask in (("command line", ask_script), ("php-fpm", ask_pages)):
                with tempfile.NamedTemporaryFile("w", suffix=".yml") as config:
                    config.write(config_text(name, nodes))
                    config.flush()
                    row = {"client": client, "name": name.replace("-", " ")}
                    rows.append({**row, **undisturbed(nodes[:2], ask, config.name, seconds)})
    finally:
        for node in nodes:
            node.stop()
    return rows


def undisturbed(others, ask, config, seconds):
    """What `ask` returns, unless the other nodes have failed because the machine was busy."""
    failed = 0
    for _ in range(TRIES):
        with Pings(others) as pings:
            row = ask(config, seconds)
        failed += row["others"] > 0 and pings.longest_s < TIMEOUT_MS / 1000 / 2
        if row["others"] == 0 or failed == FAILED:
            break
    return row


class Pings(Running):
    """A thread that pings nodes in turn, and notes the longest time that an answer took."""

    def __init__(self, nodes):
        self.longest_s, self._ends = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._ping, args=(nodes,))
        self._thread.start()

    def _ping(self, nodes):
        connections = [node.connect() for node in nodes]
        while not self._ends.wait(0.005):
            for connection in connections:
                begin = time.monotonic()
                connection.command("PING")
                self.longest_s = max(self.longest_s, time.monotonic() - begin)
        for connection in connections:
            connection.close()

    def stop(self):
        self._ends.set()
        self._thread.join()


def config_text(name, nodes):
    return (
        f"alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: {TIMEOUT_MS}\n  servers:\n"
        f"   - {name}.test:{nodes[2].port}:1 named\n"
        f"   - 127.0.0.1:{nodes[0].port}:1 node-0\n"
        f"   - 127.0.0.1:{nodes[1].port}:1 node-1\n"
    )


def ask_script(config, seconds):
    script = [os.path.join(HERE, "names.php"), config, str(seconds)]
    command = [program("php"), "-d", f"extension={EXTENSION}", *script]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def ask_pages(config, seconds):
    from concurrent.futures import ThreadPoolExecutor

    with (
        Fpm(workers=WORKERS, settings={"extension": EXTENSION}) as fpm,
        ThreadPoolExecutor(WORKERS) as callers,
    ):
        query = f"config={config}&seconds={seconds}"
        pages = [
            callers.submit(
                fpm.request, os.path.join(HERE, "names.php"), query=query, seconds=seconds + 10
            )
            for _ in range(WORKERS)
        ]
        answers = [json.loads(page.result()[1]) for page in pages]
    total = {what: sum(answer[what] for answer in answers) for what in answers[0]}
    return {**total, "longest": max(answer["longest"] for answer in answers)}


if __name__ == "__main__":
    found = ask_all(float(sys.argv[1]))
    with open(sys.argv[2], "w") as output:
        json.dump(found, output)
