"""A Redis Cluster of n masters, each with the same number of replicas, assembled by hand.

The masters share the 16,384 slots evenly. A few commands per node do what
`redis-cli --cluster create` does: each master gets its slots, each node gets its own configuration
epoch and meets all nodes before it. This takes two seconds, because a master waits that long after
its start before it calls the cluster healthy. slots.py has the changes that can follow.

A LargeCluster has up to thousands of nodes, of which three run. The three know the others from the
file in which a node saves its view of the cluster (nodes.conf).
"""

import contextlib
import functools
import itertools
import re
import socket
import subprocess
import time

from . import slots as moves
from .ports import free_port
from .process import Running
from .redis import RedisNode
from .slots import SLOTS

MEET_AGAIN_S = 5


class Cluster(Running):
    """`nodes`: the masters, then the replicas of each in turn. They meet at `meets_at`."""

    def __init__(
        self, masters=3, replicas=0, *, meets_at="127.0.0.1", start=RedisNode, **node_options
    ):
        self.nodes, self._masters = [], masters
        try:
            for _ in range(masters * (1 + replicas)):
                self.nodes.append(start(cluster=True, is_awaited=False, **node_options))
            for node in self.nodes:
                node.wait_ready()
            self._assemble(meets_at)
        except BaseException:
            self.stop()
            raise

    @property
    def addresses(self):
        return [node.address for node in self.nodes]

    def node_of_slot(self, slot):
        """The node that was given this slot at assembly."""
        return next(
            node for node, (first, last) in zip(self.nodes, self._shares()) if first <= slot <= last
        )

    def master_of(self, number):
        """The number of the master that a replica follows."""
        return number % self._masters

    def give(self, number, slots):
        """Gives empty slots to this node and informs all nodes."""
        moves.give(slots, self.nodes[number], self.nodes)

    def fill(self, commands_by_slot):
        """Sends each (slot, command) to its node; raises the first error reply."""
        by_node = {node: [] for node in self.nodes}
        for slot, command in commands_by_slot:
            by_node[self.node_of_slot(slot)].append(command)
        for node, commands in by_node.items():
            with node.connect() as connection:
                for reply in connection.pipeline(commands):
                    if isinstance(reply, Exception):
                        raise reply

    def stop(self):
        for node in self.nodes:
            node.stop()

    def _shares(self):
        """The first and last slot of each master."""
        edges = [SLOTS * index // self._masters for index in range(self._masters + 1)]
        return [(first, next_first - 1) for first, next_first in itertools.pairwise(edges)]

    def _assemble(self, meets_at):
        for node, (first, last) in zip(self.nodes, self._shares()):
            node.command("CLUSTER", "ADDSLOTSRANGE", first, last)
        for number, node in enumerate(self.nodes):
            node.command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            self._meet(node, self.nodes[:number], meets_at)
        for number in range(self._masters, len(self.nodes)):
            moves.replicate(self.nodes[number], self.nodes[self.master_of(number)])
        for node in self.nodes:
            moves.until(lambda: self._agrees(node, meets_at), "a new node sees the whole cluster")
        if len(self.nodes) > self._masters:
            moves.await_shards(self.nodes)  # Nodes learn last whose replica a node is.

    def _meet(self, node, others, meets_at):
        for other in others:
            moves.meet(node, other, meets_at)
        self._met = time.monotonic()

    def _agrees(self, node, meets_at):
        """True if this node sees every node, every slot served and every replica in its place.

        A node forgets another one that it should meet, if there is no answer within the node
        timeout. So meetings are repeated.
        """
        if time.monotonic() - self._met > MEET_AGAIN_S:
            self._meet(node, [other for other in self.nodes if other is not node], meets_at)
        info = moves.info(node)
        replicas = sum("slave" in words[2] for words in moves.known(node))
        return (
            info["cluster_state"] == "ok"
            and info["cluster_known_nodes"] == str(len(self.nodes))
            and info["cluster_slots_ok"] == str(SLOTS)
            and info["cluster_size"] == str(self._masters)
            and replicas == len(self.nodes) - self._masters
        )


class LargeCluster(Running):
    """Masters 0, 1 and 2 are real servers; all others are just addresses in 127.1.0.0/16.

    `slots_of(n)` returns the slots of master n. With `is_dealt` the masters get slots in turn, one
    by one, instead of ranges. Each master has `replicas` replicas. In a `namespace` the three
    servers answer at every address; elsewhere the other nodes refuse connections.
    """

    LIVE = 3
    NEVER_MS = 3_600_000  # The nodes never declare each other failed.

    def __init__(
        self,
        masters=1000,
        replicas=0,
        *,
        is_dealt=False,
        namespace=None,
        start=RedisNode,
        **node_options,
    ):
        self.masters = masters
        self.replicas = replicas
        self._is_dealt = is_dealt
        self._namespace = namespace
        self.addresses = [("127.0.0.1", free_port()) for _ in range(self.LIVE)]
        self._buses = [free_port() for _ in range(self.LIVE)]
        self._far_port = self.addresses[0][1] if namespace else free_port()
        self.nodes = []
        self._silence = self._listen_in_silence()
        try:
            for number, (host, port) in enumerate(self.addresses):
                self.nodes.append(
                    start(
                        host=host,
                        port=port,
                        cluster=True,
                        bus_port=self._buses[number],
                        namespace=namespace,
                        is_awaited=False,
                        files={"nodes.conf": self._nodes_conf(number)},
                        cluster_node_timeout=self.NEVER_MS,
                        **{"bind": "0.0.0.0"} if namespace else {},
                        **node_options,
                    )
                )
            for node in self.nodes:
                node.wait_ready()
            moves.await_whole(self.nodes)
        except BaseException:
            self.stop()
            raise

    def slots_of(self, master):
        if self._is_dealt:
            return range(master, SLOTS, self.masters)
        return range(SLOTS * master // self.masters, SLOTS * (master + 1) // self.masters)

    def name_of(self, number):
        """`host:port` of a node; masters come first."""
        if number < self.LIVE:
            host, port = self.addresses[number]
        else:
            host, port = f"127.1.{number // 250}.{number % 250 + 1}", self._far_port
        return f"{host}:{port}"

    def stop(self):
        for node in self.nodes:
            node.stop()
        self._silence.close()

    def _nodes_conf(self, reader):
        """The nodes.conf of one of the three servers."""
        count = self.masters * (1 + self.replicas)
        lines = [self._line(number, is_self=number == reader) for number in range(count)]
        return "\n".join([*lines, f"vars currentEpoch {self.masters} lastVoteEpoch 0", ""])

    def _line(self, number, is_self):
        master = number % self.masters
        is_master, bus = number == master, self._silence.getsockname()[1]
        flags = ("myself," if is_self else "") + ("master" if is_master else "slave")
        address = f"{self.name_of(number)}@{self._buses[number] if number < self.LIVE else bus}"
        return " ".join(
            [
                _id(number),
                address + (f",,shard-id={_id(master)}" if _knows_shards() else ""),
                flags,
                "-" if is_master else _id(master),
                "0 0",
                str(master + 1),
                "connected",
                *self._written_slots(number),
            ]
        )

    def _written_slots(self, number):
        slots = self.slots_of(number) if number < self.masters else ()
        return [f"{slots[0]}-{slots[-1]}"] if slots and not self._is_dealt else map(str, slots)

    def _listen_in_silence(self):
        """The cluster bus of all nodes that do not run.

        It accepts connections, so the servers do not retry ten times a second.
        """
        with self._namespace.entered() if self._namespace else contextlib.nullcontext():
            return socket.create_server(("0.0.0.0", free_port()), backlog=4096)


@functools.cache
def _knows_shards():
    """Whether nodes.conf names the shard of each node.

    If it does not, servers from 7.2 on put all nodes into one shard. Older servers cannot read
    the names.
    """
    version = subprocess.run(
        ["redis-server", "--version"], check=True, capture_output=True, text=True
    ).stdout
    return tuple(map(int, re.search(r"v=(\d+)\.(\d+)", version).groups())) >= (7, 2)


def _id(number):
    return f"{number:040x}"
