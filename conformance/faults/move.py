"""4,000 slots move while PHP and Java run pipelines."""

import functools
import subprocess
import time
from contextlib import ExitStack

from clusters import configure, errors, questions, reset
from figures import Figure
from lab import LabError
from lab.cluster import Cluster
from ledgers import HOSTS, Ledgers, promises

HALFWAY_SECONDS = 0.003  # How long a slot has keys on both nodes, so that commands meet ASK.
LAST_THIRD = 10923  # The first slot of the third of three nodes.
DATABASE = 5  # Only with valkey 9.0 and later, which have databases in a cluster.


class Mover:
    """Moves slots as `redis-cli --cluster reshard` does, on connections that stay open."""

    def __init__(self, stack, source, target, others):
        self._nodes = {
            node: stack.enter_context(node.connect()) for node in (source, target, *others)
        }
        self._ids = {
            node: connection.command("CLUSTER", "MYID").decode()
            for node, connection in self._nodes.items()
        }

    def move(self, slot, source, target):
        self._nodes[target].command("CLUSTER", "SETSLOT", slot, "IMPORTING", self._ids[source])
        self._nodes[source].command("CLUSTER", "SETSLOT", slot, "MIGRATING", self._ids[target])
        self._migrate(slot, source, target, 2)
        time.sleep(HALFWAY_SECONDS)
        while self._migrate(slot, source, target, 100):
            pass
        others = [node for node in self._nodes if node not in (source, target)]
        for node in (target, source, *others):
            self._nodes[node].command("CLUSTER", "SETSLOT", slot, "NODE", self._ids[target])

    def _migrate(self, slot, source, target, count):
        """Migrates at most `count` keys; returns how many."""
        keys = self._nodes[source].command("CLUSTER", "GETKEYSINSLOT", slot, count)
        if keys:
            where = (*target.address, "", source.database)
            self._nodes[source].command("MIGRATE", *where, 5000, "KEYS", *keys)
        return len(keys)

    def can_migrate(self):
        """True for valkey 9.0 and later, which move keys and then owner of many slots."""
        node = next(iter(self._nodes.values()))
        return node.command("COMMAND", "INFO", "CLUSTER|MIGRATESLOTS") != [None]

    def migrate(self, first, last, source, target):
        """Moves a range of slots in one step, and waits for its end."""
        begun = time.monotonic()
        node = self._nodes[source]
        words = ("SLOTSRANGE", first, last, "NODE", self._ids[target])
        node.command("CLUSTER", "MIGRATESLOTS", *words)
        while (state := _state(node)) != b"success":
            if state in (b"failed", b"cancelled") or time.monotonic() > begun + 60:
                raise LabError(f"the slots {first}-{last} did not move: {state.decode()}")
            time.sleep(0.01)

    def move_all(self, slots, source, target, seconds):
        """Moves slots one by one, spread evenly over `seconds`; returns the time it took."""
        begun = time.monotonic()
        for number, slot in enumerate(slots, start=1):
            self.move(slot, source, target)
            time.sleep(max(0, begun + seconds * number / len(slots) - time.monotonic()))
        return time.monotonic() - begun


def _state(node):
    """The state of the newest migration: a map, as a flat list."""
    newest = node.command("CLUSTER", "GETSLOTMIGRATIONS")[0]
    return newest[newest.index(b"state") + 1]


def _has_databases():
    """True if the server has databases in a cluster."""
    words = subprocess.run(
        ["redis-server", "--version"], check=True, capture_output=True, text=True
    )
    return words.stdout.startswith("Valkey") and "v=8" not in words.stdout


def run(progress, is_short):
    count, seconds = (200, 3) if is_short else (4000, 60)
    progress.step(f"move: {count} slots in {seconds} s")
    # No node dies here. With a short timeout, nodes of a busy machine could take others for dead.
    options, directives = {"cluster_node_timeout": 30_000}, {}
    if _has_databases():
        options |= {"database": DATABASE, "cluster_databases": DATABASE + 1}
        directives = {"database": DATABASE}
    with (
        Cluster(3, **options) as cluster,
        Ledgers(
            cluster, configure=functools.partial(configure, **directives), is_calm=is_short
        ) as ledgers,
        ExitStack() as stack,
    ):
        source, target, other = cluster.nodes
        mover = Mover(stack, source, target, [other])
        ledgers.wait_until_at_work(cluster)
        time.sleep(1)
        reset(cluster)
        taken = mover.move_all(range(count), source, target, seconds)
        moved, asked, maps = errors(cluster, "MOVED"), errors(cluster, "ASK"), questions(cluster)
        ledgers.work_in_pairs()
        mover.move_all(range(count // 10), target, source, seconds / 10)
        migrates = mover.can_migrate()
        if migrates:
            for first in range(LAST_THIRD, LAST_THIRD + count, count // 10):
                mover.migrate(first, first + count // 10 - 1, other, target)
        php_redirects = ledgers.redirects()
        records, java_redirects = ledgers.end()
        progress.done()
        print(
            f"  {count} slots in {taken:.0f} s: {moved} MOVED, {asked} ASK, {maps} topology queries"
        )
        print(
            f"  then {count // 10} back, under batches that write and read the same keys:"
            f" {errors(cluster, 'MOVED') - moved} MOVED, {errors(cluster, 'ASK') - asked} ASK"
        )
        if migrates:
            print(
                f"  then {count} by CLUSTER MIGRATESLOTS, in ten steps;"
                f" all in database {source.database}"
            )
        print(f"  redirects followed in both parts: PHP {php_redirects}, Java {java_redirects}")
        failures = sum(
            len(worker["failures"]) for workers in records.values() for worker in workers
        )
        # A few hundred slots on a busy machine prove little.
        return [
            *promises(records),
            Figure("failed calls", failures, 0, is_hard=True),
            Figure(
                "MOVED per moved slot and host",
                moved / count / len(HOSTS),
                1.0,
                is_hard=not is_short,
            ),
        ]
