"""Changes to the nodes of a Redis Cluster: they meet, follow each other, and their slots move.

A node is any object with a `port` and a `command` method: a RedisNode, or a Peer made of a port.
This module remembers nothing; each function asks the nodes for what it needs to know.
"""

import re
import time

from .process import LabError
from .resp import Connection, ReplyError

SLOTS = 16384
KEYS_PER_MIGRATE = 100


class Peer:
    """A running node, given by its port on this host."""

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


# ---- Answers of a node ----


def identity(node):
    return node.command("CLUSTER", "MYID").decode()


def known(node):
    """CLUSTER NODES: for each node that this one knows, its line as a list of words."""
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
        if not word.startswith("["):  # Slots in brackets are migrating.
            first, _, last = word.partition("-")
            slots.extend(range(int(first), int(last or first) + 1))
    return slots


def owner(slot, asked):
    """The port of the slot's owner as the asked node sees it, or None."""
    for first, last, node, *_ in asked.command("CLUSTER", "SLOTS"):
        if first <= slot <= last:
            return node[1]
    return None


# ---- Membership ----


def meet(node, to, host="127.0.0.1"):
    node.command("CLUSTER", "MEET", host, to.port, bus_port(to))


def await_known(node, nodes):
    """Waits until the node and all others know each other by their current names as healthy."""
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
    """Waits until every node calls the cluster healthy."""
    for node in nodes:
        until(lambda: info(node)["cluster_state"] == "ok", "the cluster is whole")


def await_shards(nodes):
    """Waits until all nodes know all replicas as online, not as loading or failed."""
    for node in nodes:
        until(lambda: _shows_online(node, nodes), "all replicas serve")


def _shows_online(node, nodes):
    # Counted again each time: a master that was replaced becomes a replica a moment later.
    replicas = sum(not is_master(each) for each in nodes)
    shards = repr(node.command("CLUSTER", "SHARDS"))
    return shards.count("'replica'") == replicas and not re.search("loading|fail", shards)


def replicate(replica, master):
    """Makes a node a replica and waits until it has synchronized with its master."""
    name = identity(master)
    until(lambda: any(words[0] == name for words in known(replica)), "a replica knows its master")
    replica.command("CLUSTER", "REPLICATE", name)
    until(
        lambda: b"master_link_status:up" in replica.command("INFO", "replication"),
        "a replica follows its master",
    )


def promote(replica):
    """Fails over to a replica while its master lives."""
    asked = 0
    while not is_master(replica):
        if time.monotonic() > asked + 6:  # The node gives up an attempt after five seconds.
            replica.command("CLUSTER", "FAILOVER")
            asked = time.monotonic()
        time.sleep(0.05)


def forget(node, nodes):
    """Removes a node without slots from the cluster. The node keeps running alone."""
    name = identity(node)
    for other in nodes:
        other.command("CLUSTER", "FORGET", name)
    node.command("CLUSTER", "RESET", "HARD")


# ---- Slots that move ----


def begin_move(slot, source, target):
    """From now on the source answers with ASK for keys that it no longer has."""
    target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", identity(source))
    source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", identity(target))


def is_migrated(source, target, keys):
    """Migrates keys. False if the target knows too few nodes now, as on a busy machine."""
    try:
        source.command("MIGRATE", *target.address, "", 0, 5000, "REPLACE", "KEYS", *keys)
    except ReplyError as refused:
        if "CLUSTERDOWN" not in str(refused):
            raise
        return False
    return True


def move_keys(slot, source, target, most=None):
    """Moves all keys of a slot, or at most `most`."""
    while most is None or most > 0:
        count = KEYS_PER_MIGRATE if most is None else min(most, KEYS_PER_MIGRATE)
        keys = source.command("CLUSTER", "GETKEYSINSLOT", slot, count)
        if not keys:
            return
        until(lambda keys=keys: is_migrated(source, target, keys), "the target takes keys")
        most = most and most - len(keys)


def await_one_epoch(nodes):
    """Otherwise a new owner might choose an epoch that is too low, and an older claim would win."""
    until(
        lambda: len({info(node)["cluster_current_epoch"] for node in nodes}) == 1,
        "all have one epoch",
    )


def end_move(slot, source, target, nodes=(), tells_all=True):
    """Gives the slot to the target. The target and the source learn this first.

    Then the other masters in `nodes` learn it by a command, or without `tells_all` by gossip.
    """
    owners = {node.port: node for node in (target, source, *nodes)}.values()
    await_one_epoch(owners)
    name = identity(target)
    for node in owners if tells_all else (target, source):
        if is_master(node):
            node.command("CLUSTER", "SETSLOT", slot, "NODE", name)


def move(slot, source, target, nodes=()):
    begin_move(slot, source, target)
    move_keys(slot, source, target)
    end_move(slot, source, target, nodes)


def give_all(source, target, nodes):
    """Gives all slots of a node, which must be empty, to the target."""
    give(slots_of(source), target, nodes)


def give(slots, target, nodes):
    """Gives empty slots to the target and informs all `nodes`."""
    name = identity(target)
    await_one_epoch(nodes)
    target.command("CLUSTER", "BUMPEPOCH")  # So that the target's claim wins over older ones.
    commands = [("CLUSTER", "SETSLOT", slot, "NODE", name) for slot in slots]
    for node in sorted(nodes, key=lambda node: node.port != target.port):  # The target first.
        with node.connect() as connection:
            for reply in connection.pipeline(commands):
                if isinstance(reply, Exception) and is_master(node):
                    raise reply
