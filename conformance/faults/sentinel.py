"""Sentinels replace masters under load: planned failovers, then masters that are killed.

A planned failover goes as docs/sentinel.md says: the old master refuses writes before SENTINEL
FAILOVER exchanges it and its replica. No call may fail, and no acknowledged write may be lost. Then
masters are killed and come back empty; a write that was on its way may fail. What a master
acknowledges shortly before its death is lost, because replication is asynchronous. That is shown
and not judged.
"""

import contextlib
import os
import re
import time

from figures import Figure
from lab import RedisNode, free_port
from lab.process import Process
from lab.resp import ReplyError, connect
from lab.slots import until
from ledgers import Ledgers, promises

MASTERS, SENTINELS = 2, 3
TIMEOUT_MS = 30000
# A busy machine may keep a new master silent for a second. If a Sentinel took it for dead, it would
# promote the old master, which has just come back empty.
DOWN_AFTER_MS = 4000
# Writes that a master acknowledged within so many seconds before its death may be lost.
BEFORE_SECONDS = 1
OPTIONS = {"repl_diskless_sync_delay": 0, "repl_ping_replica_period": 1}


class Sentinel:
    def __init__(self, masters):
        self.port = free_port()
        text = f"port {self.port}\nbind 127.0.0.1\nprotected-mode no\n"
        text += "".join(
            f"sentinel monitor master{number} 127.0.0.1 {node.port} 2\n"
            f"sentinel down-after-milliseconds master{number} {DOWN_AFTER_MS}\n"
            f"sentinel failover-timeout master{number} 3000\n"
            for number, node in enumerate(masters)
        )
        self.process = Process(
            ["redis-server", "sentinel.conf", "--sentinel"],
            name="sentinel",
            files={"sentinel.conf": text},
        )
        self.process.wait_until(self._answers)
        with connect(("127.0.0.1", self.port)) as connection:
            # Otherwise a Sentinel does nothing for 30 s after a stall of 2 s.
            connection.command("SENTINEL", "DEBUG", "TILT-TRIGGER", "60000")

    def _answers(self):
        with contextlib.suppress(OSError), connect(("127.0.0.1", self.port)) as connection:
            return connection.command("PING") == b"PONG"

    def switches(self):
        """How many times it has switched a master."""
        with open(self.process.log_path, errors="replace") as log:
            return log.read().count("+switch-master")


class Fleet:
    """Masters with a replica each, and their Sentinels."""

    def __init__(self):
        self.masters = [RedisNode(**OPTIONS) for _ in range(MASTERS)]
        self.nodes = list(self.masters)
        for master in self.masters:
            replica = RedisNode(**OPTIONS)
            self.nodes.append(replica)
            replica.command("REPLICAOF", *master.address)
            until(lambda node=replica: says(node, b"master_link_status:up"), "the replica follows")
        self.sentinels = [Sentinel(self.masters) for _ in range(SENTINELS)]

    def configure(self, _, directory):
        path = os.path.join(directory, "onehop.yml")
        with open(path, "w") as file:
            file.write(f"alpha:\n  engine: redis\n  timeout: {TIMEOUT_MS}\n  sentinels:\n")
            for sentinel in self.sentinels:
                file.write(f"    - 127.0.0.1:{sentinel.port}\n")
            file.write("  servers:\n")
            for number, node in enumerate(self.masters):
                file.write(f"    - 127.0.0.1:{node.port}:1 master{number}\n")
        return path

    def ask(self, sentinel, *words):
        with connect(("127.0.0.1", sentinel.port)) as connection:
            return connection.command("SENTINEL", *words)

    def await_replicas(self):
        """Waits until every Sentinel knows the others, and a usable replica of each master."""
        for sentinel in self.sentinels:
            for number in range(MASTERS):
                until(
                    lambda s=sentinel, n=number: self._is_ready(s, f"master{n}"),
                    "a replica can follow",
                    90,
                )

    def _is_ready(self, sentinel, name):
        state = self.ask(sentinel, "MASTER", name)
        replicas = self.ask(sentinel, "REPLICAS", name)
        others = state[state.index(b"num-other-sentinels") + 1]
        return int(others) == SENTINELS - 1 and any(
            replica[replica.index(b"master-link-status") + 1] == b"ok"
            and replica[replica.index(b"flags") + 1] == b"slave"
            for replica in replicas
        )

    def master(self, number):
        port = int(self.ask(self.sentinels[0], "GET-MASTER-ADDR-BY-NAME", f"master{number}")[1])
        return next(node for node in self.nodes if node.port == port)

    def replace(self, number, is_planned):
        """(begun, switched, seconds from +switch-master to the first write at the new master)"""
        old, before = self.master(number), [each.switches() for each in self.sentinels]
        begun = time.time()
        if is_planned:
            refuse_writes(old)
        else:
            old.kill()
        until(
            lambda: (
                any(e.switches() > b for e, b in zip(self.sentinels, before))
                or (is_planned and self._fail_over(number))
            ),
            "+switch-master",
            60,
        )
        switched = time.time()
        until(lambda: self.master(number) is not old, "there is a new address")
        new = self.master(number)
        new.command("CONFIG", "RESETSTAT")
        until(lambda: b"cmdstat_set:" in new.command("INFO", "commandstats"), "a write arrives", 40)
        right = time.time()
        if not is_planned:
            old.restart()
        until(lambda: says(old, b"role:slave"), "the old master is a replica", 60)
        allow_writes(old)
        self.await_replicas()
        return begun, switched, right - switched

    def _fail_over(self, number):
        """Begins a failover, unless one is still running. A Sentinel may give up a failover."""
        with contextlib.suppress(ReplyError):
            self.ask(self.sentinels[0], "FAILOVER", f"master{number}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.sentinels:
            each.process.stop()
        for node in self.nodes:
            node.stop()


def refuse_writes(master):
    """Returns once the replica has every write that the master has acknowledged."""
    master.command("CONFIG", "SET", "min-replicas-to-write", "100")
    until(lambda: has_replicated(master), "the replica has all writes")


def allow_writes(node):
    node.command("CONFIG", "SET", "min-replicas-to-write", "0")


def has_replicated(master):
    info = master.command("INFO", "replication")
    written = re.search(rb"master_repl_offset:(\d+)", info)[1]
    return re.search(rb"slave0:.*offset=(\d+)", info)[1] == written


def says(node, state):
    """True if the node is in this state. False also while it closes its connections."""
    try:
        return state in node.command("INFO", "replication")
    except OSError:
        return False


def run(progress, is_short):
    rounds = 2 if is_short else 40
    progress.step("sentinel: starting servers")
    with Fleet() as fleet, Ledgers(fleet, configure=fleet.configure, is_calm=is_short) as ledgers:
        fleet.await_replicas()
        ledgers.wait_until_at_work(fleet)
        time.sleep(1)
        windows = []
        for number in range(rounds):
            is_planned = number < rounds // 2
            windows.append((is_planned, *fleet.replace(number % MASTERS, is_planned)))
            time.sleep(1)
            progress.share("masters", number + 1, rounds)
        told, _ = ledgers.end()
    progress.done()
    kept = promises(told, lambda loss: any(is_excused(loss, window) for window in windows))
    return [*kept, *figures(told, windows)]


def is_excused(loss, window):
    is_planned, begun, switched, _ = window
    return not is_planned and begun - BEFORE_SECONDS <= loss[0] <= switched


def figures(told, windows):
    kills = [window for window in windows if not window[0]]
    failures = [
        failure for workers in told.values() for worker in workers for failure in worker["failures"]
    ]
    in_planned = sum(failure[1] < kills[0][1] for failure in failures)
    print(f"  {len(windows) - len(kills)} planned failovers: {in_planned} failed calls")
    print(f"  {len(kills)} kills: {len(failures) - in_planned} failed calls")
    for failure in failures[:5]:
        print(f"    {failure[2]} of {failure[4]}: {failure[6]}")
    yield Figure("failed calls in planned failovers", in_planned, 0)
    yield Figure(
        "failed calls that were not executed", sum(not f[3] for f in failures), 0, is_hard=True
    )
    yield Figure("reads that failed", sum(f[5] == "read" for f in failures), 0)
    yield Figure(
        "seconds from +switch-master to a write at the new master",
        round(max(window[3] for window in windows), 2),
        1,
        unit=" s",
    )
