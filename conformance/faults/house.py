"""The house of every program here: nodes, a configuration, many php-fpm workers, nginx, callers.

All of it has its own network namespace. So the kernel's counters there (failed connection attempts,
sockets in TIME_WAIT) count only our own connections, whatever else the machine does. Needs root.
"""

import collections
import ctypes
import glob
import json
import os
import random
import shutil
import struct
import sys
import tempfile
import threading
import time

from built import EXTENSION
from lab import LabError, RedisNode, Running
from lab.fpm import Fpm
from lab.network import Namespace
from lab.nginx import Nginx

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = 1000
POOL_SIZE = 16
NODES = 4
WORKERS = 64
# For one answer. Generous, because the machine may be busy; no promise depends on it.
ANSWER_S_MAX = 60
IN_OPEN = 0x20

_libc = ctypes.CDLL(None, use_errno=True)


class House(Running):
    """Every node has every key, so callers get right answers wherever they are sent."""

    def __init__(self, *, workers=WORKERS, settings=None, **fpm):
        self.directory = tempfile.TemporaryDirectory(prefix="onehop-house-")
        # Workers can run as another user, who is not allowed to read the tree.
        os.chmod(self.directory.name, 0o777)
        for page in glob.glob(os.path.join(HERE, "*.php")):
            shutil.copy(page, self.directory.name)
        self.namespace, self.nodes, self.probes, self.servers = Namespace(), [], [], []
        self.path = os.path.join(self.directory.name, "onehop.yml")
        try:
            self.nodes = [RedisNode(namespace=self.namespace) for _ in range(NODES)]
            self.probes = [node.connect(ANSWER_S_MAX) for node in self.nodes]
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
        """PHP's error log."""
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
            "timeout": 30000,
            "pool_size": POOL_SIZE,
            **directives,
        }
        lines = [f"  {name}: {value}\n" for name, value in directives.items()]
        servers = [
            f"    - {self.nodes[number].server_line(name=f'node{number}')}\n" for number in nodes
        ]
        return f"alpha:\n{''.join(lines)}  servers:\n{''.join(servers)}"

    def write(self, text, path=None):
        """Replaces the file atomically: readers see the old text or the new one."""
        path = path or self.path
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def page(self, script, **query):
        """Calls a page (of this folder, or by its path) and returns its JSON.

        Returns None if the worker died before it had answered.
        """
        query = {"seed": random.getrandbits(30), **query}
        words = "&".join(f"{name}={value}" for name, value in query.items())
        path = os.path.join(self.directory.name, script)
        status, body = self.nginx.get(path, query=words, seconds=ANSWER_S_MAX)
        # If a worker is killed after its answer, nginx gets a header and a reset.
        if status == 502 or (status == 200 and not body):
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
        """Connections of the node that has most, without our own; nodes that are down have none.

        A node may accept a new connection before it notices that the one of a dead worker has
        ended. So a node is asked again if its number is too high.
        """
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
        """Failed connection attempts since the namespace was created."""
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


def clients_of(probe):
    return len(probe.command("CLIENT", "LIST").splitlines()) - 1


class Callers:
    """Threads that request a page again and again, and the answers they got.

    with Callers(house, "checked.php", 8) as callers:
        time.sleep(5)
    callers.answers                 # (seconds since the start, JSON) of each page
    """

    def __init__(self, house, script, count, **query):
        self.house, self.script, self.query = house, script, query
        self.answers, self.lost, self.slowest, self.failures = [], 0, 0.0, []
        self.began, self._ends = time.monotonic(), False
        self._threads = [threading.Thread(target=self._ask) for _ in range(count)]

    def sum(self, name):
        return sum(answer[name] for _, answer in self.answers)

    def errors(self):
        """{class and node of an exception: count}"""
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
        sys.setswitchinterval(0.0005)  # Seconds. Lets the main thread run among all these threads.
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
    """Counts with inotify how often any process opens a file."""

    def __init__(self, path):
        self.descriptor = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        watched = path.encode()
        if self.descriptor < 0 or _libc.inotify_add_watch(self.descriptor, watched, IN_OPEN) < 0:
            raise LabError(f"inotify: {os.strerror(ctypes.get_errno())}")

    def count(self):
        """Openings since the last call."""
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
