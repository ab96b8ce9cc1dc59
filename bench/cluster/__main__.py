"""Redis Cluster: what the map costs, and what moving slots and dying masters do to callers.

    python3 bench/cluster [--short] [map] [mget] [pipeline] [move] [failover]

Clusters are real ones, of the tests' lab. Each job prints its figure and what it must be; the program fails if one that
is about being right is not. `mget` and `pipeline` say how much faster, so they want a quiet machine.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import tree  # noqa: E402,F401 (finds the lab)
from lab.cluster import Cluster, SLOTS  # noqa: E402
from stage import KEYS  # noqa: E402
from statistic import median  # noqa: E402
from workers import Worker  # noqa: E402
from lab.fpm import Fpm  # noqa: E402
from lab.redis import RedisNode  # noqa: E402

EXTENSION = os.path.join(os.path.dirname(os.path.dirname(HERE)), "php-ext", "modules", "onehop.so")
JAR = os.path.join(os.path.dirname(os.path.dirname(HERE)), "java", "testee", "target", "onehop-testee.jar")
PHP = ["php", "-d", f"extension={EXTENSION}"]
failed = []


def say(what, figure, must, is_right):
    print(f"  {what}: {figure} (must be {must}){'' if is_right else '   <-- MISSED'}", flush=True)
    if not is_right:
        failed.append(what)


def configure(cluster, directory, **directives):
    path = os.path.join(directory, "onehop.yml")
    lines = ["alpha:", "  listen: 127.0.0.1:1", "  redis: true", "  cluster: true", "  timeout: 10000",
             *(f"  {name}: {value}" for name, value in directives.items()), "  servers:"]
    with open(path, "w") as file:
        file.write("\n".join(lines + [f"   - {host}:{port}:1" for host, port in cluster.addresses]) + "\n")
    return path


def seeds(cluster):
    return ",".join(f"{host}:{port}" for host, port in cluster.addresses)


def questions(cluster):
    """How often the nodes were asked for the map."""
    total = 0
    for node in cluster.nodes:
        for line in node.command("INFO", "commandstats").decode().split("\r\n"):
            if line.startswith(("cmdstat_cluster|shards", "cmdstat_cluster|slots", "cmdstat_cluster|nodes")):
                total += int(line.split("calls=")[1].split(",")[0])
    return total


def errors(cluster, kind):
    total = 0
    for node in cluster.nodes:
        for line in node.command("INFO", "errorstats").decode().split("\r\n"):
            if line.startswith(f"errorstat_{kind}:count="):
                total += int(line.split("=")[1])
    return total


def reset(cluster):
    for node in cluster.nodes:
        node.command("CONFIG", "RESETSTAT")


def fill(cluster, count, command):
    """Through the client: it knows where."""
    script = f"$r = new OneHop\\Redis('alpha', $argv[1]); for ($i = 0; $i < {count}; $i += 1000) {{ $r->pipeline();" \
             f" for ($j = $i; $j < min({count}, $i + 1000); $j++) {{ {command} }} $r->exec(); }}"
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([*PHP, "-r", script, "--", configure(cluster, directory)], check=True)


# ---- What the map costs ----

def bench_map(is_short):
    """In turns, so that what else the machine does befalls all. phpredis has a connection to each node for each worker."""
    requests, workers, turns = (400, 8, 4) if is_short else (4000, 24, 20)
    with Cluster(3) as cluster, tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        def onehop(pool_size):
            own = stack.enter_context(tempfile.TemporaryDirectory())
            return "onehop", {"extension": EXTENSION, "onehop.config": configure(cluster, own, pool_size=pool_size)}

        fill(cluster, 1000, '$r->set("key:$j", "value of key:$j");')
        contestants = {"OneHop": onehop(workers),
                       "OneHop, connections for two of three workers": onehop(workers * 2 // 3),
                       "phpredis RedisCluster": ("phpredis", {}),
                       "phpredis RedisCluster, cache_slots": ("phpredis", {"redis.clusters.cache_slots": 1})}
        callers = stack.enter_context(ThreadPoolExecutor(workers))
        fpms = {label: stack.enter_context(Fpm(workers=workers, settings=settings)) for label, (_, settings) in contestants.items()}
        asked, rates = dict.fromkeys(contestants, 0), {label: [] for label in contestants}
        for turn in range(turns):
            for label, (client, _) in random.sample(list(contestants.items()), len(contestants)):
                ask = lambda seed: fpms[label].request(os.path.join(HERE, "page.php"), seconds=60,
                                                       query=f"client={client}&seed={seed}&seeds={seeds(cluster)}")
                before, begun, count = questions(cluster), time.monotonic(), requests // turns
                answers = list(callers.map(ask, range(turn * count, (turn + 1) * count)))
                rates[label].append(count / (time.monotonic() - begun))
                asked[label] += questions(cluster) - before
                wrong = [body for _, body in answers if body != b"0"]
                if wrong:
                    raise SystemExit(f"{label}: {len(wrong)} pages were wrong, such as {wrong[0]}")
        for label, (client, _) in contestants.items():
            print(f"  {label}: {asked[label]} topology queries for {requests} requests of {workers} workers, {median(rates[label]):.0f} pages/s")
            if client == "onehop":
                say("topology queries", asked[label], "at most 12", asked[label] <= 12)


# ---- How fast ----

def times(cluster, directory, rounds):
    run = subprocess.run([*PHP, os.path.join(HERE, "times.php"), configure(cluster, directory), seeds(cluster), str(rounds)],
                         check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def java_times(cluster, directory, rounds):
    run = subprocess.run(["java", "-cp", JAR, os.path.join(HERE, "Times.java"), configure(cluster, directory), seeds(cluster),
                          str(rounds)], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(run.stdout)


def say_java(what, turns, must):
    """The median of what each turn says: both sides of it were measured at the same time."""
    ratio = median([turn["RedisClusterClient"] / turn["OneHop"] for turn in turns])
    print("  Java: " + ", ".join(f"{name} {median([turn[name] for turn in turns]) / 1e6:.2f} ms" for name in sorted(turns[0])))
    say(f"{what} in Java, times as fast", f"{ratio:.1f}", f"at least {must}", ratio >= must)


def bench_mget(is_short):
    with Cluster(4) as cluster, tempfile.TemporaryDirectory() as directory:
        fill(cluster, 100000, '$r->set("key:$j", "value of key:$j");')
        taken = times(cluster, directory, 20 if is_short else 100)
        ratio = taken["RedisCluster"] / taken["OneHop"]
        print(f"  OneHop {taken['OneHop'] / 1e6:.2f} ms, phpredis RedisCluster {taken['RedisCluster'] / 1e6:.2f} ms")
        say("MGET of 1000 keys, times as fast", f"{ratio:.1f}", "at least 10", ratio >= 10)
        say_java("MGET of 1000 keys", [java_times(cluster, directory, 100 if is_short else 500)], 20)


def bench_pipeline(is_short):
    """In turns with bench/limit, which is told which node has which key: the raw floor of C."""
    with Cluster(4) as cluster, tempfile.TemporaryDirectory() as directory:
        slots = {key: crc16(key.encode()) % SLOTS for key in KEYS}
        cluster.fill((slots[key], ("HSET", key, "name", f"name of {key}")) for key in KEYS)
        owners = {key: cluster.nodes.index(cluster.node_of_slot(slot)) for key, slot in slots.items()}
        addresses = [word for host, port in cluster.addresses for word in (host, port)]
        contestants = {"floor": ("scatter", *addresses), "onehop": ("onehop", configure(cluster, directory), "alpha")}
        with Worker("C", contestants, owners) as floor, Worker("PHP", contestants, owners) as php:
            turns = [(median(floor.run("floor", timed=50, untimed=5)), median(php.run("onehop", timed=50, untimed=5)))
                     for _ in range(5 if is_short else 40)]
        ratio = median([ours / raw for raw, ours in turns])
        print(f"  1000 HGETs on 4 masters: floor {median([raw for raw, _ in turns]) / 1e3:.0f} us, OneHop {median([ours for _, ours in turns]) / 1e3:.0f} us")
        say("pipeline of 1000 HGETs, times the raw floor", f"{ratio:.2f}", "at most 1.3", ratio <= 1.3)
        contestants = {"OneHop": ("onehop", configure(cluster, directory), "alpha"), "RedisClusterClient": ("cluster", *addresses)}
        with Worker("Java", contestants, owners) as java:
            for _ in range(20 if is_short else 60):
                for name in contestants:
                    java.run(name, timed=25)  # The JVM compiles what it will run.
            turns = [{name: median(java.run(name, timed=10, untimed=2)) for name in random.sample(list(contestants), 2)}
                     for _ in range(10 if is_short else 60)]
        say_java("pipeline of 1000 HGETs", turns, 1.8)


# ---- Slots that move ----

def tags_of(slots):
    """A hash tag for each slot, found by trying."""
    wanted, found, number = set(slots), {}, 0
    while len(found) < len(wanted):
        slot = crc16(str(number).encode()) % SLOTS
        if slot in wanted:
            found.setdefault(slot, str(number))
        number += 1
    return [found[slot] for slot in slots]


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


class Ledgers:
    """Workers that write and read until told to stop."""

    def __init__(self, cluster, directory, slots, count, **directives):
        self.stop = os.path.join(directory, "stop")
        tags = os.path.join(directory, "tags")
        with open(tags, "w") as file:
            file.write(",".join(tags_of(slots)))
        config = configure(cluster, directory, **directives)
        self.workers = [subprocess.Popen([*PHP, os.path.join(HERE, "ledger.php"), config, f"worker{number}", self.stop, tags],
                                         stdout=subprocess.PIPE, text=True) for number in range(count)]

    def end(self):
        open(self.stop, "w").close()
        return [json.loads(worker.communicate()[0]) for worker in self.workers]


def move(slot, source, target, others, ids):
    target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source])
    source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target])
    while keys := source.command("CLUSTER", "GETKEYSINSLOT", slot, 100):
        source.command("MIGRATE", *target.address, "", 0, 5000, "KEYS", *keys)
    for node in (target, source, *others):
        node.command("CLUSTER", "SETSLOT", slot, "NODE", ids[target])


def bench_move(is_short):
    count, seconds = (300, 5) if is_short else (4000, 60)
    with Cluster(3) as cluster, tempfile.TemporaryDirectory() as directory:
        source, target, other = cluster.nodes
        ids = {node: node.command("CLUSTER", "MYID").decode() for node in cluster.nodes}
        ledgers = Ledgers(cluster, directory, range(count), 3)
        time.sleep(1)
        reset(cluster)
        begun = time.monotonic()
        for slot in range(count):
            move(slot, source, target, [other], ids)
            time.sleep(max(0, begun + seconds * (slot + 1) / count - time.monotonic()))
        taken, moved, asked, maps = time.monotonic() - begun, errors(cluster, "MOVED"), errors(cluster, "ASK"), questions(cluster)
        results = ledgers.end()
        sums = {name: sum(result[name] for result in results) for name in ("writes", "wrong", "lost")}
        failures = sum(len(result["failures"]) for result in results)
        print(f"  {count} slots in {taken:.0f} s under {len(results)} workers: {sums['writes']} writes, {moved} MOVED, {asked} ASK,"
              f" {maps} topology queries")
        for name, figure in (("wrong replies", sums["wrong"]), ("failed batches", failures), ("lost acknowledged writes", sums["lost"])):
            say(name, figure, 0, figure == 0)
        for example in [example for result in results for example in result["examples"]][:3]:
            print("   ", example)
        hosts = len(results)  # Processes of the command line: each has a memory of its own.
        say("MOVED for each slot and host", f"{moved / count / hosts:.2f}", "at most 1, but for several in one batch",
            moved <= count * hosts * 2)


# ---- Masters that die ----

def bench_failover(is_short):
    rounds = 2 if is_short else 20
    with Cluster(3, cluster_require_full_coverage="no", cluster_node_timeout=1000) as cluster, tempfile.TemporaryDirectory() as directory:
        ids = {node: node.command("CLUSTER", "MYID").decode() for node in cluster.nodes}
        pairs = []
        for master in list(cluster.nodes):
            replica = RedisNode(cluster=True, cluster_require_full_coverage="no", cluster_node_timeout=1000, repl_diskless_sync_delay=0)
            cluster.nodes.append(replica)
            replica.command("CLUSTER", "MEET", *master.address, master.bus_port)
            pairs.append([master, replica, ids[master]])
        for master, replica, identity in pairs:
            until(lambda: identity in replica.command("CLUSTER", "NODES").decode(), "introduction")
            time.sleep(0.5)
            retry(lambda: replica.command("CLUSTER", "REPLICATE", identity))
            until(lambda: b"master_link_status:up" in replica.command("INFO", "replication"), "replication")
        ledgers = Ledgers(cluster, directory, range(0, SLOTS, 80), 2)
        time.sleep(1)
        windows = []
        for number in range(rounds):
            pair = pairs[number % len(pairs)]
            master, replica = pair[0], pair[1]
            until(lambda: b"master_link_status:up" in replica.command("INFO", "replication"), "replication")
            died = time.time()
            master.process.kill() if hasattr(master.process, "kill") else os.kill(master.pid, 9)
            until(lambda: b"role:master" in replica.command("INFO", "replication"), "promotion")
            windows.append((died, time.time()))
            time.sleep(3)
            cluster.nodes.remove(master)
            port, bus = master.port, master.bus_port
            master.stop()
            fresh = RedisNode(cluster=True, cluster_require_full_coverage="no", cluster_node_timeout=1000, repl_diskless_sync_delay=0)
            cluster.nodes.append(fresh)
            fresh.command("CLUSTER", "MEET", *replica.address, replica.bus_port)
            identity = replica.command("CLUSTER", "MYID").decode()
            until(lambda: identity in fresh.command("CLUSTER", "NODES").decode(), "introduction")
            retry(lambda: fresh.command("CLUSTER", "REPLICATE", identity))
            until(lambda: b"master_link_status:up" in fresh.command("INFO", "replication"), "replication")
            pair[0], pair[1] = replica, fresh
        results = ledgers.end()
        outside, latest = 0, 0.0
        for begun, ended in (failure for result in results for failure in result["failures"]):
            window = next((window for window in windows if window[0] - 0.1 <= begun <= window[1] + 2), None)
            outside += window is None
            latest = max(latest, begun - window[1]) if window else latest
        elections = sorted(promoted - died for died, promoted in windows)
        print(f"  {rounds} masters killed; elections took {elections[0]:.1f} to {elections[-1]:.1f} s;"
              f" {sum(result['writes'] for result in results)} writes, {sum(len(result['failures']) for result in results)} failed batches")
        say("wrong replies", sum(result["wrong"] for result in results), 0, not any(result["wrong"] for result in results))
        say("failures later than 2 s after a promotion, or at other times", outside, 0, outside == 0)
        print(f"  the last failed call began {latest:.2f} s after a promotion")
        for example in [example for result in results for example in result["examples"]][:3]:
            print("   ", example)


def until(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"no {what} within {seconds} s")
        time.sleep(0.02)


def retry(call, seconds=10):
    end = time.monotonic() + seconds
    while True:
        try:
            return call()
        except Exception:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


JOBS = {"map": bench_map, "mget": bench_mget, "pipeline": bench_pipeline, "move": bench_move, "failover": bench_failover}


def main():
    names = [name for name in sys.argv[1:] if name != "--short"] or list(JOBS)
    for name in names:
        print(f"{name}:", flush=True)
        JOBS[name]("--short" in sys.argv)
    if failed:
        sys.exit("missed: " + ", ".join(failed))


main()
