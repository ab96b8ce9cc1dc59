"""Which pool_size a load needs: how many calls wait at several sizes, next to the formula.

Little's law: on average `arrival rate x time in use` connections are in use. With fewer, callers
queue up without end; with just as many, nearly all wait. If there are more connections, Erlang's C
says which share of the calls waits. Here calls arrive by chance: pages of one php-fpm that make one
GET each, and GETs of one Java client. The node is at the end of a wire with a delay, so the time in
use is known and needs no processor.
"""

import json
import os
import random
import subprocess
import tempfile
import time

from built import EXTENSION, JAR
from lab import LabError, RedisNode
from lab.fpm import Fpm
from lab.network import Namespace, Wire
from lab.process import Process
from real import PAGE, Arrivals
from statistic import median, percentile
from table import Progress, bold, show

RATE, DELAY_S, WORKERS = 200, 0.01, 64  # Pages a second; the wire's delay each way.
SIZES = (4, 5, 6, 8, 10, 16)
TIMEOUT_MS = 2000


def erlang_c(servers, load):
    """The share of callers that wait, if on average `load` of the servers are busy."""
    if servers <= load:
        return 1.0
    blocked = 1.0  # Erlang's B for 0 servers; each round adds one.
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def run(is_short):
    sizes, turns, seconds = ((6,), 1, 1) if is_short else (SIZES, 5, 3)
    progress = Progress()
    with (
        Namespace() as near,
        Wire(near, delay_s=DELAY_S) as wire,
        RedisNode(namespace=wire.far[0], host=wire.far[0].host) as node,
        tempfile.TemporaryDirectory(prefix="onehop-pool-") as directory,
    ):
        node.command("SET", "key", "value of key")
        path = os.path.join(directory, "onehop.yml")
        with open(path, "w") as file:
            file.write("".join(pool(size, node) for size in sizes))
        found = {}
        with PhpCallers(near, path) as php, JavaCallers(near, path) as java:
            for turn in range(turns):
                for size in random.sample(sizes, len(sizes)):
                    for callers in (php, java):
                        progress.step(f"pool: turn {turn + 1} of {turns}, pool_size {size}")
                        turns_of = found.setdefault((callers.language, size), [])
                        turns_of.append(callers.run(size, seconds))
    progress.done()
    report(found)


def report(found):
    """Each figure is the median of the turns. A busy machine only adds waits, so the smallest
    value is shown, too."""
    in_use_s = min(turn["in use"] for turns in found.values() for turn in turns)
    print(
        bold(
            f"\n{RATE} calls a second, each uses its connection for {in_use_s * 1e3:.1f} ms: "
            f"{RATE * in_use_s:.1f} connections on average\n"
        )
    )
    rows = []
    for (language, size), turns in sorted(found.items(), reverse=True):
        waited, p50, p99, rate = (
            median([turn[name] for turn in turns]) for name in ("waited", "p50", "p99", "rate")
        )
        rows.append(
            (
                f"{language}, {size}",
                f"{sum(turn['calls'] for turn in turns):,}",
                f"{waited:.1%}",
                f"{min(turn['waited'] for turn in turns):.1%}",
                f"{erlang_c(size, rate * in_use_s):.1%}",
                f"{p50 * 1e3:.0f} ms",
                f"{p99 * 1e3:.0f} ms",
                sum(turn["failed"] for turn in turns),
            )
        )
    head = ("calls that waited", "least turn", "Erlang's C", "call p50", "p99", "failed")
    show(("pool_size", "calls", *head), rows)


def pool(size, node):
    return (
        f"p{size}:\n  engine: redis\n  timeout: {TIMEOUT_MS}\n  pool_size: {size}\n"
        f"  servers:\n    - {node.server_line(name='node')}\n"
    )


class PhpCallers(Fpm):
    language = "PHP"

    def __init__(self, near, path):
        settings = {"extension": EXTENSION, "onehop.config": path}
        super().__init__(workers=WORKERS, namespace=near, settings=settings)

    def run(self, size, seconds):
        asked = {"pool": f"p{size}", "key": "key", "calls": 1, "page_us": 0}
        with Arrivals([self], RATE, **asked):
            time.sleep(1)  # Connections are opened.
        before = self._counters(size)
        with Arrivals([self], RATE, **asked) as pages:
            time.sleep(seconds)
        calls, waits = (now - then for now, then in zip(self._counters(size), before))
        done = [call for _, page in pages.answers for call in page["calls"]]
        times = [(ended - begun) / 1e9 for begun, ended, is_answered in done if is_answered]
        middle = (percentile(times, 25), median(times), percentile(times, 99))
        return turn_of(calls, waits, len(done) - len(times), middle, seconds)

    def _counters(self, size):
        return json.loads(self.request(PAGE, query="status=1")[1])[f"p{size}"]


class JavaCallers(Process):
    language = "Java"

    def __init__(self, near, path):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Callers.java")
        super().__init__(
            ["java", "-cp", JAR, program, path],
            namespace=near,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, size, seconds):
        self.child.stdin.write(f"p{size} {RATE} {seconds}\n".encode())
        self.child.stdin.flush()
        words = self.child.stdout.readline().split()
        if not words:
            raise LabError(f"the Java callers have ended\n{self.log_tail()}")
        calls, waits, failed, *times_us = map(int, words)
        return turn_of(calls, waits, failed, [time_us / 1e6 for time_us in times_us], seconds)


def turn_of(calls, waits, failed, times, seconds):
    quartile, middle, slowest = times
    return {
        "calls": calls,
        "rate": calls / seconds,
        "waited": waits / calls,
        "in use": quartile,
        "p50": middle,
        "p99": slowest,
        "failed": failed,
    }
