"""Redis Cluster: the cost of the map.

    make build && /usr/bin/python3 bench/cluster.py [--short] [map] [nodes]

    map      how often php-fpm's workers ask the nodes for the map: OneHop next to phpredis
    nodes    what a map of 1,000 nodes costs, next to one of 3, in php-fpm and in Java; as root

The clusters are real ones from the tests' lab. Each job prints its figures and their bounds; the
program fails if one is missed. bench/jobs.py measures how fast calls are. conformance/faults shows
what callers notice of moving slots and dying masters.
"""

import json
import os
import random
import subprocess
import tempfile
import time
from binascii import crc_hqx
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from tree import ROOT

import figures
import launch
from built import EXTENSION, JAR
from clusters import configure, fill, questions, seeds
from figures import Figure
from lab.cluster import SLOTS, Cluster, LargeCluster
from lab.fpm import Fpm
from lab.network import Namespace
from lab.process import Process
from lab.resp import encode
from statistic import median
from workers import SOURCES

PAGE = os.path.join(ROOT, "bench/php/cluster.php")


# ---- map ----


def measure_questions(is_short):
    """The contestants take turns, so that other load meets all of them."""
    requests, workers, turns = (400, 8, 4) if is_short else (4000, 24, 20)
    with Cluster(3) as cluster, ExitStack() as stack:

        def onehop(pool_size):
            own = stack.enter_context(tempfile.TemporaryDirectory())
            return "onehop", {
                "extension": EXTENSION,
                "onehop.config": configure(cluster, own, pool_size=pool_size),
            }

        fill(cluster, 1000, '$r->set("key:$j", "value of key:$j");')
        contestants = {
            "OneHop": onehop(workers),
            "OneHop, connections for two of three workers": onehop(workers * 2 // 3),
            "phpredis RedisCluster": ("phpredis", {}),
            "phpredis RedisCluster, cache_slots": ("phpredis", {"redis.clusters.cache_slots": 1}),
        }
        callers = stack.enter_context(ThreadPoolExecutor(workers))
        fpms = {
            label: stack.enter_context(Fpm(workers=workers, settings=settings))
            for label, (_, settings) in contestants.items()
        }
        asked, rates = dict.fromkeys(contestants, 0), {label: [] for label in contestants}
        for turn in range(turns):
            for label, (client, _) in random.sample(list(contestants.items()), len(contestants)):
                before, begun, count = questions(cluster), time.monotonic(), requests // turns
                answers = list(
                    callers.map(
                        lambda seed: fpms[label].request(
                            PAGE,
                            seconds=60,
                            query=f"job=pages&client={client}&seed={seed}&seeds={seeds(cluster)}",
                        ),
                        range(turn * count, (turn + 1) * count),
                    )
                )
                rates[label].append(count / (time.monotonic() - begun))
                asked[label] += questions(cluster) - before
                wrong = [body for _, body in answers if body != b"0"]
                if wrong:
                    raise SystemExit(f"{label}: {len(wrong)} pages were wrong, such as {wrong[0]}")
        for label in contestants:
            print(
                f"  {label}: {asked[label]} topology queries for {requests} requests of {workers} "
                f"workers, {median(rates[label]):.0f} pages/s"
            )
        return [
            Figure(f"{label}: topology queries", asked[label], 12, is_hard=True)
            for label, (client, _) in contestants.items()
            if client == "onehop"
        ]


# ---- nodes ----
#
# The nodes are in a network namespace, in which three real servers answer at every address. So any
# node can be asked for the map. PHP's times are processor time. The smallest of several values
# counts, because other load can only make them longer.

WORKERS = 4
# With more nodes, three servers cannot hold the connections of every worker.
CONNECTED_MAX = 1000
SHAPES = {
    "3 masters": {"masters": 3},
    "1,000 masters": {"masters": 1000},
    "1,000 masters, slots dealt round": {"masters": 1000, "is_dealt": True},
    "500 masters with a replica each": {"masters": 500, "replicas": 1},
    "4,096 masters": {"masters": 4096},
}


def measure_nodes(is_short):
    # The rounds are even, so that every slot is back at the end.
    rounds, found = 4 if is_short else 8, []
    for label, shape in SHAPES.items():
        with (
            Namespace() as near,
            LargeCluster(namespace=near, **shape) as cluster,
            tempfile.TemporaryDirectory() as directory,
        ):
            count = cluster.masters * (1 + cluster.replicas)
            print(f"  {label}:", flush=True)
            reply = os.path.join(directory, "shards")
            shards = asked(cluster, "SHARDS", reply)
            slots = asked(cluster, "SLOTS", reply + ".slots")
            print(f"    CLUSTER SHARDS {shards}, CLUSTER SLOTS {slots}")
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
    """The size of the reply and the server's time for it."""
    node = cluster.nodes[0]
    node.command("CONFIG", "RESETSTAT")
    for _ in range(9):
        received = raw(node, "CLUSTER", form)
    with open(path, "wb") as file:
        file.write(received)
    stats = node.command("INFO", "commandstats").decode()
    spent = stats.split(f"cmdstat_cluster|{form.lower()}:")[1].split("usec_per_call=")[1]
    return f"{len(received) / 1e3:.0f} KB in {float(spent.split(',')[0]) / 1e3:.1f} ms"


def raw(node, *command):
    """The bytes of one reply. It ends where the reply to a PING after it begins."""
    end, received = b"$7\r\nthe end\r\n", b""
    with node.connect() as connection:
        connection.socket.sendall(encode(command) + encode(("PING", "the end")))
        while not received.endswith(end):
            received += connection.stream.read1(1 << 20)
    return received[: -len(end)]


def in_php(near, cluster, config, rounds):
    settings = {"extension": EXTENSION, "onehop.config": config}
    before = questions(cluster)
    with (
        Fpm(workers=WORKERS, settings=settings, namespace=near) as fpm,
        ThreadPoolExecutor(WORKERS) as callers,
    ):

        def ask(query):
            return json.loads(fpm.request(PAGE, query=query, seconds=60)[1])

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
    copied = min(told["made"] for told in copies) / 1e3
    copied_kib = median([told["grown"] for told in copies])
    print(
        f"    PHP: bootstrap {contact['made'] / 1e3:.2f} ms of processor time, "
        f"{contact['grown']} KiB; copy by another worker {copied:.2f} ms, {copied_kib:.0f} KiB"
    )
    print(
        f"    PHP: a call that ends a refresh {least['longest'] / 1e3:.2f} ms, "
        f"a call whose slot has moved {least['moved'] / 1e3:.2f} ms, "
        f"any other call {least['usual']:.0f} us"
    )
    print(f"    PHP: placing a key {place['place']:.0f} ns")
    if everyone:
        print(
            f"    PHP: connections to {everyone['answered']} masters take "
            f"{everyone['grown']} KiB of a worker"
        )
    return place["nodes"], queries


def in_java(near, cluster, config, reply, rounds):
    command = ["java", "-cp", JAR, os.path.join(SOURCES, "io/onehop/bench/ClusterNodes.java")]
    stays = key_of(cluster.slots_of(2)[0])
    with Process(
        [*command, config, reply, stays],
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
        answer = told.readline()
        if not answer:
            raise SystemExit(process.log_tail())
        result = json.loads(answer)
    print(
        f"    Java: bootstrap {result['contact'] / 1e3:.1f} ms, {result['heap']} KiB; "
        f"parsing a reply {result['read'] / 1e3:.2f} ms; "
        f"a call whose slot has moved {result['moved'] / 1e3:.2f} ms; "
        f"placing a key {result['place']:.0f} ns"
    )
    return result["nodes"]


def moving(cluster, count):
    """`count` keys whose slot has just moved from the first server to the second, or back."""
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


# ---- The program ----

JOBS = {"map": measure_questions, "nodes": measure_nodes}


def main():
    options = launch.job_parser(
        "bench/cluster.py", "Measures what a Redis Cluster costs its callers.", JOBS
    ).parse_args()
    figures.end_with(found(options))


def found(options):
    for name in options.jobs:
        print(f"{name}:", flush=True)
        yield JOBS[name](options.short)


if __name__ == "__main__":
    launch.run(main)
