"""A Redis Cluster of n masters that share the 16,384 slots evenly, assembled by hand.

Three commands per node do what `redis-cli --cluster create` does, and show what a cluster is: every node gets its
slots, a configuration epoch of its own, and an introduction to the first node. It takes two seconds: that long a
master waits after its start before it calls the cluster healthy.
"""

import time

from .process import LabError
from .redis import RedisNode

SLOTS = 16384


class Cluster:
    def __init__(self, masters=3, **node_options):
        self.nodes = []
        try:
            for _ in range(masters):
                self.nodes.append(RedisNode(cluster=True, **node_options))
            self._assemble()
        except BaseException:
            self.stop()
            raise

    @property
    def addresses(self):
        return [node.address for node in self.nodes]

    def node_of_slot(self, slot):
        """The node that was given this slot at assembly."""
        return next(node for node, (first, last) in zip(self.nodes, self._shares()) if first <= slot <= last)

    def fill(self, commands_by_slot):
        """Sends each (slot, command) to its node; raises the first error the nodes answer."""
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

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _shares(self):
        """The first and last slot of each node."""
        edges = [SLOTS * index // len(self.nodes) for index in range(len(self.nodes) + 1)]
        return [(first, next_first - 1) for first, next_first in zip(edges, edges[1:])]

    def _assemble(self):
        first_node = self.nodes[0]
        for epoch, (node, (first, last)) in enumerate(zip(self.nodes, self._shares()), start=1):
            node.command("CLUSTER", "ADDSLOTSRANGE", first, last)
            node.command("CLUSTER", "SET-CONFIG-EPOCH", epoch)
            if node is not first_node:
                node.command("CLUSTER", "MEET", *first_node.address, first_node.bus_port)
        deadline = time.monotonic() + 20
        while not all(self._agrees(node) for node in self.nodes):
            if time.monotonic() > deadline:
                raise LabError("the cluster did not agree on its slots within 20 s\n" + first_node.process.log_tail())
            time.sleep(0.02)

    def _agrees(self, node):
        """Whether this node sees the whole cluster, every slot served."""
        info = node.command("CLUSTER", "INFO")
        return b"cluster_state:ok" in info and b"cluster_known_nodes:%d" % len(self.nodes) in info \
            and len(node.command("CLUSTER", "SLOTS")) == len(self.nodes)
