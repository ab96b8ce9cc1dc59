"""A small real fleet: php-fpm masters, each a host, and two redis, each at the end of a wire.

The hosts have a network namespace of their own, so its kernel counters count only their
connections. A node is silent while its wire is paused. Pages arrive by chance, whether earlier ones
have ended or not, as in the simulation. Needs root.
"""

import json
import os
import random
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from built import EXTENSION
from house import clients_of
from lab import LabError, RedisNode, Running
from lab.fpm import Fpm
from lab.network import Namespace, Wire

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.php")
WAIT_S_MAX = 60


class RealFleet(Running):
    """`hosts` masters with `workers` each. All keys that pages read are on the node `first`."""

    def __init__(self, hosts, workers, load):
        self.load, self.key = load, "key"
        self.directory = tempfile.TemporaryDirectory(prefix="onehop-fleet-")
        self.path = os.path.join(self.directory.name, "onehop.yml")
        self.near, self.wires, self.nodes, self.hosts = Namespace(), [], [], []
        try:
            for _ in range(2):
                self.wires.append(Wire(self.near))
                far = self.wires[-1].far[0]
                self.nodes.append(RedisNode(namespace=far, host=far.host))
                self.nodes[-1].command("SET", self.key, f"value of {self.key}")
            self.point_to(0)
            for _ in range(hosts):
                self.hosts.append(
                    Fpm(
                        workers=workers,
                        namespace=self.near,
                        settings={"extension": EXTENSION, "onehop.config": self.path},
                    )
                )
        except BaseException:
            self.stop()
            raise

    def point_to(self, number):
        """Replaces the file: from now on its only server is the node with this number."""
        with open(self.path + ".new", "w") as file:
            file.write(
                f"alpha:\n  engine: redis\n  timeout: {self.load.timeout_s * 1e3:.0f}\n"
                f"  pool_size: {self.load.pool_size}\n  servers:\n"
                f"    - {self.nodes[number].server_line(name='first')}\n"
            )
        os.rename(self.path + ".new", self.path)

    def connections(self, number):
        with self.nodes[number].connect() as probe:
            return clients_of(probe)

    def accepted(self, number):
        """Connections that the node has accepted, without this program's own."""
        with self.nodes[number].connect() as probe:
            stats = probe.command("INFO", "stats").decode()
        return int(stats.split("total_connections_received:")[1].split()[0])

    def attempts(self):
        """How often any host has tried to connect to any node."""
        with open(f"/proc/{self.hosts[0].pid}/net/snmp") as counters:
            names, values = (line.split() for line in counters if line.startswith("Tcp:"))
        return int(values[names.index("ActiveOpens")])

    def stop(self):
        for host in self.hosts:
            host.stop()
        for node in self.nodes:
            node.stop()
        for wire in self.wires:
            wire.stop()
        self.near.close()
        self.directory.cleanup()


class Arrivals:
    """Requests pages of every host at random instants until it ends. `answers` has a pair for
    each page: the number of its host, and its JSON."""

    def __init__(self, hosts, pages_per_s, **query):
        self.hosts, self.rate = hosts, pages_per_s
        self.words = "&".join(f"{name}={value}" for name, value in query.items())
        self.answers, self.failures, self._ends = [], [], threading.Event()
        self.callers = ThreadPoolExecutor(64)
        self._threads = [
            threading.Thread(target=self._arrive, args=(number,)) for number in range(len(hosts))
        ]

    def _arrive(self, number):
        chance, at = random.Random(number), time.monotonic()
        while not self._ends.is_set():
            at += chance.expovariate(self.rate)
            self._ends.wait(max(0, at - time.monotonic()))
            self.callers.submit(self._ask, number)

    def _ask(self, number):
        try:
            _, body = self.hosts[number].request(PAGE, query=self.words, seconds=WAIT_S_MAX)
            answer = json.loads(body)
            if answer["wrong"]:
                raise LabError("a page got the value of another key")
            self.answers.append((number, answer))
        except ConnectionError:
            pass  # The host's php-fpm is reloading.
        except (LabError, OSError, ValueError, KeyError) as error:
            self.failures.append(error)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind, *_):
        self._ends.set()
        for thread in self._threads:
            thread.join()
        self.callers.shutdown()
        if self.failures and kind is None:
            raise LabError(f"a page failed: {self.failures[0]}")
