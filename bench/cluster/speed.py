"""How much faster than the usual clients: MGET and a pipeline."""

import json
import os
import random
import subprocess
import tempfile

from built import JAR
from clusters import configure, crc16, fill, seeds
from figures import Figure
from lab.cluster import SLOTS, Cluster
from stage import ITEMS, KEYS
from statistic import median
from workers import Worker

HERE = os.path.dirname(os.path.abspath(__file__))


def times(cluster, directory, rounds):
    """{client: median} of MGETs of 1000 keys. The clients take turns; bench/php has them."""
    slots = {key: crc16(key.encode()) % SLOTS for key in [*KEYS, *ITEMS]}
    owners = {key: cluster.nodes.index(cluster.node_of_slot(slot)) for key, slot in slots.items()}
    addresses = [word for host, port in cluster.addresses for word in (host, port)]
    contestants = {
        "floor": ("slots", *addresses),
        "OneHop": ("onehop", configure(cluster, directory), "alpha"),
        "RedisCluster": ("cluster", *addresses),
    }
    words = (1000, 32, len(ITEMS))
    taken = {name: [] for name in contestants}
    with Worker("C", contestants, owners) as floor, Worker("PHP", contestants, owners) as php:
        floor.ask("floor", len(ITEMS) // 1000, 0, "mset", *words)
        for _ in range(rounds):
            for name in contestants:
                worker = floor if name == "floor" else php
                taken[name] += map(int, worker.ask(name, 0, 1, "mget", *words))
    return {name: median(samples) for name, samples in taken.items()}


def java_times(cluster, directory, rounds):
    run = subprocess.run(
        [
            "java",
            "-cp",
            JAR,
            os.path.join(HERE, "Times.java"),
            configure(cluster, directory),
            seeds(cluster),
            str(rounds),
        ],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return json.loads(run.stdout)


def java_figure(what, turns, must):
    """The median of the turns' ratios. Both sides of a turn were measured close together."""
    ratio = median([turn["RedisClusterClient"] / turn["OneHop"] for turn in turns])
    medians = {name: median([turn[name] for turn in turns]) / 1e6 for name in sorted(turns[0])}
    print("  Java: " + ", ".join(f"{name} {time:.2f} ms" for name, time in medians.items()))
    return Figure(f"{what} in Java, times as fast", ratio, must, is_hard=True, is_least=True)


def mget(is_short):
    with Cluster(4) as cluster, tempfile.TemporaryDirectory() as directory:
        fill(cluster, 100000, '$r->set("key:$j", "value of key:$j");')
        taken = times(cluster, directory, 20 if is_short else 100)
        ratio = taken["RedisCluster"] / taken["OneHop"]
        print(
            f"  floor {taken['floor'] / 1e6:.2f} ms, OneHop {taken['OneHop'] / 1e6:.2f} ms, "
            f"phpredis RedisCluster {taken['RedisCluster'] / 1e6:.2f} ms"
        )
        return [
            Figure("MGET of 1000 keys, times as fast", ratio, 10.0, is_hard=True, is_least=True),
            java_figure(
                "MGET of 1000 keys",
                [java_times(cluster, directory, 100 if is_short else 500)],
                20.0,
            ),
        ]


def pipeline(is_short):
    """In turns with the raw floor of C, bench/limit, which is given the node of each key."""
    with Cluster(4) as cluster, tempfile.TemporaryDirectory() as directory:
        slots = {key: crc16(key.encode()) % SLOTS for key in KEYS}
        cluster.fill((slots[key], ("HSET", key, "name", f"name of {key}")) for key in KEYS)
        owners = {
            key: cluster.nodes.index(cluster.node_of_slot(slot)) for key, slot in slots.items()
        }
        addresses = [word for host, port in cluster.addresses for word in (host, port)]
        contestants = {
            "floor": ("scatter", *addresses),
            "onehop": ("onehop", configure(cluster, directory), "alpha"),
        }
        with Worker("C", contestants, owners) as floor, Worker("PHP", contestants, owners) as php:
            turns = [
                (
                    median(floor.run("floor", timed=50, untimed=5)),
                    median(php.run("onehop", timed=50, untimed=5)),
                )
                for _ in range(5 if is_short else 40)
            ]
        ratio = median([ours / raw for raw, ours in turns])
        floor_ns, ours_ns = (median(list(times)) for times in zip(*turns))
        print(
            f"  1000 HGETs on 4 masters: "
            f"floor {floor_ns / 1e3:.0f} us, OneHop {ours_ns / 1e3:.0f} us"
        )
        contestants = {
            "OneHop": ("onehop", configure(cluster, directory), "alpha"),
            "RedisClusterClient": ("cluster", *addresses),
        }
        with Worker("Java", contestants, owners) as java:
            for _ in range(20 if is_short else 60):
                for name in contestants:
                    java.run(name, timed=25)  # So that the JVM compiles the code.
            turns = [
                {
                    name: median(java.run(name, timed=10, untimed=2))
                    for name in random.sample(list(contestants), 2)
                }
                for _ in range(10 if is_short else 60)
            ]
        return [
            Figure("pipeline of 1000 HGETs, times the raw floor", ratio, 1.3, is_hard=True),
            java_figure("pipeline of 1000 HGETs", turns, 1.8),
        ]
