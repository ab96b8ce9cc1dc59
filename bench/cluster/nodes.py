"""What the map of a cluster of 1,000 nodes costs, beside that of one of 3, in php-fpm and in Java.

The nodes are in a network namespace, where three real servers answer at every address: whoever is drawn to be asked for
the map is there. Needs root. Times of PHP are of the processor, the least of several: what else the machine does can only add to them.
"""

import json
import os
import subprocess
import tempfile
import time
from binascii import crc_hqx
from concurrent.futures import ThreadPoolExecutor

from built import EXTENSION, JAR
from clusters import configure, questions
from figures import Figure
from lab.cluster import SLOTS, LargeCluster
from lab.fpm import Fpm
from lab.network import Namespace
from lab.process import Process
from lab.resp import encode
from statistic import median

HERE = os.path.dirname(os.path.abspath(__file__))

WORKERS = 4
CONNECTED_MAX = 1000  # Three servers cannot have connections for more nodes from everybody.
SHAPES = {
    "3 masters": {"masters": 3},
    "1,000 masters": {"masters": 1000},
    "1,000 masters, slots dealt round": {"masters": 1000, "is_dealt": True},
    "500 masters with a replica each": {"masters": 500, "replicas": 1},
    "4,096 masters": {"masters": 4096},
}


def run(is_short):
    rounds, found = 4 if is_short else 8, []  # Even: at the end every slot is where it was.
    for label, shape in SHAPES.items():
        with (
            Namespace() as near,
            LargeCluster(namespace=near, **shape) as cluster,
            tempfile.TemporaryDirectory() as directory,
        ):
            count = cluster.masters * (1 + cluster.replicas)
            print(f"  {label}:", flush=True)
            reply = os.path.join(directory, "shards")
            print(
                f"    CLUSTER SHARDS {asked(cluster, 'SHARDS', reply)}, CLUSTER SLOTS {asked(cluster, 'SLOTS', reply + '.slots')}"
            )
            config = configure(cluster, directory)
            nodes, queries = in_php(near, cluster, config, rounds)
            java_nodes = in_java(near, cluster, config, reply, rounds)
            found += [
                Figure(
                    f"{label}: nodes that PHP did not adopt", abs(count - nodes), 0, is_hard=True
                ),
                Figure(
                    f"{label}: nodes that Java did not adopt",
                    abs(count - java_nodes),
                    0,
                    is_hard=True,
                ),
                Figure(
                    f"{label}: topology queries until all of {WORKERS} workers have the map",
                    queries,
                    2,
                    is_hard=True,
                ),
            ]
    return found


def asked(cluster, form, path):
    """What the reply weighs, and how long the server takes."""
    node = cluster.nodes[0]
    node.command("CONFIG", "RESETSTAT")
    for _ in range(9):
        received = raw(node, "CLUSTER", form)
    with open(path, "wb") as file:
        file.write(received)
    spent = (
        node.command("INFO", "commandstats").decode().split(f"cmdstat_cluster|{form.lower()}:")[1]
    )
    return f"{len(received) / 1e3:.0f} KB in {float(spent.split('usec_per_call=')[1].split(',')[0]) / 1e3:.1f} ms"


def raw(node, *command):
    """The bytes of one reply, whose end is told by that of the next."""
    end, received = b"$7\r\nthe end\r\n", b""
    with node.connect() as connection:
        connection.socket.sendall(encode(command) + encode(("PING", "the end")))
        while not received.endswith(end):
            received += connection.stream.read1(1 << 20)
    return received[: -len(end)]


def in_php(near, cluster, config, rounds):
    page = os.path.join(HERE, "nodes.php")
    settings = {"extension": EXTENSION, "onehop.config": config}
    before = questions(cluster)
    with (
        Fpm(workers=WORKERS, settings=settings, namespace=near) as fpm,
        ThreadPoolExecutor(WORKERS) as callers,
    ):

        def ask(query):
            return json.loads(fpm.request(page, query=query, seconds=60)[1])

        contact = ask("job=take")
        copies = [
            told
            for told in callers.map(lambda _: ask("job=take"), range(WORKERS))
            if told["pid"] != contact["pid"]
        ]
        queries = questions(cluster) - before
        calls = [
            ask(f"job=ask&moved={key}&stays={key_of(cluster.slots_of(2)[0])}")
            for key in moving(cluster, rounds)
        ]
        place = ask("job=place")
        everyone = ask("job=all") if place["nodes"] <= CONNECTED_MAX else None
    least = {field: min(call[field] for call in calls) for field in calls[0]}
    print(
        f"    PHP: first contact {contact['made'] / 1e3:.2f} ms of the processor, {contact['grown']} KiB; copied by another worker in "
        f"{min(told['made'] for told in copies) / 1e3:.2f} ms, {median([told['grown'] for told in copies]):.0f} KiB"
    )
    print(
        f"    PHP: the call in which a refresh ends {least['longest'] / 1e3:.2f} ms, the one whose slot has moved {least['moved'] / 1e3:.2f} ms, "
        f"any other {least['usual']:.0f} us"
    )
    print(
        f"    PHP: placing a key {place['place']:.0f} ns"
        + (
            f"; connected to the {everyone['answered']} masters a worker has "
            f"{everyone['grown']} KiB more"
            if everyone
            else ""
        )
    )
    return place["nodes"], queries


def in_java(near, cluster, config, reply, rounds):
    with Process(
        [
            "java",
            "-cp",
            JAR,
            os.path.join(HERE, "Nodes.java"),
            config,
            reply,
            key_of(cluster.slots_of(2)[0]),
        ],
        namespace=near,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        written, told = process.child.stdin, process.child.stdout
        if told.readline() != b"ready\n":
            raise SystemExit(process.log_tail())
        for key in moving(cluster, rounds):
            written.write(key.encode() + b"\n")
            written.flush()
            told.readline()
            time.sleep(1.5)
        written.close()
        result = json.loads(told.readline())
    print(
        f"    Java: first contact {result['contact'] / 1e3:.1f} ms, {result['heap']} KiB; a reply made a topology in {result['read'] / 1e3:.2f} ms; "
        f"the call whose slot has moved {result['moved'] / 1e3:.2f} ms; placing a key {result['place']:.0f} ns"
    )
    return result["nodes"]


def moving(cluster, count):
    """`count` times a key whose slot has just moved from the first server to the second, or back."""
    slot = cluster.slots_of(0)[0]
    first, second, third = ((node, node.command("CLUSTER", "MYID")) for node in cluster.nodes)
    for number in range(count):
        (source, _), (target, to) = (first, second) if number % 2 == 0 else (second, first)
        for node in (source, target, third[0]):
            node.command("CLUSTER", "SETSLOT", slot, "NODE", to)
        yield key_of(slot)


def key_of(slot):
    return next(
        f"key:{number}"
        for number in range(10_000_000)
        if crc_hqx(f"key:{number}".encode(), 0) % SLOTS == slot
    )
