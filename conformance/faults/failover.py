"""Masters are killed one by one under load from PHP and Java; a replica replaces each."""

import time
from collections import Counter

from clusters import retry
from figures import Figure
from lab.cluster import Cluster
from lab.redis import RedisNode
from lab.slots import until
from ledgers import Ledgers, promises
from table import show

OPTIONS = {
    "cluster_require_full_coverage": "no",
    "repl_diskless_sync_delay": 0,
    "repl_ping_replica_period": 1,
}
# Writes that a master acknowledged within so many seconds before its death may be lost.
BEFORE_SECONDS = 1


class Shard:
    """A master and its replica. A dead node is replaced by a new replica at another address."""

    def __init__(self, cluster, master, options):
        self._cluster, self.master, self._options = cluster, master, options
        self.add_replica()

    def add_replica(self):
        self.replica = RedisNode(cluster=True, **self._options)
        self._cluster.nodes.append(self.replica)
        self.replica.command("CLUSTER", "MEET", *self.master.address, self.master.bus_port)
        self._identity = self.master.command("CLUSTER", "MYID").decode()

    def await_replica(self):
        until(
            lambda: self._identity in self.replica.command("CLUSTER", "NODES").decode(),
            "the replica is known",
        )
        retry(lambda: self.replica.command("CLUSTER", "REPLICATE", self._identity))
        self._await_state(b"master_link_status:up")

    def _await_state(self, state):
        until(
            lambda: state in self.replica.command("INFO", "replication"),
            f"the replica says {state.decode()}",
        )

    def lose_master(self):
        """(when the master died, when its replica had replaced it)"""
        dead, died = self.master, time.time()
        dead.kill()
        self._await_state(b"role:master")
        promoted = time.time()
        self.master, self.replica = self.replica, None
        self._cluster.nodes.remove(dead)
        dead.stop()
        return died, promoted


def run(progress, is_short):
    """A short run gives a busy machine more time to declare a node dead and to recover."""
    deaths, recovery_s = (1, 6) if is_short else (20, 2)
    progress.step(f"failover: {deaths} deaths")
    options = OPTIONS | {"cluster_node_timeout": 2000 if is_short else 1000}
    with Cluster(3, **options) as cluster, Ledgers(cluster, is_calm=is_short) as ledgers:
        shards = [Shard(cluster, master, options) for master in list(cluster.nodes)]
        for shard in shards:
            shard.await_replica()
        ledgers.wait_until_at_work(cluster)
        time.sleep(1)
        windows = []
        for number in range(deaths):
            shard = shards[number % len(shards)]
            died, promoted = shard.lose_master()
            windows.append((died, promoted, promoted + recovery_s))
            time.sleep(recovery_s + 0.5)
            if number + len(shards) < deaths:  # This shard will lose its master again.
                shard.add_replica()
                shard.await_replica()
        told, _ = ledgers.end()
    progress.done()
    elections = sorted(promoted - died for died, promoted, _ in windows)
    print(f"  {deaths} masters killed; elections took {elections[0]:.1f} to {elections[-1]:.1f} s")
    kept = promises(
        told,
        lambda loss: any(
            died - BEFORE_SECONDS <= loss[0] <= promoted for died, promoted, _ in windows
        ),
    )
    return kept + outside_elections(told, windows)


def window_of(failure, windows):
    """The window in which a failure happened, from a master's death to the end of recovery."""
    begun, ended = failure[:2]
    return next((window for window in windows if window[0] <= ended and begun <= window[2]), None)


def outside_elections(told, windows):
    failures = [
        (host, window_of(failure, windows), failure)
        for host, workers in told.items()
        for worker in workers
        for failure in worker["failures"]
    ]
    kinds = Counter(
        (
            host,
            kind,
            what,
            "may have run" if may else "has not run",
            "inside" if window else "OUTSIDE",
        )
        for host, window, (_, _, kind, may, _, what, _) in failures
    )
    show(
        ("host", "kind", "of", "", "election", "failures"),
        [(*kind, count) for kind, count in sorted(kinds.items())],
        left=5,
    )
    for host in told:
        latest = max(
            (failure[0] - window[1] for of, window, failure in failures if of == host and window),
            default=0,
        )
        print(f"  {host}: the last failed call began {latest:.2f} s after the promotion")
    outside = [failure for _, window, failure in failures if not window]
    for failure in outside[:5]:
        print(f"    {failure[2]} of {failure[4]}: {failure[6]}")
    surely = sum(not failure[3] for failure in outside)
    reads = sum(failure[5] == "read" for failure in outside)
    return [
        Figure(
            "failures outside elections that say the command has not run", surely, 0, is_hard=True
        ),
        Figure("reads that failed outside elections", reads, 0, is_hard=True),
    ]
