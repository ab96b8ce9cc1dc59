"""make bench: all contestants in one run, taking turns, and their ratios next to the bounds.

Servers: 4 redis nodes with a nutcracker in front, one redis that has everything, a cluster of 4
masters, and 8 + 1 nodes behind a wire that delays every packet by 1 ms. Workers (see workers.py):
C, PHP, Java, and a second PHP at the near end of the wire. In every round each contestant runs a
few batches, in a new random order; every value of every batch is compared with its key.

It prints two tables (times, figures) and writes them to a JSON file with the medians of every
round. README.md explains how to read them.
"""

import argparse
import json
import os
import random

from tree import ROOT

import launch
from result import machine
from stage import POOL, Stage
from statistic import joined, median, percentile, ratio
from syscalls import socket_calls_per_get
from table import Progress, bold, green, milliseconds, red, show
from workers import Worker

# Batches per turn. The first two refill the caches after the other contestants' turns.
UNTIMED, TIMED = 2, 10
# After 1,500 batches of each kind the JVM has compiled all that matters.
WARM_UP_TURNS, WARM_UP_BATCHES = 60, 25

LABELS = {
    "c.floor": "C     raw sockets, 4 nodes: the floor",
    "php.onehop": "PHP   OneHop, 4 nodes",
    "php.sequential": "PHP   phpredis, 4 nodes, node after node",
    "php.nutcracker": "PHP   phpredis through nutcracker",
    "java.onehop": "Java  OneHop, 4 nodes",
    "java.one": "Java  one Jedis pipeline, one node",
    "java.nutcracker": "Java  Jedis through nutcracker",
    "java.cluster": "Java  RedisClusterClient.pipelined(), 4 masters",
    "wire.one": "PHP   OneHop, 1 node behind 1 ms",
    "wire.eight": "PHP   OneHop, 8 nodes behind 1 ms",
    "wire.sequential": "PHP   phpredis, 8 nodes behind 1 ms, node after node",
}

# A figure is the time of one contestant divided by the time of another, and its bound.
FIGURES = (
    ("PHP: OneHop / raw C floor", "php.onehop", "c.floor", "<=", 1.2),
    ("PHP: phpredis node after node / OneHop", "php.sequential", "php.onehop", ">=", 1.6),
    ("PHP: phpredis through nutcracker / OneHop", "php.nutcracker", "php.onehop", ">=", 5.5),
    ("Java: Jedis through nutcracker / OneHop", "java.nutcracker", "java.onehop", ">=", 3.0),
    ("Java: OneHop / one Jedis pipeline on one node", "java.onehop", "java.one", "<=", 1.05),
    ("Java: RedisClusterClient.pipelined() / OneHop", "java.cluster", "java.onehop", ">=", 1.8),
    ("PHP: 8 nodes / 1 node, each behind 1 ms", "wire.eight", "wire.one", "<=", 1.3),
)
SYSCALLS_FIGURE = ("PHP: system calls on the socket per GET", "==", 3)


def main():
    options = parse_options()
    progress = Progress()
    print(bold("\n1000 HGETs, contestants taking turns\n"))
    with Stage() as stage:
        progress.step("starting servers and filling them")
        stage.nodes_behind_nutcracker()
        stage.one_node()
        stage.cluster_of_masters()
        stage.nodes_behind_wire()
        progress.step("starting workers")
        worker_of = start_workers(stage)
        rounds = measure(worker_of, options, progress)
        progress.step("counting system calls")
        calls = {
            "php.onehop": socket_calls_per_get("onehop", stage.nutcracker.config_path, POOL),
            "phpredis": socket_calls_per_get("phpredis", *stage.one.address),
        }
        progress.done()
    figures = [judged(*figure, rounds) for figure in FIGURES] + [judged_calls(calls["php.onehop"])]
    report(rounds, figures, calls)
    save(options, rounds, figures, calls)


def parse_options():
    parser = argparse.ArgumentParser(description="Measures all contestants side by side.")
    parser.add_argument(
        "--rounds", type=int, default=60, help="turns of each contestant (default 60)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="for the order within the rounds (default 1)"
    )
    parser.add_argument(
        "--output", default=os.path.join(ROOT, "bench/results/latest.json"), metavar="FILE"
    )
    return parser.parse_args()


def start_workers(stage):
    """{contestant: the worker that runs it}"""
    flat = [word for node in stage.nodes for word in node.address]
    direct = ("onehop", stage.nutcracker.config_path, POOL)
    nutcracker = ("pipeline", *stage.nutcracker.address(POOL))
    c = {"c.floor": ("scatter", *flat)}
    php = {
        "php.onehop": direct,
        "php.sequential": ("sequential", *flat),
        "php.nutcracker": nutcracker,
    }
    java = {
        "java.onehop": direct,
        "java.one": ("pipeline", *stage.one.address),
        "java.nutcracker": nutcracker,
        "java.cluster": (
            "cluster",
            *(word for address in stage.cluster.addresses for word in address),
        ),
    }
    wire = {
        "wire.one": ("onehop", stage.wire_one_config, POOL),
        "wire.eight": ("onehop", stage.wire_eight_config, POOL),
        "wire.sequential": (
            "sequential",
            *(word for node in stage.wire_nodes for word in node.address),
        ),
    }
    worker_of = {}
    for language, contestants, owners, namespace in (
        ("C", c, stage.owners, None),
        ("PHP", php, stage.owners, None),
        ("Java", java, stage.owners, None),
        ("PHP", wire, stage.wire_owners, stage.near),
    ):
        worker = stage.enter_context(Worker(language, contestants, owners, namespace=namespace))
        worker_of.update(dict.fromkeys(contestants, worker))
    return worker_of


def measure(worker_of, options, progress):
    """A list of rounds, each {contestant: [nanoseconds, ...]}."""
    shuffled = random.Random(options.seed)
    java = [name for name in worker_of if name.startswith("java.")]
    for turn in range(WARM_UP_TURNS):
        progress.share("warming up the JVM", turn, WARM_UP_TURNS)
        for name in java:
            worker_of[name].run(name, timed=WARM_UP_BATCHES)
    rounds = []
    for number in range(options.rounds):
        progress.share("measuring", number, options.rounds)
        order = shuffled.sample(list(worker_of), len(worker_of))
        rounds.append(
            {name: worker_of[name].run(name, untimed=UNTIMED, timed=TIMED) for name in order}
        )
    return rounds


def judged(what, above, below, sign, bound, rounds):
    value, low, high = ratio(rounds, above, below)
    return {
        "figure": what,
        "value": value,
        "middle_half": [low, high],
        "bound": f"{sign} {bound}",
        "met": value <= bound if sign == "<=" else value >= bound,
    }


def judged_calls(value):
    what, sign, bound = SYSCALLS_FIGURE
    return {
        "figure": what,
        "value": value,
        "middle_half": None,
        "bound": f"{sign} {bound}",
        "met": value == bound,
    }


def report(rounds, figures, calls):
    floor = median(joined(rounds, "c.floor"))
    rows = []
    for name, label in LABELS.items():
        samples = joined(rounds, name)
        rows.append(
            (
                label,
                milliseconds(median(samples)),
                milliseconds(percentile(samples, 99)),
                f"{median(samples) / floor:.2f}",
            )
        )
    show(("1000 HGETs", "p50", "p99", "of the floor"), rows)
    print()
    rows = [
        (
            figure["figure"],
            f"{figure['value']:.2f}",
            "{:.2f} .. {:.2f}".format(*figure["middle_half"]) if figure["middle_half"] else "exact",
            figure["bound"],
            "met" if figure["met"] else "MISSED",
        )
        for figure in figures
    ]
    show(
        ("figure", "measured", "middle half", "must be", ""),
        rows,
        paint=lambda row: green if row[-1] == "met" else red,
    )
    medians = [median(one_round["c.floor"]) for one_round in rounds]
    growth = percentile(medians, 75) / percentile(medians, 25) - 1
    print(
        f"\n  {sum(figure['met'] for figure in figures)} of {len(figures)} figures met. "
        f"Stock phpredis makes {calls['phpredis']:g} system calls per GET.\n"
        "  Noise: the C floor itself is "
        f"{100 * growth:.0f} % slower in the slow quarter of the rounds than in the fast one."
    )


def save(options, rounds, figures, calls):
    times = {
        name: {
            "p50_ns": median(joined(rounds, name)),
            "p99_ns": percentile(joined(rounds, name), 99),
            "round_medians_ns": [median(one_round[name]) for one_round in rounds],
        }
        for name in LABELS
    }
    result = {
        "machine": machine(),
        "options": {"rounds": options.rounds, "seed": options.seed, "timed_per_round": TIMED},
        "figures": figures,
        "socket_calls_per_get": calls,
        "times": times,
    }
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    with open(options.output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    print(f"  Written to {os.path.relpath(options.output)}.\n")


if __name__ == "__main__":
    launch.run(main)
