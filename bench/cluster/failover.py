"""Masters are killed, one after another, under the pipelines and calls of PHP and Java at once; a replica takes each one's place."""

import time
from collections import Counter

from clusters import retry, say, until
from lab.cluster import Cluster
from lab.redis import RedisNode
from ledgers import Ledgers, say_promises
from table import show

OPTIONS = {"cluster_require_full_coverage": "no", "cluster_node_timeout": 1000, "repl_diskless_sync_delay": 0, "repl_ping_replica_period": 1}
RIGHT_AGAIN_SECONDS = 2  # After the promotion.
BEFORE_SECONDS = 1  # What a master acknowledged so shortly before its death its replica may not have.


class Shard:
    """A master and its replica; who has died is replaced by a new replica at another address."""

    def __init__(self, cluster, master):
        self._cluster, self.master, self.replica = cluster, master, None
        self.add_replica()

    def add_replica(self):
        self.replica = RedisNode(cluster=True, **OPTIONS)
        self._cluster.nodes.append(self.replica)
        self.replica.command("CLUSTER", "MEET", *self.master.address, self.master.bus_port)
        self._identity = self.master.command("CLUSTER", "MYID").decode()

    def await_replica(self):
        until(lambda: self._identity in self.replica.command("CLUSTER", "NODES").decode(), "introduction")
        retry(lambda: self.replica.command("CLUSTER", "REPLICATE", self._identity))
        until(lambda: b"master_link_status:up" in self.replica.command("INFO", "replication"), "replication")

    def lose_master(self):
        """When it died, and when its replica had taken its place."""
        dead, died = self.master, time.time()
        dead.kill()
        until(lambda: b"role:master" in self.replica.command("INFO", "replication"), "promotion")
        promoted = time.time()
        self.master, self.replica = self.replica, None
        self._cluster.nodes.remove(dead)
        dead.stop()
        return died, promoted


def run(is_short):
    deaths = 2 if is_short else 20
    with Cluster(3, **OPTIONS) as cluster:
        shards = [Shard(cluster, master) for master in list(cluster.nodes)]
        for shard in shards:
            shard.await_replica()
        with Ledgers(cluster) as ledgers:
            ledgers.wait_until_at_work(cluster)
            time.sleep(1)
            windows = []
            for number in range(deaths):
                shard = shards[number % len(shards)]
                windows.append(shard.lose_master())
                time.sleep(RIGHT_AGAIN_SECONDS + 0.5)
                if number + len(shards) < deaths:  # It is to lose a master once more.
                    shard.add_replica()
                    shard.await_replica()
            told, _ = ledgers.end()
        elections = sorted(promoted - died for died, promoted in windows)
        print(f"  {deaths} masters killed; elections took {elections[0]:.1f} to {elections[-1]:.1f} s")
        say_promises(told, lambda loss: any(died - BEFORE_SECONDS <= loss[0] <= promoted for died, promoted in windows))
        judge(told, windows)


def window_of(failure, windows):
    """The election in which it happened: from the death to two seconds after the promotion."""
    begun, ended = failure[:2]
    return next((window for window in windows if window[0] <= ended and begun <= window[1] + RIGHT_AGAIN_SECONDS), None)


def judge(told, windows):
    failures = [(host, window_of(failure, windows), failure) for host, workers in told.items() for worker in workers
                for failure in worker["failures"]]
    outside = [failure for _, window, failure in failures if not window]
    kinds = Counter((host, kind, what, "may have run" if may else "has not run", "inside" if window else "OUTSIDE")
                    for host, window, (_, _, kind, may, _, what, _) in failures)
    show(("host", "kind", "of", "", "election", "failures"), [(*kind, count) for kind, count in sorted(kinds.items())], left=5)
    for host in told:
        latest = max((failure[0] - window[1] for of, window, failure in failures if of == host and window), default=0)
        print(f"  {host}: the last call that failed began {latest:.2f} s after its promotion")
    surely = [failure for failure in outside if not failure[3]]
    say("failures outside elections that say the command has not run", len(surely), 0, not surely)
    reads = sum(failure[5] == "read" for failure in outside)
    say("reads that failed outside elections", reads, 0, reads == 0)
    for failure in outside[:5]:
        print(f"    {failure[2]} of {failure[4]}: {failure[6]}")
