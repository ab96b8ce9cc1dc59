"""Masters of a Redis Cluster are replaced under load, as planned and by death; calls may wait."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from built import EXTENSION, JAVA
from clusters import configure, retry, tags_of
from failover import Shard
from figures import Figure
from lab import LabError, Process
from lab.cluster import Cluster
from lab.fpm import Fpm
from lab.resp import ReplyError
from lab.slots import await_shards, promote, until
from table import show

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = {
    "cluster_require_full_coverage": "no",
    "cluster_replica_validity_factor": 0,
    "cluster_allow_replica_migration": "no",
    "repl_diskless_sync_delay": 0,
    "repl_ping_replica_period": 1,
}
SHARDS = 3  # There is also a master without a replica.
PLANNED_TIMEOUT_MS = 1500
LONG_MS, SHORT_MS = 8000, 500
SLOTS_USED = range(0, 16384, 64)
RECOVERY_S, BUSY_RECOVERY_S = 0.2, 6  # How long after a promotion calls may fail.
PAUSE_MORE_S = 0.05  # How much longer than the server's own pause a call may take.
ELECTED = re.compile(r":S (\d+ \w+ \d+ [\d:.]+) .*Failover election won")
# What a worker does, with which server pool.
JOBS = [
    ("single", "long"),
    ("batch", "long"),
    ("blocking", "long"),
    ("single", "short"),
    ("read", "reading"),
]


class Callers:
    """Workers of php-fpm and threads of a Java client, one for each of the jobs."""

    def __init__(self, cluster):
        self._directory = tempfile.TemporaryDirectory()
        self.directory = self._directory.name
        self._write("tags", ",".join(tags_of(SLOTS_USED)))
        pools = {
            "long": {"timeout": LONG_MS},
            "short": {"timeout": SHORT_MS},
            "reading": {"timeout": LONG_MS, "read_from": "prefer_master"},
        }
        for name, directives in pools.items():
            os.rename(configure(cluster, self.directory, **directives), self.config(name))
        self._threads, self._java, self._fpm = ThreadPoolExecutor(len(JOBS)), None, None
        try:
            jobs = [f"{job}={self.config(pool)}" for job, pool in JOBS]
            self._java = Process(
                [*JAVA, os.path.join(HERE, "Heirs.java"), self.directory, *jobs],
                name="heirs",
                stdout=subprocess.PIPE,
            )
            self._fpm = Fpm(
                workers=len(JOBS), settings={"extension": EXTENSION, "error_log": "/dev/null"}
            )
            self._php = [
                self._threads.submit(
                    self._ask, f"job={job}&directory={self.directory}&config={self.config(pool)}"
                )
                for job, pool in JOBS
            ]
            for host in ("php", "java"):
                for job, pool in JOBS:
                    begun = os.path.join(self.directory, f"begun-{host}-{job}-{pool}")
                    until(lambda: self._has_begun(begun), f"{host} {job} {pool} has begun")
        except BaseException:
            self.__exit__()
            raise

    def config(self, name):
        return os.path.join(self.directory, f"{name}.yml")

    def end(self):
        """Ends the workers. Returns all calls that took long or failed."""
        self._write("stop", "")
        java = json.loads(self._java.child.communicate(timeout=120)[0] or "null")
        if java is None:
            raise LabError("Java ended without output\n" + self._java.log_tail())
        told = {"PHP": [json.loads(worker.result()) for worker in self._php], "Java": java}
        for host, workers in told.items():
            print(f"  {host}: {sum(worker['calls'] for worker in workers)} calls")
        return [
            Call(host, job, pool, *call)
            for host, workers in told.items()
            for (job, pool), worker in zip(JOBS, workers)
            for call in worker["noted"]
        ]

    def _has_begun(self, path):
        for worker in self._php:
            if worker.done():
                worker.result()  # Raises the worker's failure.
        return os.path.exists(path)

    def _ask(self, query):
        status, body = self._fpm.request(os.path.join(HERE, "heirs.php"), query=query, seconds=7200)
        if status != 200 or body[:1] != b"{":
            shown = body[:2000].decode(errors="replace")
            raise LabError(f"PHP: {status} {shown}\n{self._fpm.process.log_tail()}")
        return body

    def _write(self, name, text):
        with open(os.path.join(self.directory, name), "w") as file:
            file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._write("stop", "")
        for process in (self._java, self._fpm):
            if process:
                process.stop()
        self._threads.shutdown()
        self._directory.cleanup()


class Call:
    def __init__(self, host, job, pool, begun, ended, what, failure, may_have_run, node, text):
        self.host, self.job, self.pool, self.what = host, job, pool, what
        self.begun, self.ended, self.seconds = begun, ended, ended - begun
        self.failure, self.may_have_run, self.node, self.text = failure, may_have_run, node, text

    @property
    def is_at_its_end(self):
        """True if the deadline ended the call. Clocks may differ a little."""
        timeout_ms = SHORT_MS if self.pool == "short" else LONG_MS
        return self.seconds >= timeout_ms / 1000 * 0.95

    def __str__(self):
        return f"{self.host} {self.job} {self.pool}: {self.what}, {self.seconds:.3f} s, {self.text}"


# ---- Planned ----


class Turns:
    """Lets time pass before a node becomes the master of its shard again.

    If the last election of a node is less than four node timeouts ago, Redis 7.0 counts its votes
    once more. The node becomes a master without an election, and in a moment a replica again.
    """

    def __init__(self, timeout_ms):
        self._pause_s, self._promoted = timeout_ms / 1000 * 4 + 0.5, {}

    def take(self, node):
        now = time.monotonic()
        time.sleep(max(0.0, self._promoted.get(node, -self._pause_s) + self._pause_s - now))
        self._promoted[node] = time.monotonic()


class Probe:
    """A plain client of one slot, which follows MOVED. Shows how long the servers let it wait."""

    def __init__(self, shard, key):
        self._shard, self._key, self._ends = shard, key, False
        self.longest = 0.0
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        connections = {}
        port = self._shard.master.port
        nodes = {node.port: node for node in (self._shard.master, self._shard.replica)}
        while not self._ends:
            begun = time.monotonic()
            while True:
                try:
                    connection = connections.get(port) or nodes[port].connect()
                    connections[port] = connection
                    connection.command("SET", self._key, "probe")
                    break
                except ReplyError as error:
                    moved = str(error).startswith("MOVED")
                    port = int(str(error).rsplit(":", 1)[1]) if moved else port
            self.longest = max(self.longest, time.monotonic() - begun)
            time.sleep(0.001)
        for connection in connections.values():
            connection.close()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends = True
        self._thread.join()


def planned(progress, shards, cluster, count):
    """The first failover of each shard is not measured: a JVM loads its classes meanwhile."""
    progress.step(f"heirs: {count} planned failovers")
    turns, windows = Turns(PLANNED_TIMEOUT_MS), []
    with Callers(cluster) as callers:
        for number in range(-SHARDS, count):
            shard = shards[number % len(shards)]
            key = f"{{{tags_of([shard.slot])[0]}}}probe"
            turns.take(shard.replica)
            with Probe(shard, key) as probe:
                time.sleep(0.3)
                probe.longest = 0.0
                begun = time.time()
                promote(shard.replica)
                until(lambda: follows(shard.master), "the old master follows")
                time.sleep(0.3)
            windows.append((begun, time.time(), probe.longest))
            shard.master, shard.replica = shard.replica, shard.master
            progress.step(f"heirs: {number + 1} of {count} planned failovers")
        calls = callers.end()
    windows = windows[SHARDS:]
    calls = [call for call in calls if call.begun >= windows[0][0]]
    failed = [call for call in calls if call.failure]
    over = [call for call in failed if call.is_at_its_end]
    longer = [more_than_pause(calls, window) for window in windows]
    pauses = sorted(pause for _, _, pause in windows)
    print(f"  the servers' own pauses: {pauses[0]:.3f} to {pauses[-1]:.3f} s")
    tell(failed)
    slowest = max(zip(longer, range(count)))[1]
    for call in longest_in(calls, windows[slowest])[:3]:
        print("   ", call)
    return [
        Figure("calls that failed in planned failovers", len(failed) - len(over), 0, is_hard=True),
        Figure("calls whose time was over in planned failovers", len(over), 0),
        Figure("most that a call took beyond the pause", max(longer), PAUSE_MORE_S, unit=" s"),
    ]


def follows(node):
    return b"master_link_status:up" in node.command("INFO", "replication")


def longest_in(calls, window):
    begun, ended, _ = window
    return sorted(
        (
            call
            for call in calls
            if call.job != "blocking" and call.begun <= ended and begun <= call.ended
        ),
        key=lambda call: -call.seconds,
    )


def more_than_pause(calls, window):
    longest = next((call.seconds for call in longest_in(calls, window)), 0.0)
    return max(0.0, longest - window[2])


# ---- Deaths ----


def promoted_at(node, since):
    """When the replica won its election, as its log says."""
    with open(node.process.log_path, errors="replace") as log:
        times = [
            datetime.strptime(match.group(1), "%d %b %Y %H:%M:%S.%f").timestamp()
            for match in ELECTED.finditer(log.read())
        ]
    return next((at for at in times if at >= since - 0.001), None)


def deaths(progress, shards, cluster, count, recovery_s=RECOVERY_S):
    progress.step(f"heirs: {count} deaths")
    windows = []
    with Callers(cluster) as callers:
        for number in range(count):
            shard = shards[number % len(shards)]
            dead, heir, died = shard.master, shard.replica, time.time()
            dead.kill()
            until(lambda: promoted_at(heir, died), "the replica is promoted", 60)
            windows.append((died, promoted_at(heir, died)))
            time.sleep(1)
            dead.restart()
            shard.master, shard.replica = heir, dead
            until(lambda: follows(dead), "the old master follows", 60)
            time.sleep(1)
            progress.step(f"heirs: {number + 1} of {count} deaths")
        lonely = time.time()
        cluster.nodes[SHARDS].kill()
        time.sleep(3)
        calls = callers.end()
    elections = sorted(promoted - died for died, promoted in windows)
    print(f"  elections took {elections[0]:.1f} to {elections[-1]:.1f} s")
    failed = [call for call in calls if call.failure]
    alone = [call for call in failed if call.ended >= lonely]
    failed = [call for call in failed if call.ended < lonely]
    outside = [call for call in failed if is_late(call, windows, recovery_s)]
    # On a busy machine a call may use up its deadline.
    late = [call for call in outside if not call.is_at_its_end]
    early = [call for call in failed if call not in outside and not is_due(call)]
    tell(failed)
    waited = [call for call in alone if call.seconds > recovery_s and not call.may_have_run]
    for call in (late + early + waited)[:10]:
        print("   ", call)
    return [
        Figure(f"calls that failed {recovery_s} s after a promotion", len(late), 0, is_hard=True),
        Figure("calls whose time was over then", len(outside) - len(late), 0),
        Figure("calls that ended before their time, not sent", len(early), 0, is_hard=True),
        Figure(
            "reads with prefer_master that failed",
            sum(call.job == "read" for call in failed),
            0,
            is_hard=True,
        ),
        Figure("calls that waited for a master without a replica", len(waited), 0),
        Figure("calls that failed there", len(alone), 1, is_least=True),
    ]


def is_late(call, windows, recovery_s):
    return not any(died <= call.ended <= promoted + recovery_s for died, promoted in windows)


def is_due(call):
    return call.is_at_its_end or (call.may_have_run and call.what != "read")


def tell(failed):
    kinds = Counter(
        (
            call.host,
            call.job,
            call.pool,
            call.failure,
            call.what,
            "may have run" if call.may_have_run else "has not run",
            "its time was over" if call.is_at_its_end else "",
        )
        for call in failed
    )
    if kinds:
        show(
            ("host", "job", "pool", "kind", "of", "", "", "failures"),
            [(*kind, count) for kind, count in sorted(kinds.items())],
            left=7,
        )


# ---- All ----


@contextlib.contextmanager
def house(timeout_ms):
    options = OPTIONS | {"cluster_node_timeout": timeout_ms}
    with Cluster(SHARDS + 1, **options) as cluster:
        shards = [Shard(cluster, master, options) for master in cluster.nodes[:SHARDS]]
        for number, shard in enumerate(shards):
            shard.slot = number * 4096
            shard.await_replica()
        retry(lambda: await_shards(cluster.nodes), 60)
        yield shards, cluster


def run(progress, is_short):
    """A short run gives a busy machine more time to recover."""
    with house(PLANNED_TIMEOUT_MS) as (shards, cluster):
        figures = planned(progress, shards, cluster, 2 if is_short else 100)
    with house(2000) as (shards, cluster):
        figures += (
            deaths(progress, shards, cluster, 1, BUSY_RECOVERY_S)
            if is_short
            else deaths(progress, shards, cluster, 100)
        )
    progress.done()
    return figures
