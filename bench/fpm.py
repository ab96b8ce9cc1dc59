"""Many php-fpm workers on four nodes: how many connections they hold, and what sharing them costs.

Three contestants with 64 static workers each, one after another for a while and then again, so that a slow minute of the
machine meets all of them: OneHop with the pool of the host, OneHop with connections of each worker's own
(onehop.pool_scope = process), and stock phpredis with pconnect, without its ECHO, every key known to its node beforehand. A request makes
a client and reads 20 keys; it times each GET itself, so what the web server's side costs is not in the figures. Every
value names its key: a wrong one ends the run.

    make build && /usr/bin/python3 bench/fpm.py [--seconds 30] [--workers 64]
"""

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time

from tree import ROOT
from lab import LabError, RedisNode
from lab.fpm import Fpm
from statistic import median, percentile
from table import Progress, bold, green, red, show
from workers import EXTENSION

SCRIPT = os.path.join(ROOT, "bench/php/request.php")
POOL_SIZE = 16
TURNS = 3
CONTESTANTS = (("OneHop, pool of the host", True, "host"), ("OneHop, pool of each worker", True, "process"),
               ("phpredis, pconnect", False, "host"))  # Label, whether it is OneHop, onehop.pool_scope.
CALLERS = 16  # Threads that ask for pages; each request goes to any idle worker.


class Contestant:
    """One php-fpm with its workers, and what was seen of it."""

    def __init__(self, label, workers, *, is_onehop, scope):
        self.label, self.query = label, f"client={'onehop' if is_onehop else 'phpredis'}"
        self.nodes = [RedisNode() for _ in range(4)]
        self.directory = tempfile.TemporaryDirectory()
        self.fpm = Fpm(workers=workers, settings={
            "display_errors": "1", "extension": EXTENSION, "onehop.config": self.configuration(),
            "onehop.pool_scope": scope, "redis.pconnect.echo_check_liveness": "0"})
        self.firsts, self.gets, self.most, self.requests = [], [], 0, 0
        status, body = self.fpm.request(SCRIPT, query="client=fill")
        if body != b"filled":
            raise LabError(f"{label}: the nodes could not be filled: {status} {body!r}")

    def configuration(self):
        servers = "".join(f"    - {node.server_line(name=f'node{index}')}\n" for index, node in enumerate(self.nodes))
        path = os.path.join(self.directory.name, "onehop.yml")
        with open(path, "w") as file:
            file.write("alpha:\n  listen: 127.0.0.1:22121\n  hash: murmur\n  redis: true\n  timeout: 5000\n"
                       f"  pool_size: {POOL_SIZE}\n  servers:\n{servers}")
        return path

    def connections(self):
        """Of the node that has most, but for the one that asks."""
        counts = []
        for node in self.nodes:
            with node.connect() as connection:
                counts.append(len(connection.command("CLIENT", "LIST").decode().splitlines()) - 1)
        return max(counts)

    def stop(self):
        self.fpm.stop()
        for node in self.nodes:
            node.stop()

    def ask(self, until):
        while time.monotonic() < until:
            status, body = self.fpm.request(SCRIPT, query=f"{self.query}&seed={random.getrandbits(30)}")
            if status != 200 or not body.startswith(b"["):
                raise LabError(f"{self.label}: {status} {body[:300]!r}")
            first, *rest = json.loads(body)
            self.firsts.append(first)
            self.gets.extend(rest)
            self.requests += 1


def main():
    parser = argparse.ArgumentParser(description="Measures php-fpm workers that share connections, and some that do not.")
    parser.add_argument("--seconds", type=int, default=30, help="of load for each contestant (default 30)")
    parser.add_argument("--workers", type=int, default=64, help="of each php-fpm (default 64)")
    options = parser.parse_args()
    progress = Progress()
    progress.step("starting servers and filling them")
    contestants = []
    try:
        for label, is_onehop, scope in CONTESTANTS:
            contestants.append(Contestant(label, options.workers, is_onehop=is_onehop, scope=scope))
        before = time_waits()
        for turn in range(TURNS):
            for contestant in random.sample(contestants, len(contestants)):
                progress.step(f"turn {turn + 1} of {TURNS}: {contestant.label}")
                load(contestant, options.seconds / TURNS)
        progress.done()
        report(contestants, time_waits() - before, options)
    finally:
        for contestant in contestants:
            contestant.stop()


def load(contestant, seconds):
    """Pages from several threads; meanwhile the nodes are asked how many clients they have."""
    until, failures = time.monotonic() + seconds, []

    def ask():
        try:
            contestant.ask(until)
        except (LabError, OSError, ValueError) as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        time.sleep(0.1)
        contestant.most = max(contestant.most, contestant.connections())
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def time_waits():
    with open("/proc/net/tcp") as table:
        return sum(line.split()[3] == "06" for line in list(table)[1:])


def report(contestants, waits, options):
    print(bold(f"\n{options.workers} workers each, 4 nodes, pool_size {POOL_SIZE}, {options.seconds} s of load each\n"))
    rows = [(one.label, f"{one.requests:,}", one.most, f"{median(one.firsts) / 1e3:.0f} us",
             f"{median(one.gets) / 1e3:.1f} us", f"{percentile(one.gets, 99) / 1e3:.0f} us") for one in contestants]
    show(("contestant", "requests", "connections of a node", "client + first GET", "GET p50", "p99"), rows)
    host, own, stock = contestants
    figures = [("connections of a node, at most", host.most, "<=", POOL_SIZE),
               ("GET p50: pool of the host / of each worker", median(host.gets) / median(own.gets), "<=", 1.2),
               ("client + first GET / pconnect GET", median(host.firsts) / median(stock.firsts), "<=", 1.15),
               ("TIME_WAIT sockets more than before", waits, "<=", 50)]
    print()
    show(("figure", "measured", "must be", ""),
         [(name, f"{value:.2f}" if isinstance(value, float) else value, f"{sign} {bound}", "met" if value <= bound else "MISSED")
          for name, value, sign, bound in figures], paint=lambda row: green if row[-1] == "met" else red)


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(red(f"\nThe benchmark failed: {error}"))
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
