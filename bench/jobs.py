"""bench/jobs.py: every job and every contestant, so that one sees how the cost of a call grows.

A stage (places.py) has the servers for one number of nodes, one delay or one death. Each language
has one worker there (workers.py), and the floor of a Redis Cluster has a worker of its own. At
every point of a job the contestants take turns in a new random order. A turn lasts some hundredths
of a second. A slow contestant sits out most rounds. Every value is compared with its key.

README.md describes the JSON file. It is written after every stage, so an interrupted run keeps what
it has measured.
"""

import argparse
import contextlib
import datetime
import json
import os
import random
import sys
import time
from collections import namedtuple

from tree import ROOT

import launch
from contestants import BY_NAME, CONTESTANTS
from lab import LabError
from places import Places
from result import machine, save_rows
from statistic import joined, median, percentile, ratio
from table import Progress, bold, show
from workers import Worker, plan

ROUNDS, TURN_S = 15, 0.02
# The samples of one turn, and the seconds that a slow contestant may take at one point.
TIMED_MAX, SLOW_S = 20, 1.0
JVM_WARM_UP_S = 0.5

Point = namedtuple("Point", "job operation keys nodes bytes delay_ms death threads")
SINGLE = ("get", "set", "cold")


def jobs(is_short):
    """{job: (title, operation, what varies, points)}"""
    if is_short:
        sizes, counts, widths, delays, deaths = (10, 100), (4,), (32, 16_384), (0, 1), ("killed",)
        crews = (8,)
    else:
        sizes, counts, widths = (
            (10, 100, 1000, 10_000),
            (1, 2, 4, 8, 16),
            (32, 256, 2048, 16_384, 65_536),
        )
        delays, deaths = (0, 0.25, 1, 5), ("killed", "frozen")
        crews = (1, 8, 64, 200)
    many = 10 if is_short else 1000

    def job(title, operation, varies=None, values=(None,), keys=many):
        defaults = {"keys": keys, "nodes": 4, "bytes": 32, "delay_ms": 0}
        defaults |= {"death": None, "threads": None}
        steps = [{**defaults, varies: value} if varies else defaults for value in values]
        return title, operation, varies, steps

    return {
        "get": job("GET", "get", keys=100),
        "set": job("SET", "set", keys=100),
        "pipeline": job("HGETs in one pipeline", "hget", "keys", sizes),
        "mget": job("MGET", "mget", "keys", sizes),
        "mset": job("MSET", "mset", "keys", sizes),
        "del": job("DEL", "del", "keys", sizes),
        "nodes.get": job("GET", "get", "nodes", counts, 100),
        "nodes.pipeline": job(f"{many} HGETs in one pipeline", "hget", "nodes", counts),
        "nodes.mget": job(f"MGET of {many} keys", "mget", "nodes", counts),
        "values.get": job("GET", "get", "bytes", widths, 100),
        "values.set": job("SET", "set", "bytes", widths, 100),
        "values.mget": job("MGET of 100 keys", "mget", "bytes", widths, 100),
        "delay.get": job("GET", "get", "delay_ms", delays, 1),
        "delay.pipeline": job(f"{many} HGETs in one pipeline", "hget", "delay_ms", delays),
        "delay.mget": job(f"MGET of {many} keys", "mget", "delay_ms", delays),
        "cold": job("A new client and its first GET", "cold", "nodes", counts, 10),
        "dead": job(f"{many} HGETs, a node is dead", "alive", "death", deaths),
        "threads.get": job("GET", "get", "threads", crews, 50),
        "threads.pipeline": job(f"{many} HGETs in one pipeline", "hget", "threads", crews),
    }


def main():
    options = parse_options()
    table = jobs(options.short)
    points = [
        Point(name, operation, **step)
        for name, (_, operation, _, steps) in table.items()
        if not options.only or name in options.only or name.split(".")[0] in options.only
        for step in steps
    ]
    if not points:
        raise LabError(f"no such job; there are {', '.join(table)}")
    result = Result(options.output, table)
    progress = Progress()
    print(bold(f"\n{len(points)} points, contestants taking turns\n"))
    # The delays last: their slow contestants take the most time.
    stages = sorted({stage_of(point) for point in points}, key=lambda stage: (stage[1], stage[0]))
    for nodes, delay_ms, death in stages:
        here = [point for point in points if stage_of(point) == (nodes, delay_ms, death)]
        where = f"{nodes} nodes" + f", {delay_ms} ms" * (delay_ms > 0) + f", {death}" * bool(death)
        progress.step(f"{where}: starting servers and filling them")
        with Measurement(nodes, delay_ms, death, options) as measurement:
            for number, point in enumerate(sorted(here, key=lambda point: point.bytes)):
                progress.share(f"{where}: {point.job}", number, len(here))
                result.add(measurement.rows(point))
        result.save()
    progress.done()
    report(result)


def stage_of(point):
    return point.nodes, point.delay_ms, point.death or ""


def parse_options():
    parser = argparse.ArgumentParser(description="Measures all jobs with all contestants.")
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--only", type=words, metavar="JOBS", help="some jobs: get,mget,values")
    parser.add_argument(
        "--contestants", type=words, metavar="WORDS", help="those that start so: c,php.onehop"
    )
    parser.add_argument("--rounds", type=int, help=f"turns of each contestant (default {ROUNDS})")
    parser.add_argument("--short", action="store_true", help="a test, not a measurement")
    parser.add_argument("--output", metavar="FILE", help="default: bench/results/jobs.json")
    parser.add_argument("--serve", metavar="PLAN", help="only start servers and write a plan")
    options = parser.parse_args()
    name = "short" if options.short else "jobs"
    options.output = options.output or os.path.join(ROOT, f"bench/results/{name}.json")
    options.rounds = options.rounds or (1 if options.short else ROUNDS)
    return options


class Measurement(contextlib.ExitStack):
    """One stage with its workers."""

    def __init__(self, nodes, delay_ms, death, options):
        super().__init__()
        self.options = options
        self.turn_s = 0.002 if options.short else TURN_S
        self.random = random.Random(1)
        self.stored = {}  # For each placement: (bytes, keys) of its strings.
        self.places = self.enter_context(Places(nodes, delay_ms=delay_ms, is_deadly=bool(death)))
        try:
            self.places.start()
            self.worker_of = self._start_workers()
            self._write_own()
            if death:
                self._kill(death)
        except BaseException:
            self.close()
            raise

    def _start_workers(self):
        """{contestant's name: its worker}"""
        prefixes = self.options.contestants or [""]
        chosen = [
            contestant
            for contestant in CONTESTANTS
            if contestant.language == "C" or contestant.name.startswith(tuple(prefixes))
        ]
        groups = {}
        for contestant in chosen:
            # The floor of a cluster has keys and nodes of its own.
            group = contestant.program, contestant.name == "c.cluster"
            groups.setdefault(group, []).append(contestant)
        worker_of = {}
        for (program, is_cluster), members in groups.items():
            worker = self.enter_context(
                Worker(
                    program,
                    words_of(members, self.places),
                    self.places.cluster_owners if is_cluster else self.places.owners,
                    namespace=self.places.near,
                    timeout_ms=self.places.timeout_ms,
                )
            )
            worker_of.update({contestant.name: worker for contestant in members})
        return worker_of

    def _write_own(self):
        """The hashes of contestants that place keys by rules of their own."""
        for name in self._placements():
            if BY_NAME[name].at == "own":
                self.worker_of[name].ask(name, 1, 0, "hset", 10_000, 0, 10_000)

    def _kill(self, death):
        """Ends a node once all clients have connected. Then each fails often enough to eject it."""
        members = [name for name in self.worker_of if BY_NAME[name].takes_part("dead")]
        for name in members:
            # A new JVM may take longer than the timeout for its first batch.
            self.worker_of[name].ask(name, 3, 0, "alive", 1000, 0, 10_000)
        self.places.kill(death)
        for name in members:
            self.worker_of[name].ask(name, 4, 0, "alive", 1000, 0, 10_000)

    def _placements(self):
        return [name for name in self.worker_of if BY_NAME[name].writes]

    def _store(self, size, keys):
        """Writes strings of this size, unless enough of them are there already."""
        for name in self._placements():
            known_size, known_keys = self.stored.get(name, (None, 0))
            if known_size != size or known_keys < keys:
                count = min(keys, 1000 if size <= 256 else 100)
                self.worker_of[name].ask(name, keys // count, 0, "mset", count, size, keys)
                self.stored[name] = size, keys

    def rows(self, point):
        """The rows of all contestants at one point."""
        # 10,000 keys of 64 kB would fill the memory.
        keys = point.keys if point.operation == "cold" else 10_000 if point.bytes <= 256 else 1000
        if point.operation not in ("hget", "alive"):
            self._store(point.bytes, keys)
        operation = f"{point.operation}*{point.threads}" if point.threads else point.operation
        request = operation, point.keys, point.bytes, keys
        entrants = self._entrants(point, request)
        rounds, right = [], {}
        for number in range(self.options.rounds):
            one_round = {}
            for name in self.random.sample(list(entrants), len(entrants)):
                timed, stride = entrants[name]
                if number % stride == 0:
                    words = self.worker_of[name].ask(name, 1 if stride == 1 else 0, timed, *request)
                    pairs = [(*map(int, word.split("/")), point.keys)[:2] for word in words]
                    one_round[name] = [pair[0] for pair in pairs]
                    right.setdefault(name, []).extend(pair[1] for pair in pairs)
            rounds.append(one_round)
        return [row(point, name, rounds, median(right[name])) for name in entrants]

    def _entrants(self, point, request):
        """{name: (samples of a turn, every how many rounds there is a turn)}"""
        entrants = {}
        for name, worker in self.worker_of.items():
            if not BY_NAME[name].takes_part(point.job):
                continue
            # The first batch may have to connect. A slow one is not repeated.
            words = worker.ask(name, 0, 1, *request)
            if words == ["no"]:
                continue
            if nanoseconds(words) < 1e8:
                words = worker.ask(name, 0, 1, *request)
            if BY_NAME[name].language == "Java" and nanoseconds(words) < 2e8:
                words = warmed_up(worker, name, request, 0 if self.options.short else JVM_WARM_UP_S)
            taken_s = nanoseconds(words) / 1e9
            timed = max(1, min(TIMED_MAX, int(self.turn_s / taken_s)))
            turns = max(2, min(self.options.rounds, int(SLOW_S / taken_s)))
            entrants[name] = timed, -(-self.options.rounds // turns)
        return entrants


def words_of(contestants, places):
    """{name: (kind, word, ...)}, for a plan."""
    return {
        contestant.name: (contestant.kind, *places.words[contestant.at])
        for contestant in contestants
    }


def nanoseconds(words):
    """The first sample of an answer."""
    return int(words[0].split("/")[0])


def warmed_up(worker, name, request, seconds):
    """Runs the request until the JVM has compiled its code. Returns the last answer."""
    until = time.monotonic() + seconds
    while True:
        words = worker.ask(name, 5, 1, *request)
        if time.monotonic() > until:
            return words


def row(point, name, rounds, right):
    samples = joined([one_round for one_round in rounds if name in one_round], name)
    contestant = BY_NAME[name]
    return {
        "job": point.job,
        "parameters": {
            "keys": point.keys,
            "nodes": point.nodes,
            "bytes": point.bytes,
            "delay_ms": point.delay_ms,
            **({"death": point.death} if point.death else {}),
            **({"threads": point.threads} if point.threads else {}),
        },
        "contestant": name,
        "calls": (point.keys if point.operation in SINGLE else 1) * (point.threads or 1),
        "median_ns": median(samples),
        "p99_ns": percentile(samples, 99),
        "samples": len(samples),
        "of_floor": compared(rounds, name, contestant.floor),
        "of_onehop": compared(rounds, name, contestant.onehop),
        "right": right,
        "measured": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def compared(rounds, name, other):
    """The time of `name` in multiples of the other's, over the rounds in which both had a turn."""
    both = [one_round for one_round in rounds if name in one_round and other in one_round]
    if not both:
        return None
    value, low, high = ratio(both, name, other)
    return {"median": value, "middle_half": [low, high], "rounds": len(both)}


class Result:
    """The JSON file. It keeps the rows of other jobs and points if the machine is the same."""

    def __init__(self, path, table):
        self.path, self.measured = path, []
        self.content = {
            "schema": 1,
            "machine": machine(),
            "jobs": {},
            "contestants": {},
            "rows": [],
        }
        with contextlib.suppress(OSError, ValueError, KeyError), open(path) as file:
            old = json.load(file)
            if all(
                old["machine"][what] == self.content["machine"][what]
                for what in ("processor", "processors", "kernel")
            ):
                rows = [row for row in old["rows"] if row["contestant"] in BY_NAME]
                self.content.update(jobs=old["jobs"], rows=rows)
        for name, (title, operation, varies, _) in table.items():
            self.content["jobs"][name] = {"title": title, "operation": operation, "varies": varies}
        for contestant in CONTESTANTS:
            self.content["contestants"][contestant.name] = {
                "label": contestant.label,
                "language": contestant.language,
                "floor": contestant.floor,
                "onehop": contestant.onehop,
                "setup": contestant.setup,
            }

    def add(self, rows):
        self.measured += rows
        new = {place_of(row) for row in rows}
        self.content["rows"] = [
            row for row in self.content["rows"] if place_of(row) not in new
        ] + rows

    def save(self):
        save_rows(self.path, self.content, self.content["rows"])


def place_of(row):
    return row["job"], row["contestant"], tuple(sorted(row["parameters"].items()))


def report(result):
    """Prints a row for each contestant at each point: the cost of a call, and its ratios.

    The ratios are those to the floor and to OneHop.
    """
    lines = []
    for row in result.measured:
        varies = result.content["jobs"][row["job"]]["varies"]
        lines.append(
            (
                row["job"],
                f"{row['parameters'][varies]}" if varies else "",
                row["contestant"],
                f"{row['median_ns'] / row['calls'] / 1000:.1f} us",
                *(
                    f"{row[what]['median']:.2f}" if row[what] else ""
                    for what in ("of_floor", "of_onehop")
                ),
                f"{row['right']:g} of {row['parameters']['keys']}",
            )
        )
    show(("job", "at", "contestant", "one call", "of floor", "of OneHop", "right"), lines, left=3)
    print(f"\n  Written to {os.path.relpath(result.path)}.\n")


def serve(path):
    """Servers for PHPBench and JMH, until the plan is gone or was not touched for a minute."""
    with Places(4) as places:
        places.start()
        members = [contestant for contestant in CONTESTANTS if contestant.language != "C"]
        with open(f"{path}.new", "w") as file:
            file.write(plan(words_of(members, places), places.owners))
        os.replace(f"{path}.new", path)
        with contextlib.suppress(FileNotFoundError):
            while time.time() - os.stat(path).st_mtime < 60:
                time.sleep(0.1)


if __name__ == "__main__":
    launch.run(lambda: main() if "--serve" not in sys.argv else serve(parse_options().serve))
