"""Part `cluster`: a live Redis Cluster with some moved slots, and keys with braces of all kinds.

The cluster itself reports the slot of a key (CLUSTER KEYSLOT) and the owner of the slot. The
testees ask it for its map and must name the same node for every key. Then the real clients write
and read the keys without any redirect.
"""

import tempfile
from pathlib import Path

from lab.cluster import Cluster
from lab.slots import until

KEYS = 6000
MOVED_SLOTS = 60
WRITTEN = 2000
CLIENTS = ("php", "java")
BRACES = (
    b"",
    b"{",
    b"}",
    b"{}",
    b"}{",
    b"{}{a}",
    b"{a}{b}",
    b"{{a}}",
    b"{{}}",
    b"{}}",
    b"{a",
    b"a}",
    b"{a}",
    b"x{a}y",
    b"{}a{b}",
    b"{a}b}",
    b"{a{b}c}",
    b"{\0}",
    b"\0{\0\xff}\0",
    b"{\xff}",
    b"{ }",
    b"{\r\n}",
    b"\r\n",
    b"\0",
    b"{a}" * 100,
    b"x" * 70000 + b"{a}",
)


def run(testees, report, chance):
    with Cluster(4) as cluster, tempfile.TemporaryDirectory() as directory:
        move_some(cluster, chance)
        config = Path(directory) / "onehop.yml"
        config.write_text(
            "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n  servers:\n"
            + "".join(f"   - {host}:{port}:1\n" for host, port in cluster.addresses)
        )
        request = {"config": str(config), "pool": "alpha"}
        keys = [*BRACES, *(random_key(chance) for _ in range(KEYS - len(BRACES)))]
        owners = owners_of(cluster, keys)
        compare(testees, report, request, keys, owners)
        round_trips(testees, report, request, cluster, list(dict.fromkeys(keys))[:WRITTEN])


def move_some(cluster, chance):
    """Moves a few slots, always to a later node, so that no two nodes claim the same one."""
    count = len(cluster.nodes)
    for number in range(1, count):
        slots = chance.sample(range(16384 * number // count), MOVED_SLOTS // (count - 1))
        cluster.give(number, sorted(slots))


def random_key(chance):
    """A short key of few different bytes, so that braces come together, or any bytes."""
    if chance.randrange(3):
        return bytes(chance.choice(b"{}{}{}ab\0\xff\r\n ") for _ in range(chance.randrange(9)))
    return chance.randbytes(chance.randrange(40))


def owners_of(cluster, keys):
    """The owner of each key, once all nodes name the same owners: gossip spreads a move late."""
    told = []

    def is_agreed():
        told[:] = [owner_by_slot(node) for node in cluster.nodes]
        return all(other == told[0] for other in told)

    until(is_agreed, "all nodes name the same owners of slots")
    with cluster.nodes[0].connect() as connection:
        slots = connection.pipeline([("CLUSTER", "KEYSLOT", key) for key in keys])
    return [told[0][slot] for slot in slots]


def owner_by_slot(node):
    return {
        slot: f"{owner[0].decode()}:{owner[1]}"
        for first, last, owner, *_ in node.command("CLUSTER", "SLOTS")
        for slot in range(first, last + 1)
    }


def compare(testees, report, request, keys, owners):
    report.begin("cluster/owner of each key")
    asked = {"op": "map", **request, "keys": [key.hex() for key in keys]}
    told = {
        name: answers[0]
        for name, answers in testees.ask([asked], testees.implementations()).items()
    }
    for name, answer in told.items():
        if "nodes" not in answer:
            report.fail(f"{name} answered {str(answer)[:300]}")
            continue
        wrong = [
            (key, node, owner)
            for key, node, owner in zip(keys, answer["nodes"], owners)
            if node != owner
        ]
        report.count(passed=len(keys) - len(wrong))
        for key, node, owner in wrong:
            report.fail(
                f"{name} has key {key[:60].hex() or '(empty)'} on {node}, the cluster on {owner}"
            )
    fingerprints = {name: answer.get("fingerprint") for name, answer in told.items()}
    report.check(
        len(set(fingerprints.values())) == 1, lambda: f"fingerprints differ: {fingerprints}"
    )
    report.end()


def round_trips(testees, report, request, cluster, keys):
    """Each client writes, the other one reads, and neither is redirected."""
    clients = [name for name in CLIENTS if name in testees.all]
    for writer, reader in zip(clients, reversed(clients)):
        report.begin(f"cluster/{writer} writes, {reader} reads")
        for node in cluster.nodes:
            node.command("CONFIG", "RESETSTAT")
        pairs = [(key.hex(), f"{writer}:".encode().hex() + key[:9].hex()) for key in keys]
        write = {"op": "write", **request, "pairs": pairs}
        read = {"op": "read", **request, "keys": [key for key, _ in pairs]}
        written = testees.ask([write], [writer])[writer][0]
        values = testees.ask([read], [reader])[reader][0]
        report.check(
            written.get("written") == len(keys), lambda: f"{writer} answered {str(written)[:300]}"
        )
        right = sum(value == told for (_, value), told in zip(pairs, values.get("values", ())))
        report.check(
            right == len(keys),
            lambda: f"{reader} found {right} of {len(keys)} values: {str(values)[:300]}",
        )
        errors = b"".join(node.command("INFO", "errorstats") for node in cluster.nodes)
        report.check(b"MOVED" not in errors, lambda: f"the clients were redirected: {errors}")
        report.end()
