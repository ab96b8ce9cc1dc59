"""The stage of all measurements and of the demonstration: real servers with 10,000 hashes.

    key       user:0 ... user:9999, in a fixed random order, so that a batch is a mixture
    hash      {name: "name of <key>", city: "city of <key>"}, so a value shows its key
    nodes     4 redis-servers and a nutcracker (ketama, server_connections 15) that fills them
    one       one redis-server with all keys, on request
    cluster   a Redis Cluster of 4 masters with all keys, on request
    wire      8 nodes and a single one, each behind a wire of 1 ms each way, for clients in `near`,
              on request

The nodes themselves report which of them has a key, so no code under test decides what is right.
"""

import binascii
import contextlib
import random

import tree  # noqa: F401 (finds the lab)

from lab import Cluster, LabError, Nutcracker, RedisNode
from lab.network import Namespace, Wire

POOL = "alpha"
# Fixed names, so that the ring is the same in every run.
NAMES = ("north", "east", "south", "west", "up", "down", "left", "right")
NAMES += ("front", "back", "inner", "outer", "near", "far", "first", "last")
KEYS = [f"user:{number}" for number in range(10_000)]
random.Random(1).shuffle(KEYS)
# The strings of bench/jobs.py.
ITEMS = [f"item:{number}" for number in range(10_000)]
random.Random(2).shuffle(ITEMS)
BATCH = 1000


def hset(key):
    """The command that writes a key's hash."""
    return "HSET", key, "name", f"name of {key}", "city", f"city of {key}"


class Stage(contextlib.ExitStack):
    """Servers that live until the block ends. Each method adds some and fills them."""

    def nodes_behind_nutcracker(self, count=4, timeout_ms=5000):
        self.nodes = [self.enter_context(RedisNode()) for _ in range(count)]
        self.nutcracker = self._nutcracker(self.nodes, timeout_ms=timeout_ms)
        self.owners = owners(self.nodes)

    def one_node(self):
        self.one = self.enter_context(RedisNode())
        with self.one.connect() as connection:
            fill(connection)

    def cluster_of_masters(self, count=4):
        self.cluster = self.enter_context(Cluster(count))
        self.cluster.fill((binascii.crc_hqx(key.encode(), 0) % 16384, hset(key)) for key in KEYS)

    def nodes_behind_wire(self, count=8, delay_s=0.001):
        """A large MTU keeps packets few, because the wire should cost time, not processor."""
        self.near = self.enter_context(Namespace())
        wire = self.enter_context(Wire(self.near, far_count=count + 1, delay_s=delay_s, mtu=65535))
        *self.wire_nodes, single = [
            self.enter_context(RedisNode(host=far.host, namespace=far)) for far in wire.far
        ]
        self.wire_eight_config = self._nutcracker(self.wire_nodes, self.near).config_path
        self.wire_one_config = self._nutcracker([single], self.near).config_path
        self.wire_owners = owners(self.wire_nodes)

    def _nutcracker(self, nodes, namespace=None, timeout_ms=5000):
        """A nutcracker in front of these nodes, after it has filled them."""
        servers = [node.server_line(name=name) for node, name in zip(nodes, NAMES)]
        nutcracker = self.enter_context(
            Nutcracker(
                {
                    POOL: {
                        "hash": "murmur",
                        "distribution": "ketama",
                        "redis": True,
                        "timeout": timeout_ms,
                        "server_connections": 15,
                        "preconnect": True,
                        "servers": servers,
                    }
                },
                namespace=namespace,
            )
        )
        with nutcracker.connect(POOL) as connection:
            fill(connection)
        return nutcracker


def fill(connection):
    _write(connection, [hset(key) for key in KEYS])


def fill_items(connection):
    """Writes strings to learn their nodes; jobs.py replaces them by values of the right size."""
    _write(connection, [("SET", key, "") for key in ITEMS])


def _write(connection, commands):
    for reply in connection.pipeline(commands):
        if isinstance(reply, Exception):
            raise LabError(f"a key could not be written: {reply}")


def owners(nodes, keys=KEYS):
    """{key: index of its node}, as the nodes report; every key must be on exactly one node."""
    found = {}
    for index, node in enumerate(nodes):
        for key in sorted(node.keys()):
            if found.setdefault(key.decode(), index) != index:
                raise LabError(f"{key.decode()} is on two nodes")
    if found.keys() != set(keys):
        raise LabError(
            f"of {len(keys)} keys written, {len(found.keys() & set(keys))} are on the nodes"
        )
    return found
