"""What befalls the nodes of a Redis Cluster: they meet, follow each other, and their slots move.

Whoever has a `port` and takes a `command` is a node: a RedisNode, or the Peer of a port. Nothing is remembered here;
what a function needs to know it asks the nodes.
"""

import re
import time

from .process import LabError
from .resp import Connection

SLOTS = 16384
KEYS_PER_MIGRATE = 100


class Peer:
    """A running node, by its port on this host."""

    def __init__(self, port):
        self.port, self.address = port, ("127.0.0.1", port)

    def connect(self):
        return Connection(self.address)

    def command(self, *words):
        with self.connect() as connection:
            return connection.command(*words)


def until(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise LabError(f"for {seconds} s it was not true that {what}")
        time.sleep(0.01)


# ---- What a node says ----


def identity(node):
    return node.command("CLUSTER", "MYID").decode()


def known(node):
    """CLUSTER NODES: a list of words for each node that this one knows."""
    return [line.split(" ") for line in node.command("CLUSTER", "NODES").decode().splitlines()]


def said_of_itself(node):
    return next(words for words in known(node) if "myself" in words[2])


def bus_port(node):
    return int(re.search(r"@(\d+)", said_of_itself(node)[1])[1])


def info(node):
    return dict(
        line.split(":", 1)
        for line in node.command("CLUSTER", "INFO").decode().splitlines()
        if ":" in line
    )


def is_master(node):
    return node.command("ROLE")[0] == b"master"


def slots_of(node):
    """The slots a node says are its own."""
    slots = []
    for word in said_of_itself(node)[8:]:
        if not word.startswith("["):  # Those are on their way.
            first, _, last = word.partition("-")
            slots.extend(range(int(first), int(last or first) + 1))
    return slots


def owner(slot, asked):
    """The port of the node that has a slot, as the asked one sees it, or None."""
    for first, last, node, *_ in asked.command("CLUSTER", "SLOTS"):
        if first <= slot <= last:
            return node[1]
    return None


# ---- Who knows whom ----


def meet(node, to, host="127.0.0.1"):
    node.command("CLUSTER", "MEET", host, to.port, bus_port(to))


def await_known(node, nodes):
    """It knows all of these, all of these know it by its name of now, and nobody thinks bad of it."""
    until(
        lambda: (
            info(node)["cluster_state"] == "ok"
            and sum("handshake" not in words[2] for words in known(node)) >= len(nodes)
        ),
        "a node knows the others",
    )
    name, address = identity(node), f":{node.port}@"
    for other in nodes:
        until(
            lambda: any(
                words[0] == name
                and address in words[1]
                and not re.search("handshake|fail|noaddr", words[2])
                and "disconnected" not in words
                for words in known(other)
            ),
            "a node is known to the others",
        )


def await_whole(nodes):
    """Every node calls the cluster healthy."""
    for node in nodes:
        until(lambda: info(node)["cluster_state"] == "ok", "the cluster is whole")


def await_shards(nodes):
    """All know that all replicas serve: one that has received nothing yet counts as loading."""
    for node in nodes:
        until(
            lambda: (
                not re.search(rb"loading|fail", repr(node.command("CLUSTER", "SHARDS")).encode())
            ),
            "all replicas serve",
        )


def replicate(replica, master):
    """It follows the master, and has all that it has."""
    name = identity(master)
    until(lambda: any(words[0] == name for words in known(replica)), "a replica knows its master")
    replica.command("CLUSTER", "REPLICATE", name)
    until(
        lambda: b"master_link_status:up" in replica.command("INFO", "replication"),
        "a replica follows its master",
    )


def promote(replica):
    """It takes the place of its master, who lives."""
    asked = 0
    while not is_master(replica):
        if time.monotonic() > asked + 6:  # It gives up after five seconds.
            replica.command("CLUSTER", "FAILOVER")
            asked = time.monotonic()
        time.sleep(0.05)


def forget(node, nodes):
    """A node without slots leaves the cluster, and runs on by itself."""
    name = identity(node)
    for other in nodes:
        other.command("CLUSTER", "FORGET", name)
    node.command("CLUSTER", "RESET", "HARD")


# ---- Slots that move ----


def begin_move(slot, source, target):
    """From here on keys that are not there any more are answered with ASK."""
    target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", identity(source))
    source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", identity(target))


def move_keys(slot, source, target, most=None):
    """All its keys go over, or so many."""
    while most is None or most > 0:
        count = KEYS_PER_MIGRATE if most is None else min(most, KEYS_PER_MIGRATE)
        keys = source.command("CLUSTER", "GETKEYSINSLOT", slot, count)
        if not keys:
            return
        source.command("MIGRATE", *target.address, "", 0, 5000, "REPLACE", "KEYS", *keys)
        most = most and most - len(keys)


def end_move(slot, source, target, nodes=(), tells_all=True):
    """Those two know that it has moved; then the other masters of `nodes`, or they hear it by gossip."""
    everybody = {node.port: node for node in (target, source, *nodes)}.values()
    # Otherwise the new owner may choose an epoch that is too low, and what the old one has said lately wins.
    until(
        lambda: len({info(node)["cluster_current_epoch"] for node in everybody}) == 1,
        "all have one epoch",
    )
    name = identity(target)
    for node in everybody if tells_all else (target, source):
        if is_master(node):
            node.command("CLUSTER", "SETSLOT", slot, "NODE", name)


def move(slot, source, target, nodes=()):
    begin_move(slot, source, target)
    move_keys(slot, source, target)
    end_move(slot, source, target, nodes)


def give_all(source, target, nodes):
    """All slots of a node, which are empty, become the target's."""
    give(slots_of(source), target, nodes)


def give(slots, target, nodes):
    """These slots, which are empty, become the target's; all `nodes` are told."""
    name = identity(target)
    target.command("CLUSTER", "BUMPEPOCH")  # So that nobody believes who had them before.
    for node in sorted(
        nodes, key=lambda node: node.port != target.port
    ):  # Who takes them is told first.
        with node.connect() as connection:
            for reply in connection.pipeline(
                [("CLUSTER", "SETSLOT", slot, "NODE", name) for slot in slots]
            ):
                if isinstance(reply, Exception) and is_master(node):
                    raise reply
