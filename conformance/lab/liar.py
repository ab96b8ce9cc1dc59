"""Nodes that claim to be a Redis Cluster, and do what the test says.

All of them return the current map. They answer other commands with their port and the key, unless
the test says otherwise. They share their `test`, which has

    maps         maps to return one after the other, the last one again and again, see below
    knowing      the port of the only node that knows a map; None: all do
    behaviour    the answer to a command in Python: an expression, or the definition of
                 answer(words). It may use all words of node.py, and `a` and `b`, the ports of the
                 first two nodes. None: the node answers as usual

A map is {"ranges": ...}, as in CLUSTER SLOTS: first slot, last slot, the owner's port, the ports of
replicas. Or it is {"shards": ...}, as in CLUSTER SHARDS: first slot, last slot, then for each node
its port, its role and its health.
"""

import functools
import textwrap
import types

from .node import ScriptedNode, bulk, listed

SLOTS = 16384
EPOCH = "cluster_current_epoch:1\r\n"


def lying_cluster(count):
    """The nodes. Their slots are in equal ranges."""
    test = types.SimpleNamespace(behaviour="None", knowing=None)
    nodes = [ScriptedNode(serve, test=test) for _ in range(count)]
    test.ports = [node.port for node in nodes]
    ranges = [
        [SLOTS * i // count, SLOTS * (i + 1) // count - 1, port]
        for i, port in enumerate(test.ports)
    ]
    test.maps = [{"ranges": ranges}]
    return nodes


def serve(talk):
    a, b = (*talk.test.ports, 0)[:2]
    names = {**talk.words(), "a": a, "b": b}
    known = {}  # Functions, by their texts.
    for words in talk.commands():
        text = talk.test.behaviour
        if text not in known:
            exec(compiled(text), names)
            known[text] = names["answer"]
        answer = known[text](words)
        talk.send(usual(talk, words) if answer is None else answer)


@functools.cache
def compiled(text):
    text = textwrap.dedent(text)
    if "def answer(" not in text:
        text = f"def answer(words):\n return ({text})"
    return compile(text, "<behaviour of a lying cluster>", "exec")


def usual(talk, words):
    """What a node answers if the test says nothing of it."""
    if words[0] == "CLUSTER":
        if talk.test.knowing not in (None, talk.port):
            return b"-ERR unknown\r\n"
        return bulk(EPOCH) if words[1] == "INFO" else next_map(talk.test.maps)
    if words[0] in ("AUTH", "ASKING", "READONLY"):
        return b"+OK\r\n"
    if words[0] == "PING":
        return b"+PONG\r\n"
    return bulk(f"{talk.port} {words[1] if len(words) > 1 else ''}")


def next_map(maps):
    told = maps.pop(0) if len(maps) > 1 else maps[0]
    if "shards" in told:
        return listed(shard(*each) for each in told["shards"])
    return listed(slots(*each) for each in told["ranges"])


def slots(first, last, *ports):
    """An element of CLUSTER SLOTS."""
    nodes = [listed(["127.0.0.1", integer(port), f"id-{port}"]) for port in ports]
    return listed([integer(first), integer(last), *nodes])


def shard(first, last, *nodes):
    """An element of CLUSTER SHARDS."""
    described = [
        listed(
            [
                *("port", integer(port), "id", f"id-{port}", "ip", "127.0.0.1"),
                *("role", role, "health", health),
            ]
        )
        for port, role, health in nodes
    ]
    ranges = listed([integer(first), integer(last)])
    return listed(["slots", ranges, "nodes", listed(described)])


def integer(number):
    return b":%d\r\n" % number
