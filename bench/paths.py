"""The paths of open_loop.py, and what they need: servers with data, php-fpm, nginx, the driver.

    php.onehop          a page with OneHop, the shared pool of the host      4 nodes
    php.nodes           a page with phpredis, node after node, pconnect      4 nodes
    php.proxy           a page with phpredis through nutcracker, pconnect    4 nodes
    php.onehop-cluster  a page with OneHop                                   cluster of 4 masters
    php.cluster         a page with RedisCluster, persistent, cache_slots    cluster of 4 masters
    java.onehop         OneHopClient                                         4 nodes
    java.node           Jedis' RedisClient                                   one node with all keys
    java.proxy          Jedis' RedisClient through nutcracker                4 nodes
    java.onehop-cluster OneHopClient                                         cluster of 4 masters
    java.cluster        RedisClusterClient                                   cluster of 4 masters

The rivals' php-fpm does not load OneHop. Every node call ends within a second on every path.
"""

import binascii
import ctypes
import json
import os
import subprocess
import tempfile

from tree import ROOT

from built import EXTENSION
from lab import Process, RedisNode
from lab.fpm import Fpm
from lab.nginx import Nginx
from lab.nutcracker import config_text
from stage import ITEMS, KEYS, POOL, Stage, hset
from workers import COMMANDS, Worker

PAGE = os.path.join(ROOT, "bench/php/paths.php")
PR_SET_TIMERSLACK, DEFAULT = 29, 0

LABELS = {
    "php.onehop": "PHP, OneHop",
    "php.nodes": "PHP, phpredis node after node",
    "php.proxy": "PHP, phpredis through nutcracker",
    "php.onehop-cluster": "PHP, OneHop, cluster",
    "php.cluster": "PHP, RedisCluster",
    "java.onehop": "Java, OneHop",
    "java.node": "Java, Jedis, one node",
    "java.proxy": "Java, Jedis through nutcracker",
    "java.onehop-cluster": "Java, OneHop, cluster",
    "java.cluster": "Java, RedisClusterClient",
}
JOBS = {"get": "one GET", "hgets": "a batch of 100 HGETs", "mget": "MGET of 100 keys"}


def is_php(path):
    return path.startswith("php.")


class Paths(Stage):
    """All servers, and a driver that knows all paths."""

    def __init__(self, workers, timeout_ms):
        super().__init__()
        self.timeout_ms = timeout_ms
        try:
            self._start(workers)
        except BaseException:
            self.close()
            raise

    def _start(self, workers):
        self.nodes_behind_nutcracker(timeout_ms=self.timeout_ms)
        self.one_node()
        self.cluster_of_masters()
        self._write_items()
        self.directory = self.enter_context(tempfile.TemporaryDirectory(prefix="onehop-paths-"))
        os.chmod(self.directory, 0o755)
        config = self._write("onehop.yml", self._configuration())
        stage = self._write("stage.php", self._stage())
        quiet = {"display_errors": "0", "redis.pconnect.echo_check_liveness": "0"}
        self.settings = {
            "onehop": {**quiet, "extension": EXTENSION, "onehop.config": config},
            "stock": {**quiet, "redis.clusters.cache_slots": 1},
        }
        self.queries = {
            "php.onehop": f"path=onehop&pool={POOL}",
            "php.nodes": f"path=nodes&stage={stage}",
            "php.proxy": f"path=proxy&stage={stage}",
            "php.onehop-cluster": "path=onehop&pool=cluster",
            "php.cluster": f"path=cluster&stage={stage}",
        }
        java = {
            "java.onehop": ("onehop", config, POOL),
            "java.node": ("node", *self.one.address),
            "java.proxy": ("node", *self.nutcracker.address(POOL)),
            "java.onehop-cluster": ("onehop", config, "cluster"),
            "java.cluster": (
                "cluster",
                *(word for node in self.cluster.addresses for word in node),
            ),
        }
        nginx = {kind: self._nginx(workers, settings) for kind, settings in self.settings.items()}
        pages = {
            path: ("page", nginx[self.kind(path)], f"{PAGE}?{query}")
            for path, query in self.queries.items()
        }
        self.driver = self.enter_context(Driver({**pages, **java}, self.timeout_ms))

    def kind(self, path):
        """Which php-fpm serves a path."""
        return "onehop" if "onehop" in path else "stock"

    def revive(self, number):
        """Starts a dead node again, with its keys."""
        self.nodes[number].restart()
        with self.nodes[number].connect() as connection:
            connection.pipeline([hset(key) for key in KEYS if self.holders[key] == number])
            connection.pipeline([item(key) for key in ITEMS if self.holders[key] == number])

    def _write_items(self):
        """The keys of GET and MGET, beside the hashes of the stage."""
        for place in (self.nutcracker.connect(POOL), self.one.connect()):
            with place as connection:
                connection.pipeline([item(key) for key in ITEMS])
        self.cluster.fill((binascii.crc_hqx(key.encode(), 0) % 16384, item(key)) for key in ITEMS)
        self.holders = {
            key.decode(): number
            for number, keys in enumerate(map(RedisNode.keys, self.nodes))
            for key in keys
        }

    def _configuration(self):
        """nutcracker's own file for OneHop, and a pool for the cluster."""
        cluster = {
            "listen": "127.0.0.1:1",
            "redis": True,
            "cluster": True,
            "timeout": self.timeout_ms,
            "servers": [f"{host}:{port}:1" for host, port in self.cluster.addresses],
        }
        return config_text({**self.nutcracker.pools, "cluster": cluster})

    def _stage(self):
        """A PHP file with the servers for the rivals' pages; OPcache keeps it in memory."""
        words = {
            "nodes": [node.address for node in self.nodes],
            "proxy": self.nutcracker.address(POOL),
            "seeds": [f"{host}:{port}" for host, port in self.cluster.addresses],
            "owners": self.holders,
        }
        return f"<?php return {php(words)};\n"

    def _write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def _nginx(self, workers, settings):
        """The socket of an nginx in front of that many workers."""
        fpm = self.enter_context(Fpm(workers=workers, settings=settings))
        return self.enter_context(Nginx(fpm)).path


def item(key):
    """The command that writes a string; its value shows the key."""
    return "SET", key, f"value of {key}"


def php(value):
    """A constant of PHP."""
    if isinstance(value, dict):
        return "[" + ", ".join(f"{php(key)} => {php(each)}" for key, each in value.items()) + "]"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(php, value)) + "]"
    return json.dumps(value)


class Driver(Worker):
    """OpenLoop.java. `run` returns what it measured; a wrong answer raises LabError."""

    def __init__(self, paths, timeout_ms):
        self.language, self._is_ready = "Java, open loop", False
        plan = "".join(f"{name} {' '.join(map(str, words))}\n" for name, words in paths.items())
        # The kernel may wake a sleeper 50 us late, unless its parent has asked for 1 ns.
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_TIMERSLACK, 1)
        try:
            self.process = Process(
                [*COMMANDS[self.language], "plan", str(timeout_ms)],
                name="driver",
                files={"plan": plan},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        finally:
            libc.prctl(PR_SET_TIMERSLACK, DEFAULT)

    def begin(self, path, job, *, threads, rate, seconds):
        self.wait_ready()
        self.process.child.stdin.write(f"{path} {job} {threads} {rate} {seconds}\n".encode())
        self.process.child.stdin.flush()

    def result(self):
        return json.loads(self._read_line())

    def run(self, path, job, **load):
        self.begin(path, job, **load)
        return self.result()
