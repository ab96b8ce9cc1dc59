"""What every program here looks at: nodes, a configuration, a php-fpm with many workers, a web server before it, callers.

All of it lives in a network namespace of its own, so what the kernel counts there (connection attempts that failed, sockets
in TIME_WAIT) is ours alone, whatever else the machine is doing. That needs root.
"""

import collections
import ctypes
import json
import os
import random
import struct
import sys
import tempfile
import threading
import time

from built import EXTENSION
from lab import LabError, RedisNode
from lab.fpm import Fpm
from lab.network import Namespace
from lab.nginx import Nginx

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = 1000
POOL_SIZE = 16
NODES = 4
WORKERS = 64
# For one answer: the machine may have much else to do, and no promise is judged by it.
PATIENCE_S = 60
IN_OPEN = 0x20

_libc = ctypes.CDLL(None, use_errno=True)


class House:
    """Every node has every key, so that each answers rightly wherever a configuration sends its callers."""

    def __init__(self, *, workers=WORKERS, settings=None, **fpm):
        self.directory = tempfile.TemporaryDirectory(prefix="onehop-house-")
        os.chmod(self.directory.name, 0o777)  # Workers may be somebody else.
        self.namespace, self.nodes, self.probes, self.servers = Namespace(), [], [], []
        self.path = os.path.join(self.directory.name, "onehop.yml")
        try:
            self.nodes = [RedisNode(namespace=self.namespace) for _ in range(NODES)]
            self.probes = [node.connect(PATIENCE_S) for node in self.nodes]
            for probe in self.probes:
                probe.pipeline(
                    [("SET", f"key:{number}", f"value of key:{number}") for number in range(KEYS)]
                )
            self.write(self.configuration())
            self.fpm = Fpm(
                workers=workers,
                namespace=self.namespace,
                settings={
                    "extension": EXTENSION,
                    "onehop.config": self.path,
                    "display_errors": "0",
                    "log_errors": "1",
                    "error_log": self.log,
                    "redis.pconnect.echo_check_liveness": "0",
                    **(settings or {}),
                },
                **fpm,
            )
            self.servers.append(self.fpm)
            self.nginx = Nginx(self.fpm)
            self.servers.append(self.nginx)
            if self.page("checked.php", rounds=1) is None:
                raise LabError(
                    "no worker answers; is php-ext built?\n" + self.fpm.process.log_tail()
                )
        except BaseException:
            self.stop()
            raise

    @property
    def log(self):
        """What PHP says."""
        return os.path.join(self.directory.name, "log")

    def log_lines(self):
        try:
            with open(self.log, errors="replace") as log:
                return log.read().splitlines()
        except FileNotFoundError:
            return []

    def configuration(self, nodes=range(NODES), **directives):
        directives = {
            "listen": "127.0.0.1:22121",
            "hash": "murmur",
            "redis": "true",
            "timeout": 5000,
            "pool_size": POOL_SIZE,
            **directives,
        }
        lines = [f"  {name}: {value}\n" for name, value in directives.items()]
        servers = [
            f"    - {self.nodes[number].server_line(name=f'node{number}')}\n" for number in nodes
        ]
        return f"alpha:\n{''.join(lines)}  servers:\n{''.join(servers)}"

    def write(self, text, path=None):
        """As one should: whoever reads meets the old file or the new one."""
        path = path or self.path
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def page(self, script, **query):
        """What a page, one of this folder or of another place, answers: JSON, read; None if its worker was gone before it had answered."""
        words = "&".join(
            f"{name}={value}" for name, value in {"seed": random.getrandbits(30), **query}.items()
        )
        status, body = self.nginx.get(os.path.join(HERE, script), query=words, seconds=PATIENCE_S)
        if status == 502 or (
            status == 200 and not body
        ):  # Killed after it had answered, a worker leaves nginx with a header and a reset.
            return None
        if status != 200:
            raise LabError(
                f"{script} ended with {status}: {body[:300]!r}\n" + "\n".join(self.log_lines()[-8:])
            )
        try:
            return json.loads(body)
        except ValueError as error:
            raise LabError(f"{script}: {body[:300]!r}") from error

    def connections(self):
        """Of the node that has most, but for the one that asks; nodes that are down have none.

        A node may hear of a new connection before it hears that the one of a dead worker has ended: a number that is too
        high is asked for again."""
        counts = [0]
        for probe, node in zip(self.probes, self.nodes):
            if node.process.is_running:
                counts.append(clients_of(probe))
                if counts[-1] > POOL_SIZE:
                    time.sleep(0.05)
                    counts[-1] = min(counts[-1], clients_of(probe))
        return max(counts)

    def time_waits(self):
        with open(f"/proc/{self.fpm.pid}/net/tcp") as table:
            return sum(line.split()[3] == "06" for line in list(table)[1:])

    def failed_attempts(self):
        """How many connections could not be made since the namespace is there."""
        with open(f"/proc/{self.fpm.pid}/net/snmp") as counters:
            names, values = (line.split() for line in counters if line.startswith("Tcp:"))
        return int(values[names.index("AttemptFails")])

    def stop(self):
        for server in reversed(self.servers):
            server.stop()
        for probe in self.probes:
            probe.close()
        for node in self.nodes:
            node.stop()
        self.namespace.close()
        self.directory.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def clients_of(probe):
    return len(probe.command("CLIENT", "LIST").splitlines()) - 1


class Callers:
    """Threads that ask for a page over and over, and what they were answered.

    with Callers(house, "checked.php", 8) as callers:
        time.sleep(5)
    callers.answers                 # (seconds from the first, JSON) of each page
    """

    def __init__(self, house, script, count, **query):
        self.house, self.script, self.query = house, script, query
        self.answers, self.lost, self.slowest, self.failures = [], 0, 0.0, []
        self.began, self._ends = time.monotonic(), False
        self._threads = [threading.Thread(target=self._ask) for _ in range(count)]

    def sum(self, name):
        return sum(answer[name] for _, answer in self.answers)

    def errors(self):
        """{class and node of an exception: how often}"""
        counts = collections.Counter()
        for _, answer in self.answers:
            counts.update(answer["errors"])
        return counts

    def _ask(self):
        try:
            while not self._ends and not self.failures:
                began = time.monotonic()
                answer = self.house.page(self.script, **self.query)
                ended = time.monotonic()
                self.slowest = max(self.slowest, ended - began)
                if answer is None:
                    self.lost += 1
                else:
                    self.answers.append((ended - self.began, answer))
        except (LabError, OSError, ValueError) as error:
            self.failures.append(error)

    def __enter__(self):
        sys.setswitchinterval(0.0005)  # Seconds: who looks on must not wait for all these threads.
        self.began = time.monotonic()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind, *_):
        self._ends = True
        for thread in self._threads:
            thread.join()
        if self.failures and kind is None:
            raise self.failures[0]


class Openings:
    """Counts how often a file is opened by anybody, as the kernel tells it."""

    def __init__(self, path):
        self.descriptor = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if (
            self.descriptor < 0
            or _libc.inotify_add_watch(self.descriptor, path.encode(), IN_OPEN) < 0
        ):
            raise LabError(f"inotify: {os.strerror(ctypes.get_errno())}")

    def count(self):
        """Since the last time."""
        count = 0
        while True:
            try:
                events = os.read(self.descriptor, 65536)
            except BlockingIOError:
                return count
            while events:
                length = struct.unpack_from("iIII", events)[3]
                events = events[16 + length :]
                count += 1

    def close(self):
        os.close(self.descriptor)
